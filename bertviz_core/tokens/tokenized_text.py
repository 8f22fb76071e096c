"""From text to WordPiece tokens, exactly as BERT reads them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, groupby
from types import NoneType
from typing import TYPE_CHECKING, Any, ClassVar, overload

import numpy as np
from tokenizers import Encoding

from bertviz_core.arrays import Ids, frozen
from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError, expect, expect_each, shortened
from bertviz_core.result import Result

Texts = Iterable[str]  # a list, tuple, array, column or generator; a str is one text
REPLACEMENT = "\ufffd"
_SURROGATE = re.compile("[\ud800-\udfff]")
CHUNK = 250_000  # characters that are cut into tokens at once, beside a longer text
MAX_PRINTED = 20  # tokens


@dataclass(frozen=True)
class InputText:
    """What was typed: a text, and the second text of a pair if there is one."""

    text: str  # the first text
    text_pair: str | None = None  # the second text; a blank one becomes None

    def __post_init__(self) -> None:
        pair = expect(self.text_pair, (str, NoneType), "a second text as a str, or None")
        if pair is not None and not pair.strip():
            object.__setattr__(self, "text_pair", None)

    def tokenize(self, bert: Bert) -> "TokenizedText":
        """`tokenize` this text and its pair: once, for all views of a page."""
        kept: tuple[Bert, TokenizedText] | None = self.__dict__.get("_kept")
        if kept is None or kept[0] is not bert:
            kept = bert, next(_tokenized(bert, [(self.text, self.text_pair)]))
            object.__setattr__(self, "_kept", kept)
        return kept[1]


@dataclass(frozen=True, eq=False, repr=False)
class TokenizedText(Result):
    """A text, or a pair of texts, as the sequence of seq_len tokens that enters BERT.

    Attributes:
        tokens: WordPiece at each position, [CLS] and [SEP] included.
        input_ids: int64 (seq_len,), row of the token table.
        token_type_ids: int64 (seq_len,), segment: 0 for the first text, 1 for the second.
        position_ids: int64 (seq_len,), 0, 1, 2, ...
        attention_mask: int64 (seq_len,), all ones: `tokenize` pads nothing.
        offsets: int64 (seq_len, 2), first and one-past-last character of each token in its own
            text; (0, 0) for [CLS] and [SEP].
        word_ids: Number of the word each token belongs to, counted anew in the second text; None
            for [CLS] and [SEP].
        truncated: How many tokens were left out because the model has no position for them.
        checkpoint: Name of the checkpoint whose tokenizer was used.
    """

    tokens: tuple[str, ...]
    input_ids: Ids
    token_type_ids: Ids
    position_ids: Ids
    attention_mask: Ids
    offsets: Ids
    word_ids: tuple[int | None, ...]
    truncated: int
    checkpoint: str
    # What the tokenizer made. The fields that it holds are made of it when they are asked for: to
    # make them of each text took ten times as long as the tokenizer (16 cores).
    _encoding: ClassVar[Encoding | None] = None

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if self._encoding is None or name not in _MADE:
                raise AttributeError(f"TokenizedText has no {name}", name=name, obj=self)
            return vars(self).setdefault(name, _MADE[name](self._encoding))

    def __len__(self) -> int:
        return len(self.tokens if self._encoding is None else self._encoding)

    def only(self, kept: Sequence[int]) -> "TokenizedText":
        """Some of the tokens, by their rising places; their positions are numbered anew."""
        names = ("input_ids", "token_type_ids", "attention_mask", "offsets")
        arrays: Any = {name: frozen(getattr(self, name)[kept], np.int64) for name in names}
        return replace(
            self,
            tokens=tuple(self.tokens[i] for i in kept),
            word_ids=tuple(self.word_ids[i] for i in kept),
            position_ids=frozen(range(len(kept)), np.int64),
            **arrays,
        )

    @property
    def spans(self) -> list[tuple[int, int]]:
        """`offsets` as numbers of Python, in a third of the time."""
        return self.offsets.tolist() if self._encoding is None else self._encoding.offsets

    def word_spans(self) -> list[tuple[int, int]]:
        """The span of each token's whole word; (0, 0) for [CLS] and [SEP]."""
        words = list(zip(self.word_ids, self.token_type_ids.tolist(), strict=True))
        whole: dict[tuple[int | None, int], tuple[int, int]] = {}
        for word, (start, end) in zip(words, self.spans, strict=True):
            first, last = whole.get(word, (start, end))
            whole[word] = min(first, start), max(last, end)
        return [(0, 0) if word[0] is None else whole[word] for word in words]

    def as_typed(self, typed: InputText, *, words: bool = False) -> list[str]:
        """Each token, or its whole word, as it was typed; "" for [CLS] and [SEP]."""
        texts = [without_lone_surrogates(part) for part in (typed.text, typed.text_pair or "")]
        spans = self.word_spans() if words else self.spans
        return [
            texts[segment][start:end]
            for segment, (start, end) in zip(self.token_type_ids, spans, strict=True)
        ]

    def last_word(self) -> int:
        """The position where the last word of the first text starts; without words, 1."""
        for position in reversed(range(len(self))):
            word, in_second = self.word_ids[position], self.token_type_ids[position]
            if word is not None and not in_second and any(map(str.isalnum, self.tokens[position])):
                return self.word_ids.index(word)
        return min(1, len(self) - 1)

    def columns(self) -> dict[str, Any]:
        """One row a token; the tokenizer's own [CLS] and [SEP] have no characters and no word."""
        spans = [
            (None, None) if word is None else (start, end)
            for word, (start, end) in zip(self.word_ids, self.spans, strict=True)
        ]
        return {
            "position": self.position_ids,
            "token": self.tokens,
            "token id": self.input_ids,
            "segment": ["AB"[segment] for segment in self.token_type_ids.tolist()],
            "from character": [start for start, _ in spans],
            "to character": [end for _, end in spans],
            "word": self.word_ids,
            "attention_mask": self.attention_mask,
        }

    def _summary(self) -> str:
        cut_off = f", {self.truncated:,} more cut off" if self.truncated else ""
        tokens = " ".join(self.tokens[:MAX_PRINTED]) + (" …" if len(self) > MAX_PRINTED else "")
        return f"{self.checkpoint}, {len(self):,} tokens{cut_off}: {tokens}"


