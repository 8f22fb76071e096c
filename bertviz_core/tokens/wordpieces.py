"""The steps from a text to WordPieces: normalizer, words, and the search for their pieces."""

from dataclasses import dataclass
from typing import Any

from tokenizers.normalizers import BertNormalizer

from bertviz_core.bert import Bert
from bertviz_core.tokens.tokenized_text import without_lone_surrogates
from bertviz_core.tokens.word_search import WordSearch, search_word

# The switches of BERT's normalizer, in their order.
NORMALIZER_STEPS = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")


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
