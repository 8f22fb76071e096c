"""The tokenizer of a checkpoint, put together from its files as transformers does it.

`BertTokenizer` takes only the vocabulary and the added tokens from `tokenizer.json`. How a text is
normalized and what the special tokens are called stands in `tokenizer_config.json`, and [CLS] and
[SEP] are always added. So `tokenizer.json` by itself gives other ids where the two files disagree.
It counts as it stands where the settings ask for transformers' general tokenizer.
"""

from collections.abc import Mapping
from typing import Any

from tokenizers import AddedToken, Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import WordPiece

from bertviz_core.checkpoints.checkpoint import (
    TOKENIZER_OPTIONS,
    VOCABULARIES,
    Checkpoint,
)
from bertviz_core.checkpoints.settings import MOST_BYTES, read_json, shown
from bertviz_core.errors import ModelUnavailableError, shortened

TOKENIZER, VOCABULARY = VOCABULARIES
OPTIONS, SPECIAL, ADDED = TOKENIZER_OPTIONS

# Of which transformers 5.23 makes a BertTokenizer, and for which tokenizer.json counts by itself.
_OF_BERT = ("BertTokenizer", "DistilBertTokenizer", "ElectraTokenizer", "MobileBertTokenizer")
_GENERAL = ("PreTrainedTokenizer", "TokenizersBackend")
_OUTER = ("bos_token", "eos_token")
_NAMES = {  # in the order in which they are added, after those two
    "unk_token": "[UNK]",
    "sep_token": "[SEP]",
    "pad_token": "[PAD]",
    "cls_token": "[CLS]",
    "mask_token": "[MASK]",
}
_FURTHER = ("extra_special_tokens", "additional_special_tokens")


def read_tokenizer(checkpoint: Checkpoint, settings: Mapping[str, Any]) -> Tokenizer:
    """Read the tokenizer of a checkpoint.

    Args:
        checkpoint: Where the files lie.
        settings: From `read_settings`.

    Returns:
        A WordPiece tokenizer without padding or truncation, which has its unknown token.

    Raises:
        ModelUnavailableError: A file cannot be read, or holds a tokenizer of another kind.

    References:
        `AutoTokenizer.from_pretrained` and `BertTokenizer` in transformers.
    """
    where = f"The tokenizer of {checkpoint.name} cannot be read"
    try:
        return _Files(checkpoint, settings).tokenizer()
    except ModelUnavailableError:
        raise
    except ValueError as error:
        raise ModelUnavailableError(f"{where}: {error}.") from error
    except Exception as error:  # tokenizers raises bare Exception for what it cannot read
        raise ModelUnavailableError(
            f"{where}; expected {TOKENIZER} or {VOCABULARY} of a BERT."
        ) from error


def special_tokens(tokenizer: Tokenizer) -> frozenset[str]:
    """The tokens that a tokenizer takes for special ones, such as [CLS]."""
    added = tokenizer.get_added_tokens_decoder().values()
    return frozenset(token.content for token in added if token.special)


def check_special_tokens(
    checkpoint: Checkpoint, tokenizer: Tokenizer, settings: Mapping[str, Any]
) -> None:
    """Make sure that the tables have rows for what the tokenizer puts around every text.

    Raises:
        ModelUnavailableError: An id or a segment has no row, or no position is left for a token.
    """
    single, pair = tokenizer.encode(""), tokenizer.encode("", "")
    where = f"The post-processor of {TOKENIZER} of {checkpoint.name}"
    rows, segments = settings["vocab_size"], settings["type_vocab_size"]
    if (highest := max([*single.ids, *pair.ids], default=0)) >= rows:
        raise ModelUnavailableError(f"{where} adds id {highest}, outside a table of {rows}.")
    if (segment := max(single.type_ids, default=0)) >= segments:
        raise ModelUnavailableError(
            f"{where} puts a text into segment {segment}, outside a table of {segments}."
        )
    least = max(len(single.ids) + 1, len(pair.ids))
    if settings["max_position_embeddings"] < least:
        raise ModelUnavailableError(
            f"{checkpoint.settings.name} of {checkpoint.name} gives max_position_embeddings as "
            f"{settings['max_position_embeddings']}; expected at least {least}, so that a text has "
            "room beside the tokens that are always added."
        )


