"""The first lines of every snippet: the tokenizer and the model."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bertviz_core.bert import Bert

_LOAD = """\
import torch
from transformers import BertModel, BertTokenizer

checkpoint = {checkpoint}
tokenizer = BertTokenizer.from_pretrained(checkpoint{revision})
model = BertModel.from_pretrained(checkpoint{revision}).eval()
"""


def load(bert: "Bert") -> str:
    """Code that loads the tokenizer and the model of a checkpoint, in eval mode."""
    repo = bert.checkpoint.repo_id
    # A folder of the operator's is not named on a page; its reader puts in a path of their own.
    checkpoint = repo or f"path/to/{bert.name}"
    revision = f", revision={bert.checkpoint.revision!r}" if bert.checkpoint.revision else ""
    return _LOAD.format(checkpoint=repr(checkpoint), revision=revision)
