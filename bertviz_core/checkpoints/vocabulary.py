"""The rows of the token table by name: which token each row is, and of what kind."""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from bertviz_core.arrays import read_only
from bertviz_core.errors import UserInputError
from bertviz_core.result import Readable

Keep = Literal["all", "words", "subwords"]
KEEPS: tuple[Keep, ...] = ("all", "words", "subwords")

SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")  # as BERTs of Google name them
KINDS = ("word", "subword", "digit", "other script", "sign", "one letter", "unused", "special")
UNREACHED = "no text reaches it"
# The same as pages say it.
KIND_NAMES = tuple({"unused": UNREACHED, "subword": "## subword"}.get(k, k) for k in KINDS)


@dataclass(frozen=True, eq=False, repr=False)
class Vocabulary(Readable):
    """The WordPieces of a checkpoint, one for each row of its token table."""

    tokens: tuple[str, ...]  # of each id; "" for a row that no token names
    ids: Mapping[str, int]
    unknown: str  # stands for words without pieces; some tokenizers call it <unk>
    mask: str | None  # None where the tokenizer has none
    prefix: str  # of pieces that continue a word; "" where nothing tells them
    tokenizer: Tokenizer = field(repr=False)  # that reads them
    is_subword: NDArray[np.bool_]  # bool (vocab_size,), pieces that continue a word ("##ing")
    is_special: NDArray[np.bool_]  # those that the tokenizer names, such as [CLS]

    @cached_property
    def is_unused(self) -> NDArray[np.bool_]:
        """Rows that no text reaches: bool (vocab_size,), read-only; found in 0.1 s.

        Those that no token names, [unused0] and the like, and whatever else the tokenizer cuts
        before it looks pieces up: "##!", because it takes a sign for a word.
        """
        read = partial(self.tokenizer.encode, add_special_tokens=False)
        # What follows a word that begins no other token must continue it.
        word = ""
        for one, following in pairwise([*sorted(self.tokens), ""]):
            if one.isalpha() and not following.startswith(one) and read(one).tokens == [one]:
                word = one
                break
        both = zip(self.tokens, self.is_subword.tolist(), strict=True)
        texts = [word + one.removeprefix(self.prefix) if goes_on else one for one, goes_on in both]
        encodings = self.tokenizer.encode_batch(texts, add_special_tokens=False)
        is_unused = ~self.is_special
        is_unused[[token_id for each in encodings for token_id in each.ids]] = False
        return read_only(is_unused)

    @property
    def is_ordinary(self) -> NDArray[np.bool_]:
        """bool (vocab_size,), true for tokens that are neither special nor unused; a new array."""
        return ~(self.is_special | self.is_unused)

    def allowed(self, keep: Keep, *, unused: bool = False) -> NDArray[np.bool_]:
        """Which rows a search may return: bool (vocab_size,), a new array."""
        if keep not in KEEPS:
            raise UserInputError(f"There is no choice “{keep}”; choose {', '.join(KEEPS)}.")
        rows = ~self.is_unused if not unused else np.ones(len(self.tokens), dtype=bool)
        if keep == "words":  # tokens that can stand alone: whole words and signs
            rows &= ~(self.is_subword | self.is_special)
        elif keep == "subwords":
            rows &= self.is_subword
        return rows

    def continues(self, token: str) -> bool:
        """Whether a token is written as a piece that continues a word."""
        return bool(self.prefix) and token.startswith(self.prefix) and token != self.prefix

    @cached_property
    def longest(self) -> int:
        """Characters of the longest token, ## included."""
        return max(map(len, self.tokens))

    @cached_property
    def kinds(self) -> NDArray[np.int8]:
        """The kind of each token as an index of `KINDS`: int8 (vocab_size,), read-only."""
        kinds = np.array([KINDS.index(_kind_of_text(one)) for one in self.tokens], dtype=np.int8)
        kinds[self.is_subword] = KINDS.index("subword")
        kinds[self.is_unused] = KINDS.index("unused")
        kinds[self.is_special] = KINDS.index("special")
        return read_only(kinds)


def vocabulary(
    tokenizer: Tokenizer,
    vocab_size: int,
    special: Iterable[str] = SPECIAL_TOKENS,
    mask: str | None = "[MASK]",
) -> Vocabulary:
    """Order a tokenizer's tokens by id and sort them into kinds."""
    ids = tokenizer.get_vocab()
    tokens = [""] * vocab_size
    for token, token_id in ids.items():
        tokens[token_id] = token
    pieces: Any = tokenizer.model
    unknown, prefix = pieces.unk_token, pieces.continuing_subword_prefix
    subword = [bool(prefix) and token.startswith(prefix) and token != prefix for token in tokens]
    kinds = np.array([subword, np.zeros(vocab_size)], dtype=bool)
    kinds[1, [ids[token] for token in (*special, unknown) if token in ids]] = True
    return Vocabulary(tuple(tokens), ids, unknown, mask, prefix, tokenizer, *read_only(kinds))


def _kind_of_text(token: str) -> str:
    """The kind of a token by its characters alone."""
    if token.isascii() and token.isalpha():  # most tokens
        return "word" if len(token) > 1 else "one letter"
    classes = {unicodedata.category(c)[0] for c in token}
    if not classes & {"L", "M", "N"}:
        return "sign"
    if classes == {"N"}:
        return "digit"
    letters = (c for c in token if not c.isascii() and unicodedata.category(c)[0] in "LM")
    # Accents, which are COMBINING, stand on any letter.
    if not all(unicodedata.name(c, "").startswith(("LATIN ", "COMBINING ")) for c in letters):
        return "other script"
    return "one letter" if len(token) == 1 else "word"