class _Files:
    """The files that make up a tokenizer. What is wrong with one is a ValueError with a reason."""

    def __init__(self, checkpoint: Checkpoint, settings: Mapping[str, Any]) -> None:
        self.name = checkpoint.name
        self.folder = checkpoint.folder
        self.options = self.read_object(OPTIONS)
        self.file = self.read_object(TOKENIZER)
        family = self.options.get("tokenizer_class") or settings.get("tokenizer_class")
        self.family = str(family or _OF_BERT[0]).removesuffix("Fast")
        if self.family not in (*_OF_BERT, *_GENERAL):
            raise ValueError(
                f"{OPTIONS} asks for the tokenizer {shown(self.family)}; expected {_OF_BERT[0]}"
            )

    def tokenizer(self) -> Tokenizer:
        of_bert = self.family in _OF_BERT
        given = self.options
        if "added_tokens_decoder" not in given:
            given = given | self.read_object(SPECIAL)
        named, further = _special_tokens(given)
        added = self.added_tokens({token.content for token in (*named.values(), *further)})
        if of_bert:
            named = {name: named.get(name, _token(text)) for name, text in _NAMES.items()} | named
            tokenizer = self.of_bert(named["unk_token"].content)
        else:
            tokenizer = self.general()
        _add(tokenizer, added, list(named.values()), further)
        if of_bert:
            first, last = (named[name].content for name in ("cls_token", "sep_token"))
            tokenizer.post_processor = processors.TemplateProcessing(
                single=f"{first}:0 $A:0 {last}:0",
                pair=f"{first}:0 $A:0 {last}:0 $B:1 {last}:1",
                special_tokens=[(token, tokenizer.token_to_id(token)) for token in (first, last)],
            )
        # Published files may carry padding and truncation for another use.
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    def of_bert(self, unknown: str) -> Tokenizer:
        """What `BertTokenizer` makes of the vocabulary and the options."""
        words = self.words() if self.file else WordPiece.read_file(self.bounded(VOCABULARY))
        if unknown not in words:
            source = TOKENIZER if self.file else VOCABULARY
            raise ValueError(f"{source} has no {shown(unknown)}, the token for unknown words")
        tokenizer = Tokenizer(WordPiece(words, unk_token=unknown))
        tokenizer.normalizer = normalizers.BertNormalizer(
            lowercase=self.options.get("do_lower_case", True),
            strip_accents=self.options.get("strip_accents"),
            handle_chinese_chars=self.options.get("tokenize_chinese_chars", True),
        )
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.decoder = decoders.WordPiece(prefix="##")
        return tokenizer

    def words(self) -> dict[str, int]:
        """The vocabulary in tokenizer.json."""
        model = self.file.get("model")
        model = model if isinstance(model, dict) else {}
        self.check_kind(model.get("type", "WordPiece"))  # old files leave it out
        words = model.get("vocab")
        if not isinstance(words, dict):
            raise ValueError(f"{TOKENIZER} has no model.vocab, an object of tokens and ids")
        return words

    def general(self) -> Tokenizer:
        """tokenizer.json as it stands."""
        if not self.file:
            raise ValueError(f"{OPTIONS} asks for {self.family}, which is read from {TOKENIZER}")
        tokenizer = Tokenizer.from_file(self.bounded(TOKENIZER))
        model: Any = tokenizer.model
        self.check_kind(type(model).__name__)
        if model.token_to_id(model.unk_token) is None:
            unknown = shown(model.unk_token)
            raise ValueError(f"{TOKENIZER} has no {unknown}, the token for unknown words")
        return tokenizer

    def check_kind(self, kind: object) -> None:
        if kind != "WordPiece":
            raise ModelUnavailableError(
                f"{TOKENIZER} of {self.name} holds a {shortened(kind, 40)} model; "
                "expected WordPiece."
            )

    def added_tokens(self, special: set[str]) -> dict[int, AddedToken]:
        """Tokens beside the vocabulary, by the id they should get; `special` are named as such."""
        if "added_tokens_decoder" in self.options:
            decoder = self.options["added_tokens_decoder"]
            return {int(number): _token(values) for number, values in decoder.items()}
        added = {}
        for content, number in self.read_object(ADDED).items():
            if not isinstance(number, int):
                raise ValueError(f"{ADDED} gives {shown(content)} no id, a whole number")
            is_special = content in special
            added[number] = AddedToken(content, normalized=not is_special, special=is_special)
        for values in self.file.get("added_tokens") or []:
            added[int(values["id"])] = _token({k: v for k, v in values.items() if k != "id"})
        return added

    def read_object(self, name: str) -> dict[str, Any]:
        """One of the JSON files; empty where there is none."""
        if not (self.folder / name).is_file():
            return {}
        try:
            values = read_json(self.folder / name)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
        if not isinstance(values, dict) or (name == TOKENIZER and not values):
            raise ValueError(f"{name}: expected a JSON object")
        return values

    def bounded(self, name: str) -> str:
        """The path of a file that is not too large to be read whole."""
        if (self.folder / name).stat().st_size > MOST_BYTES:
            raise ValueError(f"{name} has more than {MOST_BYTES // 1_000_000} MB")
        return str(self.folder / name)


def _special_tokens(given: Mapping[str, Any]) -> tuple[dict[str, AddedToken], list[AddedToken]]:
    """Those with a name, such as "cls_token", in the library's order; and those without one."""
    further: Any = next((given[name] for name in _FURTHER if given.get(name)), [])
    values = {
        name: value
        for name, value in given.items()
        if name.endswith("_token") and isinstance(value, str | dict)
    }
    if isinstance(further, dict):
        values |= further
        further = []
    order = [name for name in (*_OUTER, *_NAMES) if name in values]
    return {name: _token(values[name]) for name in (*order, *values)}, [_token(t) for t in further]


def _token(value: str | Mapping[str, Any]) -> AddedToken:
    """A token as the files write it: its text, or an object with the way it is looked for."""
    if isinstance(value, str):
        return AddedToken(value, special=True)
    content = value.get("content") if isinstance(value, dict) else None
    if not isinstance(content, str):
        raise ValueError(f"{shown(value)} stands where a token should; expected its text")
    ways = ("single_word", "lstrip", "rstrip", "normalized", "special")
    return AddedToken(content, **{way: value[way] for way in ways if way in value})


def _add(
    tokenizer: Tokenizer,
    added: Mapping[int, AddedToken],
    named: list[AddedToken],
    further: list[AddedToken],
) -> None:
    """Add tokens to a tokenizer; those that its vocabulary lacks get the ids after the last one."""
    tokens = [added[number] for number in sorted(added)]
    known = {token.content for token in tokenizer.get_added_tokens_decoder().values()}
    known |= {token.content for token in tokens}
    for token in (*named, *further):
        if token.content not in known:
            known.add(token.content)
            tokens.append(token)
    names = {token.content for token in named}
    for token in tokens:
        token.special = token.special or token.content in names
    tokenizer.add_tokens(tokens)
