"""The first lines of every snippet: the tokenizer and the model."""

from typing import TYPE_CHECKING

from bertviz_core.tokens.tokenized_text import without_lone_surrogates

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


def load_and_tokenize(bert: "Bert", text: str, text_pair: str | None = None) -> str:
    """The same, and then a text or a pair as `inputs`, cut to what the model can take."""
    pair = "" if text_pair is None else f", {without_lone_surrogates(text_pair)!r}"
    return (
        load(bert)
        + f"""
inputs = tokenizer({without_lone_surrogates(text)!r}{pair}, return_tensors="pt",
                   truncation=True, max_length={bert.max_position_embeddings})
"""
    )
