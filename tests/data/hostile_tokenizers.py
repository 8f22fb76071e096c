"""Tokenizers as an operator may have them by accident; see `hostile_checkpoints`."""

import json
from pathlib import Path
from typing import Any

from tokenizers import BertWordPieceTokenizer

from tests.data.damage import add_rows, change_json, opened, refused


def rename_token(folder: Path, token: str, other: str) -> None:
    path = folder / "vocab.txt"
    lines = path.read_text().splitlines()
    path.write_text("\n".join(other if line == token else line for line in lines) + "\n")


def tokenizer_file(folder: Path, kind: str = "BertTokenizer") -> dict[str, Any]:
    """What `tokenizer.json` of this vocabulary holds; the class it is for is set as well."""
    change_json(folder / "tokenizer_config.json", tokenizer_class=kind)
    tokenizer = BertWordPieceTokenizer(str(folder / "vocab.txt"))
    values: dict[str, Any] = json.loads(tokenizer.to_str())
    return values


def write(folder: Path, values: dict[str, Any]) -> None:
    (folder / "tokenizer.json").write_text(json.dumps(values))


@refused(r"vocab\.txt has no “\[UNK\]”")
def no_unknown_token(folder: Path) -> None:
    rename_token(folder, "[UNK]", "[unk]")


@refused(r"tokenizer\.json has no “\[UNK\]”")
def no_unknown_token_in_tokenizer_json(folder: Path) -> None:
    values = tokenizer_file(folder)
    values["model"]["vocab"]["[unk]"] = values["model"]["vocab"].pop("[UNK]")
    write(folder, values)


@refused(r"has no “\[UNK\]”")
def no_unknown_token_in_a_tokenizer_of_no_class(folder: Path) -> None:
    values = tokenizer_file(folder, "PreTrainedTokenizerFast")
    values["added_tokens"] = [t for t in values["added_tokens"] if t["content"] != "[UNK]"]
    values["model"]["vocab"]["[unk]"] = values["model"]["vocab"].pop("[UNK]")
    write(folder, values)


@refused(r"vocab\.txt has no “\[NOPE\]”")
def another_unknown_token(folder: Path) -> None:
    change_json(folder / "tokenizer_config.json", unk_token="[NOPE]")


@refused(r"token '\[SEP\]' has id 40, outside a table of 40")
def no_separator(folder: Path) -> None:
    rename_token(folder, "[SEP]", "[sep]")


@refused(r"post-processor of tokenizer\.json of mine adds id 999, outside a table of 40")
def a_post_processor_outside_the_table(folder: Path) -> None:
    values = tokenizer_file(folder, "PreTrainedTokenizerFast")
    write(folder, with_cls_id(values, 999))


@refused("asks for the tokenizer “RobertaTokenizer”")
def a_tokenizer_of_another_family(folder: Path) -> None:
    change_json(folder / "tokenizer_config.json", tokenizer_class="RobertaTokenizer")


@refused(r"added_tokens\.json")
def added_tokens_of_no_kind(folder: Path) -> None:
    (folder / "added_tokens.json").write_text('{"[NEW]": {"id": []}}')


@refused(r"token '\[NEW\]' has id 40, outside a table of 40")
def added_tokens_without_a_row(folder: Path) -> None:
    (folder / "added_tokens.json").write_text('{"[NEW]": 40}')


@opened
def added_tokens_with_a_row(folder: Path) -> None:
    add_rows(folder, 3)
    (folder / "added_tokens.json").write_text('{"snakes": 40, "the king": 41}')


@opened
def added_tokens_in_the_settings(folder: Path) -> None:
    add_rows(folder, 3)
    token = {"lstrip": True, "rstrip": False, "normalized": False, "single_word": False}
    tokens = {"40": {"content": "<e1>", "special": True, **token}}
    change_json(folder / "tokenizer_config.json", added_tokens_decoder=tokens)
    (folder / "added_tokens.json").write_text('{"snakes": 41}')  # not read any more


@opened
def further_special_tokens(folder: Path) -> None:
    add_rows(folder, 3)
    change_json(folder / "special_tokens_map.json", additional_special_tokens=["<e1>", "<e2>"])


@opened
def other_names_of_special_tokens(folder: Path) -> None:
    rename_token(folder, "[SEP]", "</s>")
    rename_token(folder, "[UNK]", "<unk>")
    change_json(folder / "special_tokens_map.json", sep_token="</s>", unk_token="<unk>")


@opened
def no_separator_but_a_row_for_it(folder: Path) -> None:
    rename_token(folder, "[SEP]", "[sep]")
    add_rows(folder, 2)


@opened
def an_unknown_token_that_bert_does_not_use(folder: Path) -> None:
    values = tokenizer_file(folder)
    values["model"]["unk_token"] = "[NOPE]"
    write(folder, values)


@opened
def a_post_processor_that_bert_does_not_use(folder: Path) -> None:
    write(folder, with_cls_id(tokenizer_file(folder), 999))


@opened
def no_post_processor(folder: Path) -> None:
    write(folder, tokenizer_file(folder) | {"post_processor": None})


@opened
def no_post_processor_and_no_class(folder: Path) -> None:
    values = tokenizer_file(folder, "PreTrainedTokenizerFast")
    write(folder, values | {"post_processor": None})


@opened
def lower_case_against_the_settings(folder: Path) -> None:
    rename_token(folder, "dog", "Dog")
    write(folder, tokenizer_file(folder))
    change_json(folder / "tokenizer_config.json", do_lower_case=False)


@opened
def upper_case_against_the_settings(folder: Path) -> None:
    values = tokenizer_file(folder)
    values["normalizer"]["lowercase"] = False
    write(folder, values)


@opened
def upper_case_of_no_class(folder: Path) -> None:
    rename_token(folder, "dog", "Dog")
    values = tokenizer_file(folder, "PreTrainedTokenizerFast")
    values["normalizer"]["lowercase"] = False
    write(folder, values)


@opened
def a_vocabulary_file_beside_tokenizer_json(folder: Path) -> None:
    write(folder, tokenizer_file(folder))
    (folder / "vocab.txt").write_text("[UNK]\n")


def with_cls_id(values: dict[str, Any], token_id: int) -> dict[str, Any]:
    special = {"id": "[CLS]", "ids": [token_id], "tokens": ["[CLS]"]}
    piece = [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}]
    first = [*piece, {"Sequence": {"id": "A", "type_id": 0}}]
    values["post_processor"] = {
        "type": "TemplateProcessing",
        "single": first,
        "pair": [*first, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"[CLS]": special},
    }
    return values
