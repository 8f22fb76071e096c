"""What happens to a text on its way to WordPieces, step by step, with every piece tried."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tokenizers.normalizers import BertNormalizer

from bertviz_core.tokens.tokenized_text import without_lone_surrogates

if TYPE_CHECKING:
    from bertviz_core.bert import Bert

# The switches of BERT's normalizer, in the order in which it works through them.
NORMALIZER_STEPS = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")


@dataclass(frozen=True)
class Step:
    """One step of the normalizer.

    Attributes:
        name: One of `NORMALIZER_STEPS`, or the type of a normalizer that is not BERT's own.
        on: Whether this checkpoint takes the step.
        before: The text as it comes in.
        after: The text as it goes out; the same where the step is off or finds nothing.
        changes: Each character the step changes, once, and what it becomes ("" if it is dropped).
    """

    name: str
    on: bool
    before: str
    after: str
    changes: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Try:
    """One piece looked for in the vocabulary.

    Attributes:
        piece: What was looked for, with ## unless it starts the word.
        start: First character of the piece in its word.
        end: One past its last character.
        token_id: Its row of the token table; None if the vocabulary has no such piece.
    """

    piece: str
    start: int
    end: int
    token_id: int | None


@dataclass(frozen=True)
class WordSearch:
    """The longest-match-first search in one word.

    Attributes:
        word: The word, normalized.
        matches: The tries that were in the vocabulary, in order.
        prefix: What a piece begins with that does not start the word: ##.
        tokens: The pieces found, or the unknown token alone.
        token_ids: Their rows of the token table.
        longest: How many characters a word may have; a longer one is not searched.
        stuck_at: Character at which no piece was found; None if the search reached the end.
    """

    word: str
    matches: tuple[Try, ...]
    prefix: str
    tokens: tuple[str, ...]
    token_ids: tuple[int, ...]
    longest: int
    stuck_at: int | None

    @property
    def tries(self) -> tuple[Try, ...]:
        """All pieces looked for, in order; none where the word is too long to be searched.

        Made anew each time: a word of 100 characters has up to 5,050, and a text many such words.
        """
        return tuple(
            self._try(start, end, token_id if end == last else None)
            for start, last, token_id in self._starts()
            for end in range(len(self.word), last - 1, -1)
        )

    @property
    def try_count(self) -> int:
        """How many `tries` there are."""
        return sum(len(self.word) - last + 1 for _, last, _ in self._starts())

    def _try(self, start: int, end: int, token_id: int | None) -> Try:
        return Try((self.prefix if start else "") + self.word[start:end], start, end, token_id)

    def _starts(self) -> list[tuple[int, int, int | None]]:
        """Where pieces were looked for: first character, end of the last try, what it found."""
        starts = [(match.start, match.end, match.token_id) for match in self.matches]
        if self.stuck_at is not None:
            return [*starts, (self.stuck_at, self.stuck_at + 1, None)]
        return [*starts]

    @property
    def too_long(self) -> bool:
        return len(self.word) > self.longest


@dataclass(frozen=True)
class Fragment:
    """A part of the text: a typed special token, or what stands between two of them.

    Attributes:
        text: The part as it was typed.
        special: The typed token, which skips all steps; None for any other part.
        steps: What the normalizer did, in order.
        words: The words it was split into, each with its search.
    """

    text: str
    special: str | None
    steps: tuple[Step, ...]
    words: tuple[WordSearch, ...]


@dataclass(frozen=True)
class TextTrace:
    """A text on its way to WordPieces.

    Attributes:
        fragments: The parts of the text, in order; blank ones between them are left out.
    """

    fragments: tuple[Fragment, ...]

    @property
    def words(self) -> tuple[WordSearch, ...]:
        """The words of all parts, in order."""
        return tuple(word for part in self.fragments for word in part.words)

    @property
    def tokens(self) -> tuple[str, ...]:
        """The WordPieces of the text, as the tokenizer returns them."""
        tokens: list[str] = []
        for part in self.fragments:
            tokens += [part.special] if part.special is not None else []
            tokens += [token for word in part.words for token in word.tokens]
        return tuple(tokens)

    def reasons_unknown(self, unknown: str) -> tuple[tuple[str, int], ...]:
        """Why words of the text become the unknown token, and how many for each reason.

        Args:
            unknown: The unknown token, [UNK].

        Returns:
            Reasons that occur, among "not covered" (at some character no piece fits what is left,
            however short), "too long" (for the search) and "typed" (the token itself stands in the
            text).
        """
        counts = {
            "not covered": sum(word.stuck_at is not None for word in self.words),
            "too long": sum(word.too_long for word in self.words),
            "typed": sum(part.special == unknown for part in self.fragments),
        }
        return tuple((reason, count) for reason, count in counts.items() if count)


def trace_text(bert: "Bert", text: str) -> TextTrace:
    """Follow a text through the tokenizer of a checkpoint.

    First, typed special tokens are cut from the text. The rest is normalized by the steps that
    the checkpoint's settings ask for and split into words at blanks and punctuation. Each word is
    then cut from the left, each time into the longest piece that the vocabulary has.

    Args:
        bert: The checkpoint whose tokenizer to follow.
        text: Any text; halves of surrogate pairs count as U+FFFD.

    Returns:
        Every step, and the same tokens as the tokenizer's own, without [CLS] and [SEP] around.

    References:
        Wu et al. (2016), section 4.1; `BertNormalizer`, `BertPreTokenizer` and `WordPiece` in
        tokenizers.
    """
    text = without_lone_surrogates(text)
    fragments, done = [], 0
    for start, end, token in _typed_specials(bert, text):
        fragments += _plain(bert, text[done:start])
        fragments.append(Fragment(text[start:end], token, (), ()))
        done = end
    return TextTrace((*fragments, *_plain(bert, text[done:])))


def search_word(bert: "Bert", word: str) -> WordSearch:
    """Cut one word into pieces: from the left, each time the longest one in the vocabulary.

    Args:
        bert: The checkpoint whose vocabulary to search.
        word: A word as the normalizer leaves it. It is not split at blanks or punctuation.

    Returns:
        Every piece tried, and those found. Where no piece fits at some character, not even a
        piece of one character, the whole word becomes the unknown token.

    References:
        `WordPiece` in tokenizers; `WordpieceTokenizer` in google-research/bert.
    """
    model: Any = bert.tokenizer.model
    prefix, longest = model.continuing_subword_prefix, model.max_input_chars_per_word
    matches: list[Try] = []
    stuck_at, start = None, 0
    while len(word) <= longest and start < len(word) and stuck_at is None:
        # What is longer than every token is tried as well, but there is no need to look.
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


def _plain(bert: "Bert", text: str) -> list[Fragment]:
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


def _normalize(bert: "Bert", text: str) -> tuple[Step, ...]:
    normalizer: Any = bert.tokenizer.normalizer
    if normalizer is None:
        return ()
    if not isinstance(normalizer, BertNormalizer):
        return (_step(type(normalizer).__name__, normalizer, text),)
    switches = {name: getattr(normalizer, name) for name in NORMALIZER_STEPS}
    if switches["strip_accents"] is None:  # not set: the same as lower-casing
        switches["strip_accents"] = switches["lowercase"]
    steps: list[Step] = []
    for name in NORMALIZER_STEPS:
        only = BertNormalizer(**{key: key == name and on for key, on in switches.items()})
        step = _step(name, only, steps[-1].after if steps else text)
        steps.append(Step(name, switches[name], step.before, step.after, step.changes))
    return tuple(steps)


def _step(name: str, normalizer: Any, text: str) -> Step:
    after = normalizer.normalize_str(text)
    changes: list[tuple[str, str]] = []
    if after != text:
        became = {char: normalizer.normalize_str(char) for char in dict.fromkeys(text)}
        changes = [(char, result) for char, result in became.items() if char != result]
    return Step(name, True, text, after, tuple(changes))


def _typed_specials(bert: "Bert", text: str) -> list[tuple[int, int, str]]:
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