@overload
def tokenize(bert: Bert, text: str, text_pair: str | None = None) -> TokenizedText: ...  # type: ignore[overload-overlap]
@overload
def tokenize(bert: Bert, text: Texts, text_pair: Texts | None = None) -> list[TokenizedText]: ...
def tokenize(
    bert: Bert, text: str | Texts, text_pair: str | Texts | None = None
) -> TokenizedText | list[TokenizedText]:
    """Cut a text, or a pair of texts, into WordPieces between [CLS] and [SEP].

    Any string is accepted. Characters that BERT's cleaning drops (control characters, halves of
    surrogate pairs) leave no token. Where there are more tokens than `max_position_embeddings`,
    the end is cut off, first that of the longer text.

    Args:
        bert: The checkpoint whose tokenizer to use.
        text: The first text, or a list of texts.
        text_pair: The second text; None, or an empty one as in the library, for a single text.
            Of a list of texts a list as long.

    Returns:
        At most `max_position_embeddings` tokens; of a list a list, one for each text.

    Raises:
        TypeError: What was given is not text.
        UserInputError: There is not a single token. That can only be where the tokenizer of a
            checkpoint adds no [CLS] and [SEP].

    References:
        Devlin et al. (2019), section 3; `BertTokenizer(text, text_pair, truncation=True)`.

    Example:
        >>> tokenize(bert, "I love pythons").tokens
        ('[CLS]', 'i', 'love', 'python', '##s', '[SEP]')
    """
    expect(bert, Bert, "a Bert, from load_bert")
    second = "a second text as a str, or None, or a list of them"
    if not isinstance(text, str):
        texts = list(expect_each(text, str, "text as a str, or a list of them"))
        given = [None] * len(texts) if text_pair is None else text_pair
        pairs = list(expect_each(given, (str, NoneType), second))
        if len(pairs) != len(texts):
            raise UserInputError(f"{len(texts)} texts need as many second texts; got {len(pairs)}.")
        return list(_tokenized(bert, zip(texts, pairs, strict=True)))
    return next(_tokenized(bert, [(text, expect(text_pair, (str, NoneType), second))]))


