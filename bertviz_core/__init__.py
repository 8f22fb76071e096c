"""Everything the BERT embedding explorer computes and draws; the pages only ask and show.

CONTRIBUTING.md says which room is for what, and which way data and imports go.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

# The one place of the number: pyproject.toml reads it from here. What is not released ends in
# `.dev0`, so that no two things are called by a release's number.
__version__ = "1.1.dev0"

# Imported when first asked for: a module of `bertviz_core` alone takes no tenth of a second.
_ROOMS = {
    "input_embeddings": "embeddings",
    "lean": "contextual",
    "load_bert": "bert",
    "load_encoder": "encoder",
    "nearest_tokens": "neighbors",
    "similarity_by_layer": "contextual",
    "tokenize": "tokens",
    "word_in_context": "contextual",
}

if TYPE_CHECKING:
    from bertviz_core.bert import load_bert as load_bert
    from bertviz_core.contextual import lean as lean
    from bertviz_core.contextual import similarity_by_layer as similarity_by_layer
    from bertviz_core.contextual import word_in_context as word_in_context
    from bertviz_core.embeddings import input_embeddings as input_embeddings
    from bertviz_core.encoder import load_encoder as load_encoder
    from bertviz_core.neighbors import nearest_tokens as nearest_tokens
    from bertviz_core.tokens import tokenize as tokenize
else:

    def __getattr__(name: str) -> Any:
        if name not in _ROOMS:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_ROOMS[name]}"), name)

    __all__ = sorted(_ROOMS)

    def __dir__() -> list[str]:
        return [*__all__, "__version__"]
