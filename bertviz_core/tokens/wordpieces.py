"""The steps from a text to WordPieces: normalizer, words, and the search for their pieces."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from tokenizers.normalizers import BertNormalizer

from bertviz_core.bert import Bert
from bertviz_core.result import Result, cut
from bertviz_core.tokens.tokenized_text import without_lone_surrogates

# The switches of BERT's normalizer, in their order.
NORMALIZER_STEPS = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")


class Try(NamedTuple):
    """One piece that was looked for in the vocabulary."""

    piece: str  # with ## unless it starts the word
    start: int  # first character of the piece in its word
    end: int  # one past its last character
    token_id: int | None  # its row of the token table; None if the vocabulary has no such piece


@dataclass(frozen=True, repr=False)
class WordSearch(Result):
    """The longest-match-first search for the pieces of one word."""

    word: str  # normalized
    tries: tuple[Try, ...]  # all pieces looked for, in order; none where the word is too long
    tokens: tuple[str, ...]  # the pieces in the vocabulary, or the unknown token alone
    longest: int  # characters; a longer word is not searched
    stuck_at: int | None  # character at which no piece was found, if any

    @property
    def matches(self) -> list[Try]:
        return [tried for tried in self.tries if tried.token_id is not None]

    def columns(self) -> dict[str, Any]:
        """One row a try, numbered from 1."""
        return {
            "try": range(1, len(self.tries) + 1),
            "piece": [tried.piece for tried in self.tries],
            "from character": [tried.start for tried in self.tries],
            "to character": [tried.end for tried in self.tries],
            "in the vocabulary": [tried.token_id is not None for tried in self.tries],
            "token id": [tried.token_id for tried in self.tries],
        }

    def _summary(self) -> str:
        return f"{cut(self.word)} in {len(self.tries):,} tries: {' '.join(self.tokens[:20])}"


class Step(NamedTuple):
    """One step of the normalizer."""

    name: str  # one of `NORMALIZER_STEPS`, or the type of a normalizer that is not BERT's own
    on: bool  # whether this checkpoint takes the step
    before: str
    after: str  # the same text where the step is off or changes nothing
    changes: tuple[tuple[str, str], ...]  # each changed character once, and what it becomes


class WordTrace(NamedTuple):
    """A word of a text on its way to WordPieces."""

    typed: str
    special: str | None  # the special token that was typed, which skips all steps
    steps: tuple[Step, ...]  # what the normalizer did, in order
    searches: tuple[WordSearch, ...]  # one for each part that it was split into

    @property
    def normalized(self) -> str:
        """The word after the last step."""
        return self.steps[-1].after if self.steps else self.typed

    @property
    def tokens(self) -> tuple[str, ...]:
        """Its WordPieces; a special token is its own."""
        if self.special is not None:
            return (self.special,)
        return tuple(token for search in self.searches for token in search.tokens)


def search_word(bert: Bert, word: str) -> WordSearch:
    """Cut one word into pieces: from the left, each time the longest one in the vocabulary.

    Args:
        bert: The checkpoint whose vocabulary to search.
        word: A word as the normalizer leaves it. It is not split at blanks or punctuation.

    Returns:
        Every piece tried, and those found. Where no piece fits at some character, not even a
        piece of one character, the whole word becomes the unknown token.

    References:
        `WordPiece` in tokenizers; `WordpieceTokenizer` in google-research/bert.

    Example:
        >>> search = search_word(bert, "awesomesauce")
        >>> search.tokens, len(search.tries)
        (('awesome', '##sau', '##ce'), 10)
    """
    word = without_lone_surrogates(word)
    model: Any = bert.tokenizer.model
    longest = model.max_input_chars_per_word
    tries: list[Try] = []
    stuck_at = None
    start = 0
    while len(word) <= longest and start < len(word) and stuck_at is None:
        prefix = model.continuing_subword_prefix if start else ""
        for end in range(len(word), start, -1):
            piece = prefix + word[start:end]
            tries.append(Try(piece, start, end, model.token_to_id(piece)))
            if tries[-1].token_id is not None:
                start = end
                break
        else:
            stuck_at = start
    tokens = tuple(tried.piece for tried in tries if tried.token_id is not None)
    if stuck_at is not None or len(word) > longest:
        tokens = (model.unk_token,)
    return WordSearch(word, tuple(tries), tokens, longest, stuck_at)


def trace_word(bert: Bert, word: str) -> WordTrace:
    """Follow a word of a text through the tokenizer. Wu et al. (2016), section 4.1."""
    word = without_lone_surrogates(word)
    if special := _special_token(bert, word):
        return WordTrace(word, special, (), ())
    trace = WordTrace(word, None, _normalize(bert, word), ())
    parts = [trace.normalized] if trace.normalized else []
    if (splitter := bert.tokenizer.pre_tokenizer) is not None:
        parts = [part for part, _ in splitter.pre_tokenize_str(trace.normalized)]
    return trace._replace(searches=tuple(search_word(bert, part) for part in parts))


def _normalize(bert: Bert, text: str) -> tuple[Step, ...]:
    normalizer: Any = bert.tokenizer.normalizer
    if normalizer is None:
        return ()
    if not isinstance(normalizer, BertNormalizer):
        return (_step(type(normalizer).__name__, True, normalizer, text),)
    switches = {name: getattr(normalizer, name) for name in NORMALIZER_STEPS}
    if switches["strip_accents"] is None:  # not set: the same as lower-casing
        switches["strip_accents"] = switches["lowercase"]
    steps = []
    for name in NORMALIZER_STEPS:
        alone = BertNormalizer(**{key: key == name and on for key, on in switches.items()})
        steps.append(_step(name, switches[name], alone, text))
        text = steps[-1].after
    return tuple(steps)


def _step(name: str, on: bool, normalizer: Any, text: str) -> Step:
    after = normalizer.normalize_str(text)
    changes: list[tuple[str, str]] = []
    if after != text:
        became = {char: normalizer.normalize_str(char) for char in dict.fromkeys(text)}
        changes = [(char, result) for char, result in became.items() if char != result]
    return Step(name, on, text, after, tuple(changes))


def _special_token(bert: Bert, word: str) -> str | None:
    """The special token that a word is; None for other words."""
    encoding = bert.tokenizer.encode(word, add_special_tokens=False)
    added = bert.tokenizer.get_added_tokens_decoder()
    if len(encoding) != 1 or encoding.ids[0] not in added:
        return None
    token = added[encoding.ids[0]]
    typed = word.strip()
    normalizer = bert.tokenizer.normalizer
    if token.normalized and normalizer is not None:  # looked for after the normalizer
        typed = normalizer.normalize_str(typed).strip()
    # An unknown word becomes [UNK] too; here only a typed [UNK] counts.
    return token.content if typed == token.content else None
