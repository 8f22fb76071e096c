"""The embedded model and what transformers make of it: what all other software is compared with."""

import csv
import json
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numpy as np

from benchmarks.app_server import EMBEDDED
from bertviz_core.arrays import Exact
from bertviz_core.bert import load_bert

OUTSIDE = Path(__file__).parent.parent / "outside"
REFERENCE = f"transformers {version('transformers')}, tokenizers {version('tokenizers')}"


@cache
def folder() -> Path:
    """The files of the embedded model."""
    return load_bert(EMBEDDED).checkpoint.folder


def scripts() -> list[str]:
    """Short texts of many scripts and kinds; each has something that tokenizers differ in."""
    with (OUTSIDE / "scripts.tsv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [json.loads(row["text as JSON"]) for row in rows]


def sentences() -> list[str]:
    """A hundred sentences of plain English."""
    return (OUTSIDE / "notes.txt").read_text(encoding="utf-8").splitlines()[:100]


def ids(texts: list[str]) -> list[list[int]]:
    """What transformers' own tokenizer makes of texts, none of them cut."""
    from transformers import BertTokenizerFast

    tokenizer = BertTokenizerFast.from_pretrained(folder())
    return [tokenizer(text, verbose=False).input_ids for text in texts]


def mean_vectors(texts: list[str], gelu: str = "gelu") -> Exact:
    """The mean of all tokens of each text after the last layer, each text by itself."""
    import torch
    from transformers import BertModel

    torch.set_num_threads(1)
    model = BertModel.from_pretrained(folder(), hidden_act=gelu).eval()
    with torch.inference_mode():
        states = [model(torch.tensor([one])).last_hidden_state[0] for one in ids(texts)]
    return np.array([one.double().mean(dim=0).numpy() for one in states])
