"""From text to WordPiece tokens, exactly as BERT reads them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, chain, groupby
from types import NoneType
from typing import Any, overload

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

    text: str
    second: str | None = None  # as typed; a blank one is none
    _tokenized: dict[Bert, "TokenizedText"] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @cached_property
    def text_pair(self) -> str | None:
        """The second text; None where there is none."""
        second = expect(self.second, (str, NoneType), "a second text as a str, or None")
        return second if second and second.strip() else None

    def tokenize(self, bert: Bert) -> "TokenizedText":
        """`tokenize` this text and its pair: once, for all views of a page."""
        text = self._tokenized.get(bert)
        if text is None:
            text = tokenize(bert, self.text, self.text_pair)
            self._tokenized.clear()  # another model would be kept in memory
            self._tokenized[bert] = text
        return text


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
        truncated_words: How many words have no token left because of that.
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
    truncated_words: int = 0

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def word_count(self) -> int:
        """How many words and marks have a token here; [CLS] and [SEP] are none."""
        words = set(zip(self.token_type_ids.tolist(), self.word_ids, strict=True))
        return sum(word is not None for _, word in words)

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

    def word_spans(self) -> list[tuple[int, int]]:
        """The span of each token's whole word; (0, 0) for [CLS] and [SEP]."""
        words = list(zip(self.word_ids, self.token_type_ids.tolist(), strict=True))
        spans: dict[tuple[int | None, int], tuple[int, int]] = {}
        for word, (start, end) in zip(words, self.offsets.tolist(), strict=True):
            first, last = spans.get(word, (start, end))
            spans[word] = min(first, start), max(last, end)
        return [(0, 0) if word[0] is None else spans[word] for word in words]

    def as_typed(self, typed: InputText, *, words: bool = False) -> list[str]:
        """Each token, or its whole word, as it was typed; "" for [CLS] and [SEP]."""
        texts = [without_lone_surrogates(part) for part in (typed.text, typed.text_pair or "")]
        spans = self.word_spans() if words else self.offsets.tolist()
        return [
            texts[segment][start:end]
            for segment, (start, end) in zip(self.token_type_ids, spans, strict=True)
        ]

    def last_word(self) -> int:
        """The position where the last word of the first text starts; without words, 1."""
        for position in reversed(range(len(self))):
            word = self.word_ids[position]
            in_first = word is not None and not self.token_type_ids[position]
            if in_first and any(map(str.isalnum, self.tokens[position])):
                return self.word_ids.index(word)
        return min(1, len(self) - 1)

    def columns(self) -> dict[str, Any]:
        """One row a token; the tokenizer's own [CLS] and [SEP] have no characters and no word."""
        spans = [
            (None, None) if word is None else (start, end)
            for word, (start, end) in zip(self.word_ids, self.offsets.tolist(), strict=True)
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
    if isinstance(text, str):
        return tokenize(bert, [text], [text_pair])[0]  # type: ignore[list-item]
    texts = list(expect_each(text, str, "text as a str, or a list of them"))
    pairs: Any = [None] * len(texts) if text_pair is None else text_pair
    second = "a second text as a str, or None, or a list of them"
    pairs = list(expect_each(pairs, (str, NoneType), second))
    if len(pairs) != len(texts):
        raise UserInputError(f"{len(texts)} texts need as many second texts; got {len(pairs)}.")
    clean = without_lone_surrogates
    cleaned = [
        (clean(first), clean(pair)) if pair else clean(first)
        for first, pair in zip(texts, pairs, strict=True)
    ]
    lengths = (len(each) if isinstance(each, str) else sum(map(len, each)) for each in cleaned)
    tokenized: list[TokenizedText] = []
    for _, chunk in groupby(
        zip(accumulate(lengths), cleaned, strict=True), lambda each: each[0] // CHUNK
    ):
        encodings = bert.tokenizer.encode_batch([each for _, each in chunk])  # on all cores
        tokenized += [_text_of(bert, encoding) for encoding in encodings]
    return tokenized


def _text_of(bert: Bert, encoding: Encoding) -> TokenizedText:
    """The tokens of one text; of too many the end of the longer text is cut off."""
    count = len(encoding)
    if not count:  # only where a checkpoint's tokenizer adds no [CLS] and [SEP]
        raise UserInputError(
            f"The text holds no token: the tokenizer of {bert.name} adds none of its own. "
            "Type a word."
        )
    text = TokenizedText(
        tokens=tuple(encoding.tokens),
        input_ids=frozen(encoding.ids, np.int64),
        token_type_ids=frozen(encoding.type_ids, np.int64),
        position_ids=frozen(range(count), np.int64),
        attention_mask=frozen(encoding.attention_mask, np.int64),
        offsets=frozen([*chain.from_iterable(encoding.offsets)], np.int64).reshape(-1, 2),
        word_ids=tuple(encoding.word_ids),
        truncated=0,
        checkpoint=bert.name,
    )
    if count <= bert.max_position_embeddings:
        return text
    sides = encoding.sequence_ids  # None for the tokenizer's own tokens
    first, second, added = (
        [at for at, side in enumerate(sides) if side == which] for which in (0, 1, None)
    )
    room = max(bert.max_position_embeddings - len(added), 0)
    keep_first, keep_second = _longest_first(len(first), len(second), room)
    kept = sorted([*first[:keep_first], *second[:keep_second], *added])
    cut = text.only(kept)
    words = text.word_count - cut.word_count
    return replace(cut, truncated=count - len(kept), truncated_words=words)


def check_each(texts: Iterable[TokenizedText], bert: Bert) -> list[TokenizedText]:
    """The texts; a UserInputError if a checkpoint cannot read one. Many at once take less time."""
    expect(bert, Bert, "a Bert, from load_bert")
    texts = list(expect_each(texts, TokenizedText, "a TokenizedText, from tokenize"))
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
        arrays = [getattr(text, name) for text in texts]
        if [ids.shape for ids in arrays if ids.dtype.kind in "iu"] == shapes:
            ids = np.concatenate([(0,), *arrays])
            if ids.min() == 0 and ids.max() < rows:
                continue
        for text in texts if len(texts) > 1 else ():  # one of them is wrong
            check_each([text], bert)
        (wrong,) = arrays
        if name == "token_type_ids" and rows == wrong.max(initial=0) == 1:
            raise UserInputError(
                f"{bert.name} knows {rows} segment only; leave the second text empty."
            )
        raise UserInputError(
            f"{name} of {bert.name} are {len(texts[0])} whole numbers from 0 to {rows - 1}; "
            f"got {wrong.dtype} {wrong.shape} {shortened(wrong)}."
        )
    return texts


def without_lone_surrogates(text: str) -> str:
    """A text in which each half of a surrogate pair, which no encoding has, becomes U+FFFD."""
    expect(text, str, "text as a str")
    return text if text.isascii() else _SURROGATE.sub(REPLACEMENT, text)


def _longest_first(first: int, second: int, room: int) -> tuple[int, int]:
    """How many pieces each text keeps: `truncation="longest_first"` shortens the longer one."""
    # Of equal shares the odd one goes to the longer text, and to the second between equals.
    less = min(first, second, room // 2)
    return (less, room - less) if first <= second else (room - less, less)
