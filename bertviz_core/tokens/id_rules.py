"""What made these ids: the rules by which other software reads a text, alone and together."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, combinations, product, zip_longest
from typing import Any

import numpy as np
from tokenizers.normalizers import BertNormalizer

from bertviz_core.arrays import Ids, frozen
from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError, expect_each
from bertviz_core.tokens.tokenized_text import tokenize, without_lone_surrogates

Rules = tuple[str, ...]
MAX_IDS, MAX_ID = 2048, 2**31 - 1
MAX_TEXT = 10_000  # characters
MAX_TOGETHER = 4  # rules; fewer where many sets of a long text would take more
MAX_WORK = 1_000_000  # characters to read by all sets of one size
USUAL_CUTS = (32, 64, 128, 256, 384, 512)  # any other counts as two rules
# Each is done otherwise than the model's own tokenizer does it. Of one line at most one holds.
_LINES = """\
typed special tokens read as words | typed special tokens known between blanks only \
| typed special tokens left out
words split beforehand (do n't)
NFKC
accents kept | accents stripped | accents stripped from whole Latin letters only \
| accents U+0300 to U+036F stripped only | accents and vowel signs lost (Korean and Indian ones) \
| letters beyond Latin-1 left as they are
no lower-casing | lower-casing | case folding | a final sigma as ς
control characters kept | control characters between words
Chinese characters not set apart
words split at blanks only
word limit in bytes | no word limit
pieces before an unknown one kept"""
GROUPS: list[Rules] = [tuple(line.split(" | ")) for line in _LINES.splitlines()]
SEARCHING = {*GROUPS[-2], *GROUPS[-1]}  # those of `pieces_of`; all others are of `words_of`
NONE_ADDED, NO_END = "no special tokens added", "no special token at the end"


@dataclass(frozen=True, eq=False)
class IdRules:
    """Ids from elsewhere beside the model's own, and the rules that make them of the text."""

    own: Ids  # int64 (n,), what the model's tokenizer gives
    given: Ids  # int64 (m,), what another program gave
    first: int | None  # first position at which they differ; None where they are equal
    # The smallest sets that make exactly the given ids; of several the text cannot tell which. ()
    rules: tuple[Rules, ...]  # where no set does, or where nothing differs


def rules_of(bert: Bert, text: str, ids: Sequence[int]) -> IdRules:
    """Find the rules that make the ids of another program of a text; neither may be too long.

    A set has at most four rules beside a cut, padding or left-out special tokens.

    Example:
        >>> from bertviz_core.bert import load_bert
        >>> rules_of(load_bert("all-MiniLM-L6-v2"), "crème", [101, 100, 102]).rules
        (('accents kept',),)
    """
    text = without_lone_surrogates(text)
    given: list[Any] = list(expect_each(ids, (int, np.integer), "ids as whole numbers"))
    if len(given) > MAX_IDS or len(text) > MAX_TEXT or max(map(abs, given), default=0) > MAX_ID:
        raise UserInputError(
            f"At most {MAX_IDS:,} ids up to {MAX_ID:,}, of a text of at most {MAX_TEXT:,} "
            f"characters, are explained; got {len(given):,} ids, {len(text):,} characters."
        )
    own = tokenize(bert, text).input_ids.tolist()
    differ = (at for at, (a, b) in enumerate(zip_longest(own, given)) if a != b)
    first = next(differ, None)
    rules = () if first is None else _smallest(bert, text, given)
    return IdRules(frozen(own, np.int64), frozen(given, np.int64), first, rules)


def _smallest(bert: Bert, text: str, given: list[int]) -> tuple[Rules, ...]:
    tokenizer, longest, around = bert.tokenizer, bert.vocabulary.longest, special_ids(bert)
    ends = list(_ends(given, bert.padding_row, bert.max_position_embeddings))
    words_once = cache(lambda rules: words_of(text, rules, tokenizer))
    pieces_once = cache(lambda word, rules: pieces_of(word, rules, tokenizer, longest))
    fitting = cache(lambda body: [one for one in ends if ended(body, *around, one[0]) == one[1]])
    # A rule that changes no word of this text is left out, with others before it or without.
    bases = ((), ("NFKC",), GROUPS[0][:1])
    tried = {*SEARCHING, "NFKC"}
    for rule in chain.from_iterable(GROUPS):
        tried |= {rule for one in bases if words_once((*one, rule)) != words_once(one)}
    groups = [[rule for rule in group if rule in tried] for group in GROUPS]
    fits: dict[Rules, int] = {}
    for size in range(MAX_TOGETHER + 1):
        sets = [*chain.from_iterable(product(*few) for few in combinations(groups, size))]
        if size > min(fits.values(), default=size) or len(sets) * len(text) > MAX_WORK:
            break  # a larger set cannot be the smallest
        for rules in sets:
            search = tuple(rule for rule in rules if rule in SEARCHING)
            words = words_once(tuple(rule for rule in rules if rule not in SEARCHING))
            body = tuple(one for word in words for one in pieces_once(word, search))
            fits |= {rules + end: size + cost for end, _, cost in fitting(body)}
    return tuple(rules for rules, cost in fits.items() if cost == min(fits.values()))


def _ends(given: list[int], pad: int | None, most: int) -> Iterator[tuple[Rules, list[int], int]]:
    """What may be done at the ends of ids, the ids before padding, how many rules this counts."""
    count = len(given)
    while count and given[count - 1] == pad:
        count -= 1
    for size in {len(given), count}:
        padding = (f"padded to {len(given)}",) if size < len(given) else ()
        cuts: list[tuple[Rules, int]] = [(("not cut",), 1) if size > most else ((), 0)]
        if size > 1:
            weight = 0 if size == most else 1 if size in USUAL_CUTS else 2
            cuts.append(((f"cut at {size} tokens",), weight))
        for end, (cut, cost) in product(((), (NONE_ADDED,), (NO_END,)), cuts):
            yield end + cut + padding, given[:size], len(end) + cost + len(padding)


def special_ids(bert: Bert) -> tuple[list[int], list[int]]:
    """The ids that the tokenizer puts before a text, and those behind it."""
    encoding = bert.tokenizer.encode("a")
    of_text = [at for at, added in enumerate(encoding.special_tokens_mask) if not added]
    return encoding.ids[: of_text[0]], encoding.ids[of_text[-1] + 1 :]


def ids_by(bert: Bert, text: str, rules: Rules) -> list[int]:
    """The ids that a set of rules makes of a text."""
    words, longest = words_of(text, rules, bert.tokenizer), bert.vocabulary.longest
    body = [one for word in words for one in pieces_of(word, rules, bert.tokenizer, longest)]
    return ended(body, *special_ids(bert), rules)


def words_of(text: str, rules: Sequence[str], tokenizer: Any) -> list[str]:
    """The words of a text by some rules; special tokens that were typed are words as they are."""
    special = [token.content for token in tokenizer.get_added_tokens_decoder().values()]
    names = "|".join(map(re.escape, sorted(special, key=len, reverse=True)))
    if "typed special tokens known between blanks only" in rules:
        names = rf"(?<!\S)(?:{names})(?!\S)"
    parts = re.split(f"({names})", text)  # each second one is a special token
    if "typed special tokens left out" in rules:
        parts = [" ".join(parts[::2])]
    if "typed special tokens read as words" in rules or not special:
        parts = [text]
    normalizer = tokenizer.normalizer
    if isinstance(normalizer, BertNormalizer):
        lowers, strips = normalizer.lowercase, normalizer.strip_accents
        strips = (lowers if strips is None else strips) and "accents" not in " ".join(rules)
        normalizer = BertNormalizer(
            normalizer.clean_text and "control characters kept" not in rules,
            normalizer.handle_chinese_chars and "Chinese characters not set apart" not in rules,
            strips or "accents stripped" in rules,
            (lowers and "no lower-casing" not in rules) or "lower-casing" in rules,
        )
    changed = "[\0-\xff]+" if "letters beyond Latin-1 left as they are" in rules else "(?s).+"
    words = []
    for at, part in enumerate(parts):
        if at % 2:
            words.append(part)
            continue
        if "words split beforehand (do n't)" in rules:
            part = re.sub(r"(?i)\B(?=n['’]t\b)|(?<=\bcan)(?=not\b)", " ", part)
        if "NFKC" in rules:
            part = unicodedata.normalize("NFKC", part)
        if "case folding" in rules:
            part = part.casefold()
        if "a final sigma as ς" in rules:
            part = part.lower()
        if "accents U+0300 to U+036F stripped only" in rules:
            part = re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFD", part))
        if "accents and vowel signs lost (Korean and Indian ones)" in rules:
            bases = [unicodedata.normalize("NFD", one)[0] for one in part]
            part = "".join(base for base in bases if unicodedata.category(base)[0] != "M")
        if "accents stripped from whole Latin letters only" in rules:
            bases = [unicodedata.normalize("NFD", one)[0] for one in part]
            part = "".join(a if a < "\u0250" else b for a, b in zip(bases, part, strict=True))
        if "control characters kept" in rules:
            part = re.sub(r"[^\S ]", "\uf8ff", part)  # is in no vocabulary either
        if "control characters between words" in rules:
            part = "".join(" " if unicodedata.category(one)[0] == "C" else one for one in part)
        if normalizer:
            part = re.sub(changed, lambda run: normalizer.normalize_str(run[0]), part)
        if "words split at blanks only" in rules or not tokenizer.pre_tokenizer:
            words += part.split()
        else:
            words += [word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(part)]
    return words


def pieces_of(word: str, rules: Sequence[str], tokenizer: Any, longest: int) -> list[int]:
    """The ids of a word's pieces by some rules; no piece has more than `longest` characters."""
    model = tokenizer.model
    size = len(word.encode()) if "word limit in bytes" in rules else len(word)
    found: list[int] = []
    start = 0
    searched = size <= model.max_input_chars_per_word or "no word limit" in rules
    while searched and start < len(word):
        for end in range(min(len(word), start + longest), start, -1):
            piece = (model.continuing_subword_prefix if start else "") + word[start:end]
            if (number := tokenizer.token_to_id(piece)) is not None:
                found.append(number)
                start = end
                break
        else:
            break
    if start == len(word):
        return found
    kept = found if "pieces before an unknown one kept" in rules else []
    return [*kept, tokenizer.token_to_id(model.unk_token)]


def ended(ids: Sequence[int], first: list[int], last: list[int], rules: Sequence[str]) -> list[int]:
    """The ids of a text between special tokens, cut."""
    if "no special tokens added" in rules:
        first, last = [], []
    last = [] if "no special token at the end" in rules else last
    made = [*first, *ids, *last]
    cuts = [int(rule.split()[2]) for rule in rules if rule.startswith("cut at")]
    return made[: cuts[0] - len(last)] + last if cuts else made
