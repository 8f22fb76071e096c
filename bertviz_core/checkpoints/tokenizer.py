"""The tokenizer of a checkpoint, put together from its files as transformers does it.

`BertTokenizer` takes only the vocabulary and the added tokens from `tokenizer.json`. How a text is
normalized and what the special tokens are called is in `tokenizer_config.json`, and [CLS] and
[SEP] are always added. So `tokenizer.json` by itself gives other ids where the two files disagree.
It is used unchanged where the settings ask for transformers' general tokenizer.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import WordPiece

from bertviz_core.checkpoints.checkpoint import (
    TOKENIZER_OPTIONS,
    VOCABULARIES,
    Checkpoint,
    read_json,
)
from bertviz_core.checkpoints.settings import brief
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
_FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")

WithMask = tuple[Tokenizer, str | None]  # and its [MASK], as it calls it; None without one


def read_tokenizer(checkpoint: Checkpoint, settings: Mapping[str, Any]) -> WithMask:
    """The checkpoint's `AutoTokenizer.from_pretrained`, without padding or truncation."""
    try:
        tokenizer, mask = _read(checkpoint.folder, settings)
    except Exception as error:  # tokenizers raises bare Exception for what it cannot read
        raise ModelUnavailableError(
            f"The tokenizer of {checkpoint.name} cannot be read: {shortened(error, 200)}."
        ) from error
    # Published files may carry padding and truncation for another use.
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer, mask


def special_tokens(tokenizer: Tokenizer) -> frozenset[str]:
    """The tokens that a tokenizer takes for special ones, such as [CLS]."""
    added = tokenizer.get_added_tokens_decoder().values()
    return frozenset(token.content for token in added if token.special)


def _read(folder: Path, settings: Mapping[str, Any]) -> WithMask:
    options = _object(folder, OPTIONS)
    file = _object(folder, TOKENIZER)
    family = options.get("tokenizer_class") or settings.get("tokenizer_class") or _OF_BERT[0]
    family = family.removesuffix("Fast")
    if family not in (*_OF_BERT, *_GENERAL):
        raise ValueError(f"{OPTIONS} asks for {brief(family)}; expected {_OF_BERT[0]}")
    kind = file.get("model", {}).get("type", "WordPiece")  # old files leave it out
    if kind != "WordPiece":
        raise ValueError(f"{TOKENIZER} holds a {kind} model; expected WordPiece")
    in_options = "added_tokens_decoder" in options
    given = options if in_options else options | _object(folder, SPECIAL)
    special, further = _special_tokens(given)
    texts = {token.content for token in (*special.values(), *further)}
    added = _added_tokens(folder, options, file, texts)
    if family in _OF_BERT:
        # A role that is null has no token; one that is not given has the usual one.
        usual = {name: text for name, text in _NAMES.items() if given.get(name, text) is not None}
        special = {name: special.get(name, _token(text)) for name, text in usual.items()} | special
        unknown = special["unk_token"].content if "unk_token" in special else "None"
        words = file["model"]["vocab"] if file else _words(folder / VOCABULARY)
        # Without a row in the table a token has no vector: such words fall into shorter pieces.
        words = {word: row for word, row in words.items() if row < settings["vocab_size"]}
        tokenizer = _of_bert(words, options, unknown)
    else:
        tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    model: Any = tokenizer.model
    if model.token_to_id(model.unk_token) is None:
        raise ValueError(f"it has no {brief(model.unk_token)}, the token for unknown words")
    names = {role: token.content for role, token in special.items()}
    for token in added:
        token.special = token.special or token.content in names.values()
    # The first of one content counts; what the vocabulary lacks gets the ids after its last one.
    tokenizer.add_tokens([*added, *special.values(), *further])
    ids = tokenizer.get_vocab()
    last, number = max(ids.items(), key=lambda entry: entry[1])
    if number >= settings["vocab_size"]:
        raise ValueError(f"{last!r} has id {number}; the table has {settings['vocab_size']:,} rows")
    if family in _OF_BERT:
        sep, cls = (
            (names[role], ids[names[role]]) if role in names else ("None", number)
            for role, number in (("sep_token", 3), ("cls_token", 2))
        )  # what is null, the library calls None, with these ids
        tokenizer.post_processor = processors.BertProcessing(sep, cls)
    return tokenizer, names.get("mask_token")


def _of_bert(words: dict[str, int], options: Mapping[str, Any], unknown: str) -> Tokenizer:
    """What `BertTokenizer` makes of the vocabulary and the options."""
    tokenizer = Tokenizer(WordPiece(words, unk_token=unknown))
    tokenizer.normalizer = normalizers.BertNormalizer(
        lowercase=options.get("do_lower_case", True),
        strip_accents=options.get("strip_accents"),
        handle_chinese_chars=options.get("tokenize_chinese_chars", True),
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece(prefix="##")
    return tokenizer


def _words(file: Path) -> dict[str, int]:
    """One token a line, without the mark and the blank last lines that some editors write."""
    lines = file.read_text(encoding="utf-8-sig").rstrip().split("\n")
    return {line.rstrip(): number for number, line in enumerate(lines)}


def _object(folder: Path, name: str) -> dict[str, Any]:
    """One of the JSON files; empty where there is none."""
    if not (folder / name).is_file():
        return {}
    try:
        return read_json(folder / name)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def _special_tokens(given: Mapping[str, Any]) -> tuple[dict[str, AddedToken], list[AddedToken]]:
    """Those with a name, such as "cls_token", in the library's order; and those without one."""
    further: Any = next((given[name] for name in _FURTHER if given.get(name)), [])
    extra = further if isinstance(further, dict) else {}
    tokens = {name: value for name, value in given.items() if isinstance(value, str | dict)}
    special = {name: tokens[name] for name in tokens if name.endswith("_token")} | extra
    order = [name for name in (*_OUTER, *_NAMES, *special) if name in special]
    return (
        {name: _token(special[name]) for name in order},
        [_token(token) for token in further if not extra],
    )


def _token(value: str | Mapping[str, Any]) -> AddedToken:
    """A token as the files write it: its text, or an object with the way it is looked for."""
    if isinstance(value, str):
        return AddedToken(value, special=True)
    return AddedToken(value["content"], **{flag: value[flag] for flag in _FLAGS if flag in value})


def _added_tokens(
    folder: Path, options: Mapping[str, Any], file: Mapping[str, Any], special: set[str]
) -> list[AddedToken]:
    """Tokens beside the vocabulary, in the order of their ids; `special` are named as such."""
    if "added_tokens_decoder" in options:
        decoder = options["added_tokens_decoder"]
        added = {int(number): _token(values) for number, values in decoder.items()}
    else:
        added = {
            number: AddedToken(token, normalized=token not in special, special=token in special)
            for token, number in _object(folder, ADDED).items()
        }
        added |= {int(values["id"]): _token(values) for values in file.get("added_tokens") or []}
    return [added[number] for number in sorted(added)]
