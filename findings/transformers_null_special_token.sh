#!/usr/bin/env bash
# transformers 5.23.0: what a fast BERT tokenizer puts around a text when its configuration says
# `"cls_token": null` or `"sep_token": null`.
#
# Guess, written down first: null means "this model has none", so nothing is put there, as with a
# tokenizer of a model without such a token; or the folder is refused.
#
# Seen: a token is put there all the same, and it is not the one of the vocabulary. In place of
# [CLS] comes row 2, in place of [SEP] row 3, which are constants, whatever these rows stand for:
# here an ordinary word. The token is called "None" in `tokens()`, it counts as special in the mask,
# and `decode(..., skip_special_tokens=True)` prints it as a word of the text. In the vocabulary of
# bert-base-uncased rows 2 and 3 are [unused1] and [unused2]: vectors come out, and nothing is said.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet transformers==5.23.0
"$folder/venv/bin/python" - <<'PYTHON'
import json
import tempfile
from pathlib import Path

import transformers
from transformers import AutoTokenizer

print("transformers", transformers.__version__)
VOCABULARY = ["[PAD]", "the", "river", "bank", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "was"]


def read(**null: None) -> tuple[list[int], list[str], list[int], str]:
    """The ids, tokens and mask of special tokens of "the bank", and its text without these."""
    with tempfile.TemporaryDirectory() as made:
        model = Path(made)
        (model / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n")
        (model / "config.json").write_text(json.dumps({"model_type": "bert"}))
        settings = {"tokenizer_class": "BertTokenizer"} | null
        (model / "tokenizer_config.json").write_text(json.dumps(settings))
        tokenizer = AutoTokenizer.from_pretrained(model)
        text = tokenizer("the bank", return_special_tokens_mask=True)
        left = tokenizer.decode(text.input_ids, skip_special_tokens=True)
        return text.input_ids, text.tokens(), text.special_tokens_mask, left


for null in ({}, {"cls_token": None}, {"sep_token": None}):
    print(null or "as it is", *read(**null))
assert read()[0] == [5, 1, 3, 6]
ids, tokens, special, left = read(cls_token=None)
assert (ids, tokens[0], special[0]) == ([2, 1, 3, 6], "None", 1)
assert left.split() == ["river", "the", "bank"]
ids, tokens, special, left = read(sep_token=None)
assert (ids, tokens[-1], special[-1]) == ([5, 1, 3, 3], "None", 1)
assert left.split() == ["the", "bank", "bank"]
PYTHON