def _tokenized(bert: Bert, texts: Iterable[tuple[str, str | None]]) -> Iterator[TokenizedText]:
    """`tokenize` some texts with their pairs, on all cores."""
    clean = without_lone_surrogates
    cleaned = [(clean(first), clean(second)) if second else clean(first) for first, second in texts]
    ends = accumulate(len(one) if isinstance(one, str) else sum(map(len, one)) for one in cleaned)
    for _, some in groupby(zip(ends, cleaned, strict=True), lambda each: each[0] // CHUNK):
        for encoding in bert.tokenizer.encode_batch([one for _, one in some]):
            yield _text_of(bert, encoding)


def _text_of(bert: Bert, encoding: Encoding) -> TokenizedText:
    if not len(encoding):  # only where a checkpoint's tokenizer adds no [CLS] and [SEP]
        raise UserInputError(
            f"The text holds no token: the tokenizer of {bert.name} adds none of its own. "
            "Type a word."
        )
    text = object.__new__(TokenizedText)
    vars(text).update(_encoding=encoding, checkpoint=bert.name, truncated=0)
    if len(encoding) <= bert.max_position_embeddings:
        return text
    of = list(enumerate(encoding.sequence_ids))  # None for the tokenizer's own tokens
    first, second, own = ([at for at, side in of if side == which] for which in (0, 1, None))
    room = max(bert.max_position_embeddings - len(own), 0)
    keep_first, keep_second = _longest_first(len(first), len(second), room)
    kept = sorted([*first[:keep_first], *second[:keep_second], *own])
    return replace(text.only(kept), truncated=len(encoding) - len(kept))


_MADE = {
    "tokens": lambda made: tuple(made.tokens),
    "input_ids": lambda made: frozen(made.ids, np.int64),
    "token_type_ids": lambda made: frozen(made.type_ids, np.int64),
    "position_ids": lambda made: frozen(range(len(made)), np.int64),
    "attention_mask": lambda made: frozen(made.attention_mask, np.int64),
    "offsets": lambda made: frozen([*chain.from_iterable(made.offsets)], np.int64).reshape(-1, 2),
    "word_ids": lambda made: tuple(made.word_ids),
}


def check_each(texts: Sequence[TokenizedText], bert: Bert) -> None:
    """Raise a UserInputError if a checkpoint cannot read a text; many at once take less time."""
    expect(bert, Bert, "a Bert, from load_bert")
    for text in texts:
        if text.checkpoint != bert.name:
            raise UserInputError(
                f"The text was cut into tokens for {text.checkpoint}, not for {bert.name}; "
                "tokenize it again."
            )
    shapes = [(len(text),) for text in texts]
    for name, rows in (
        ("input_ids", bert.vocab_size),
        ("token_type_ids", bert.type_vocab_size),
        ("position_ids", bert.max_position_embeddings),
    ):
        given = [getattr(text, name) for text in texts]
        if [ids.shape for ids in given if ids.dtype.kind in "iu"] == shapes:
            ids = np.concatenate([(0,), *given])
            if ids.min() == 0 and ids.max() < rows:
                continue
        for text in texts if len(texts) > 1 else ():  # one of them is wrong
            check_each([text], bert)
        (wrong,) = given
        if name == "token_type_ids" and rows == wrong.max(initial=0) == 1:
            raise UserInputError(
                f"{bert.name} knows {rows} segment only; leave the second text empty."
            )
        raise UserInputError(
            f"{name} of {bert.name} are {len(texts[0])} whole numbers from 0 to {rows - 1}; "
            f"got {wrong.dtype} {wrong.shape} {shortened(wrong)}."
        )


def without_lone_surrogates(text: str) -> str:
    """A text in which each half of a surrogate pair, which no encoding has, becomes U+FFFD."""
    expect(text, str, "text as a str")
    return text if text.isascii() else _SURROGATE.sub(REPLACEMENT, text)


def _longest_first(first: int, second: int, room: int) -> tuple[int, int]:
    """How many pieces each text keeps: `truncation="longest_first"` shortens the longer one."""
    # Of equal shares the odd one goes to the longer text, and to the second between equals.
    less = min(first, second, room // 2)
    return (less, room - less) if first <= second else (room - less, less)
