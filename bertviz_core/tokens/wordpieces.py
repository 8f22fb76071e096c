"""The steps from a text to WordPieces: normalizer, words, and the search for their pieces."""

from dataclasses import dataclass
from typing import Any

from tokenizers.normalizers import BertNormalizer

from bertviz_core.bert import Bert
from bertviz_core.result import Result, cut
from bertviz_core.tokens.tokenized_text import without_lone_surrogates

# The switches of BERT's normalizer, in their order.
NORMALIZER_STEPS = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")


@dataclass(frozen=True)
class Try:
    """One piece that was looked for in the vocabulary."""

    piece: str  # with ## unless it starts the word
    start: int  # first character of the piece in its word
    end: int  # one past its last character
    token_id: int | None  # its row of the token table; None if the vocabulary has no such piece


@dataclass(frozen=True, repr=False)
class WordSearch(Result):
    """The longest-match-first search for the pieces of one word."""

    word: str  # normalized
    matches: tuple[Try, ...]  # the tries that were in the vocabulary, in order
    prefix: str  # of pieces that do not start the word: ##
    tokens: tuple[str, ...]  # the pieces found, or the unknown token alone
    token_ids: tuple[int, ...]  # their rows of the token table
    longest: int  # characters; a longer word is not searched
    stuck_at: int | None  # character at which no piece was found, if any

    @property
    def tries(self) -> tuple[Try, ...]:
        """All pieces looked for, in order; none where the word is too long to be searched.

        They are made anew each time: a word of 100 characters has up to 5,050.
        """
        return tuple(
            Try((self.prefix if start else "") + self.word[start:end], start, end,
                token_id if end == last else None)
            for start, last, token_id in self._starts()
            for end in range(len(self.word), last - 1, -1)
        )  # fmt: skip

    @property
    def try_count(self) -> int:
        """How many `tries` there are."""
        return sum(len(self.word) - last + 1 for _, last, _ in self._starts())

    def _starts(self) -> list[tuple[int, int, int | None]]:
        """The starts of tries: first character, end of the last try there, the id it found."""
        stuck = [] if self.stuck_at is None else [(self.stuck_at, self.stuck_at + 1, None)]
        return [*((match.start, match.end, match.token_id) for match in self.matches), *stuck]

    @property
    def too_long(self) -> bool:
        return len(self.word) > self.longest

    def columns(self) -> dict[str, Any]:
        """One row a try, numbered from 1."""
        tries = self.tries
        return {
            "try": range(1, len(tries) + 1),
            "piece": [tried.piece for tried in tries],
            "from character": [tried.start for tried in tries],
            "to character": [tried.end for tried in tries],
            "in the vocabulary": [tried.token_id is not None for tried in tries],
            "token id": [tried.token_id for tried in tries],
        }

    def _summary(self) -> str:
        return f"{cut(self.word)} in {self.try_count:,} tries: {' '.join(self.tokens[:20])}"


@dataclass(frozen=True)
class Step:
    """One step of the normalizer."""

    name: str  # one of `NORMALIZER_STEPS`, or the type of a normalizer that is not BERT's own
    on: bool  # whether this checkpoint takes the step
    before: str
    after: str  # the same text where the step is off or finds nothing
    changes: tuple[tuple[str, str], ...]  # each changed character once, and what it becomes


@dataclass(frozen=True)
class Fragment:
    """A part of the text: a typed special token, or the text between two of them."""

    text: str  # the part as it was typed
    special: str | None  # the typed special token, which skips all steps; None for other parts
    steps: tuple[Step, ...]  # what the normalizer did, in order
    words: tuple[WordSearch, ...]  # the words it was split into, each with its search

    @property
    def tokens(self) -> tuple[str, ...]:
        """Its WordPieces; a typed special token is its own."""
        if self.special is not None:
            return (self.special,)
        return tuple(token for word in self.words for token in word.tokens)


