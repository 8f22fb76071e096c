"""What all viewers share: opened checkpoints, loaded encoders, and results of the encoder.

Keys are strings and numbers only; what comes back is read-only or a copy.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from bertviz_core import bert as bert_module
from bertviz_core import encoder
from bertviz_core.bert import Bert
from bertviz_core.embeddings.embedding_layer import Array
from bertviz_core.encoder import Encoder
from bertviz_core.tokens import tokenized_text as tokens
from bertviz_core.ui import jobs as background
from bertviz_core.ui.gate import forward_gate

_encoders_in_memory: dict[str, Encoder] = {}


@st.cache_resource(max_entries=2, show_spinner=False)
def opened_bert(name: str) -> Bert:
    """Open a checkpoint of the list; see `bert.load_bert`."""
    fetched = background.progress(name)
    return bert_module.load_bert(fetched.checkpoint if fetched and fetched.checkpoint else name)


def encoder_in_memory(name: str) -> bool:
    """Whether the encoder of a model is loaded, so that using it costs no waiting."""
    return name in _encoders_in_memory


def once_loaded(name: str, doing: str) -> str:
    """What to say while something runs that needs the library's own model of a checkpoint.

    Args:
        name: Of the checkpoint.
        doing: What runs; said by itself where nothing has to be loaded for it.
    """
    held = _encoders_in_memory.get(name)
    if held is not None and held.model_in_memory:
        return doing
    return f"Loading the library's own model, once, then: {doing[0].lower()}{doing[1:]}"


@contextmanager
def library_gate(name: str) -> Iterator[None]:
    """Pass the gate with the library's own model in memory; see `Encoder.model`.

    It is loaded before: at the gate, all viewers would wait for that.
    """
    with forward_gate():
        loaded = loaded_encoder(name)
    _ = loaded.model
    with forward_gate():
        yield


def own_embedding_layer(name: str, text: str, text_pair: str | None) -> Array:
    """What the model's own embedding module returns; see `Encoder.embedding_layer`."""
    with library_gate(name):
        return _own_embedding_layer(name, text, text_pair)


def _forget_encoder(forgotten: Encoder) -> None:
    _encoders_in_memory.pop(forgotten.bert.name, None)


# One encoder: two of bert-base beside each other would not fit a small host.
@st.cache_resource(max_entries=1, show_spinner=False, on_release=_forget_encoder)
def loaded_encoder(name: str) -> Encoder:
    """The encoder of a model, one copy for all viewers; see `encoder.load_encoder`."""
    loaded = encoder.load_encoder(opened_bert(name))
    _encoders_in_memory[name] = loaded
    return loaded


@st.cache_data(max_entries=16, max_size="64MB", show_spinner=False)
def _own_embedding_layer(name: str, text: str, text_pair: str | None) -> Array:
    loaded = loaded_encoder(name)
    return loaded.embedding_layer(tokens.tokenize(loaded.bert, text, text_pair))
