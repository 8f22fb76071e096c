"""The program of a view, as a visitor sees it: its template with a model and values put in.

A template is a program in which some lines end in `...`:

- `row = ...` gets a value of the view, as a literal;
- `tokenizer, model, inputs = ...` loads those that are named from the checkpoint in use, and
  tokenizes the values `text` and `text_pair`;
- `read, states = ...` defines functions of `program_functions.py`.

A program gets the lines of `IMPORTS` whose names it uses.
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from pprint import pformat
from typing import Any

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.weights import PLAIN, stored_tensors
from bertviz_core.tokens.tokenized_text import without_lone_surrogates

MAX_WIDTH = 96  # of a line with a value
LOADED = ("tokenizer", "model", "inputs")
IMPORTS = """\
import re
import unicodedata
from collections.abc import Sequence
from importlib.metadata import distribution
from itertools import combinations, pairwise, permutations
from typing import Any

import numpy as np
import torch
from scipy.stats import rankdata, spearmanr
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE
from sklearn.metrics import roc_auc_score, silhouette_score
from sklearn.metrics.pairwise import cosine_similarity, euclidean_distances
from sklearn.preprocessing import normalize
from tokenizers.normalizers import BertNormalizer
from transformers import AutoTokenizer, BertModel, PreTrainedTokenizerBase
from transformers.utils import ModelOutput
"""
_TO_FILL = re.compile(r"^(\w+(?:, \w+)*) = \.\.\.(.*)$", re.MULTILINE)


def program_text(template: str, bert: Bert, values: Mapping[str, Any]) -> str:
    """Write a program that needs nothing of this project; every value is a literal in it."""
    heading, _, code = template.strip().partition('"""\n\n')
    names = [name for line in _TO_FILL.finditer(code) for name in line[1].split(", ")]
    known = _loading(bert) | _functions()
    defined = {name: text for name, text in known.items() if name in names}
    texts = ("text", "text_pair") if "inputs" in names else ()
    if values.keys() != {*names, *texts} - defined.keys():
        raise ValueError(f"There are values for {list(values)}; the template has {names}.")

    def filled_line(line: re.Match[str]) -> str:
        first, *others = line[1].split(", ")
        if first in values:
            return _assignment(first, values[first], line[2])
        parts = [defined[name] for name in (first, *others)]
        if first in LOADED:
            return "\n" + "\n".join(parts)
        return "\n\n" + "\n\n\n".join(parts) + "\n"

    opening = _opening(bert, names)
    imports = _imports("\n".join([opening, code, *defined.values()]))
    opening += "".join(f"{_assignment(name, values[name])}\n" for name in texts)
    return f'{heading}"""\n\n{imports}\n\n{opening}{_TO_FILL.sub(filled_line, code)}\n'


@cache
def _functions() -> dict[str, str]:
    source = Path(__file__).with_name("program_functions.py").read_text(encoding="utf-8")
    _, *functions = source.strip().split("\n\n\ndef ")
    return {text.partition("(")[0]: f"def {text}" for text in functions}


def _imports(program: str) -> str:
    used = set(re.findall(r"(?<![.\w])\w+", program))  # not torch.cosine_similarity

    def kept(line: re.Match[str]) -> str:
        names = [name for name in line[2].split(", ") if name.split()[-1] in used]
        return f"{line[1]}import {', '.join(names)}\n" if names else ""

    return re.sub(r"(.*)import (.+)\n", kept, IMPORTS).strip()


def _loading(bert: Bert) -> dict[str, str]:
    """The lines that load each of `LOADED`: as this app reads them, so in float32."""
    checkpoint = bert.checkpoint
    stored = stored_tensors(checkpoint)
    place = ["checkpoint", "revision=revision"]
    if checkpoint.revision not in (None, checkpoint.folder.name):  # in a folder of the repository
        place.append(f'subfolder="{checkpoint.folder.name}"')
    options = list(place)
    written = bert.settings.get("dtype") or bert.settings.get("torch_dtype") or "float32"
    if written != "float32" or {one.dtype for one in stored} & {"F64", "F16", "BF16"}:
        options.append('dtype="float32"')
    tied = (one for one in stored if one.tied_to and one.group != "head")
    names = {f"^{re.escape(one.tied_to)}$": one.name for one in tied}
    if (prefix := stored[0].prefix) not in PLAIN:  # of a wrapped model
        names[f"^{re.escape(prefix)}"] = ""
    if names:
        options.append(f"key_mapping={names}")
    given = ", ".join(options)
    if len(options) > 2:
        given = "\n" + "".join(f"    {option},\n" for option in options)
    limited = ", ".join([*place, "model_max_length=limit"])
    return {
        "tokenizer": f"tokenizer = AutoTokenizer.from_pretrained({limited})",
        "model": f"model = BertModel.from_pretrained({given}).eval()",
        "inputs": 'inputs = tokenizer(text, text_pair, truncation=True, return_tensors="pt")',
    }


def _opening(bert: Bert, names: list[str]) -> str:
    """Where a program finds the checkpoint, without naming a folder of this machine."""
    checkpoint = bert.checkpoint
    name = repr(checkpoint.repo_id or f"path/to/{bert.name}")
    if checkpoint.source == "package":
        package = checkpoint.folder.parent.name
        name = f'distribution("{package}").locate_file("{package}/model")'
    elif checkpoint.source == "cache":  # named as the cache names it, so that it is found offline
        folder = next(p.name for p in checkpoint.folder.parents if p.name.startswith("models--"))
        name = repr(folder.removeprefix("models--").replace("--", "/"))
    lines = f"checkpoint = {name}\nrevision = {checkpoint.revision!r}\n"
    if "tokenizer" in names:
        lines += f"limit = {bert.max_position_embeddings}  # tokens; there are no more positions\n"
    return lines


def _assignment(name: str, value: Any, comment: str = "") -> str:
    """An assignment, over several lines where the value is long."""
    width = MAX_WIDTH - len(name) - 3
    numbers = isinstance(value, list) and all(isinstance(item, int | float) for item in value)
    text = pformat(_literal(value), width=width, compact=numbers, sort_dicts=False)
    return f"{name} = " + text.replace("\n", "\n" + " " * (len(name) + 3)) + comment


def _literal(value: Any) -> Any:
    """The value, which Python can read again, with texts that any encoding can carry."""
    if type(value) is str:
        return without_lone_surrogates(value)
    if type(value) in (list, tuple):
        return type(value)(_literal(item) for item in value)
    if type(value) is dict:
        return {_literal(key): _literal(item) for key, item in value.items()}
    if type(value) in (bool, int, float, type(None)):
        return value
    raise TypeError(f"{type(value).__name__} cannot be written into a program: {value!r}")