@dataclass(frozen=True)
class TextTrace:
    """A text on its way to WordPieces."""

    fragments: tuple[Fragment, ...]  # in order; blank ones are left out

    @property
    def words(self) -> tuple[WordSearch, ...]:
        """The words of all parts, in order."""
        return tuple(word for part in self.fragments for word in part.words)

    @property
    def tokens(self) -> tuple[str, ...]:
        """The WordPieces of the text, as the tokenizer returns them."""
        return tuple(token for part in self.fragments for token in part.tokens)


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
        >>> search.tokens, search.try_count
        (('awesome', '##sau', '##ce'), 10)
    """
    word = without_lone_surrogates(word)
    model: Any = bert.tokenizer.model
    prefix, longest = model.continuing_subword_prefix, model.max_input_chars_per_word
    matches: list[Try] = []
    stuck_at, start = None, 0
    while len(word) <= longest and start < len(word) and stuck_at is None:
        # Pieces longer than every token are tries, too, but need not be looked up.
        for end in range(min(len(word), start + bert.vocabulary.longest), start, -1):
            piece = (prefix if start else "") + word[start:end]
            token_id = model.token_to_id(piece)
            if token_id is not None:
                matches.append(Try(piece, start, end, token_id))
                start = end
                break
        else:
            stuck_at = start
    tokens = tuple(match.piece for match in matches)
    ids = tuple(match.token_id for match in matches if match.token_id is not None)
    if stuck_at is not None or len(word) > longest:
        tokens, ids = (model.unk_token,), (int(model.token_to_id(model.unk_token)),)
    return WordSearch(word, tuple(matches), prefix, tokens, ids, longest, stuck_at)


def trace_text(bert: Bert, text: str) -> TextTrace:
    """Follow a text through the tokenizer of a checkpoint. Wu et al. (2016), section 4.1."""
    text = without_lone_surrogates(text)
    fragments, done = [], 0
    for start, end, token in _typed_specials(bert, text):
        fragments += _plain(bert, text[done:start])
        fragments.append(Fragment(text[start:end], token, (), ()))
        done = end
    return TextTrace((*fragments, *_plain(bert, text[done:])))


def _plain(bert: Bert, text: str) -> list[Fragment]:
    if not text:
        return []
    steps = _normalize(bert, text)
    normalized = steps[-1].after if steps else text
    splitter = bert.tokenizer.pre_tokenizer
    words = [normalized] if normalized else []
    if splitter is not None:
        words = [word for word, _ in splitter.pre_tokenize_str(normalized)]
    if not words and not text.strip():
        return []
    searched = tuple(search_word(bert, word) for word in words)
    return [Fragment(text, None, steps, searched)]


def _normalize(bert: Bert, text: str) -> tuple[Step, ...]:
    normalizer: Any = bert.tokenizer.normalizer
    if normalizer is None:
        return ()
    if not isinstance(normalizer, BertNormalizer):
        return (_step(type(normalizer).__name__, True, normalizer, text),)
    switches = {name: getattr(normalizer, name) for name in NORMALIZER_STEPS}
    if switches["strip_accents"] is None:  # not set: the same as lower-casing
        switches["strip_accents"] = switches["lowercase"]
    steps: list[Step] = []
    for name in NORMALIZER_STEPS:
        only = BertNormalizer(**{key: key == name and on for key, on in switches.items()})
        steps.append(_step(name, switches[name], only, steps[-1].after if steps else text))
    return tuple(steps)


def _step(name: str, on: bool, normalizer: Any, text: str) -> Step:
    after = normalizer.normalize_str(text)
    changes: list[tuple[str, str]] = []
    if after != text:
        became = {char: normalizer.normalize_str(char) for char in dict.fromkeys(text)}
        changes = [(char, result) for char, result in became.items() if char != result]
    return Step(name, on, text, after, tuple(changes))


def _typed_specials(bert: Bert, text: str) -> list[tuple[int, int, str]]:
    """Start, end and token of each special token that the tokenizer finds in the text."""
    added = bert.tokenizer.get_added_tokens_decoder()
    normalizer = bert.tokenizer.normalizer
    encoding = bert.tokenizer.encode(text, add_special_tokens=False)
    typed = []
    for token_id, (start, end) in zip(encoding.ids, encoding.offsets, strict=True):
        if token_id not in added:
            continue
        token, part = added[token_id], text[start:end].strip()
        if token.normalized and normalizer is not None:  # looked for after the normalizer
            part = normalizer.normalize_str(part).strip()
        # An unknown word becomes [UNK] too; here only a typed [UNK] counts.
        if part == token.content:
            typed.append((start, end, token.content))
    return typed
