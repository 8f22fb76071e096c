"""Everything the BERT embedding explorer computes and draws; the pages only ask and show.

Data and imports go one way; `tests/test_layers.py` holds every room to it:

    text -> tokens -> embeddings -> neighbors
               \\-> encoder -> contextual -> calibration, senses -> vector_files -> corpus
                                                  \\-> figures -> ui -> pages

- `bert.load_bert` opens a checkpoint without torch; `checkpoints` finds or downloads its files.
- `tokens` cuts a text into WordPieces and shows how each came about.
- `embeddings` adds up the embedding layer and takes it apart again.
- `neighbors` searches the token table.
- `positions` compares the two small tables with others, and changes a text's positions.
- `encoder` runs the model. It alone imports torch and transformers; its results are NumPy float32.
- `contextual` follows a marked word through the layers, and asks what decides its vector.
- `calibration` says where a cosine stands among those of other pairs.
- `senses` maps and groups many occurrences of a word.
- `vector_files` opens vectors that visitors bring; `corpus` writes every occurrence in a corpus,
  searches them and compares two groups.
- `claims` holds sentences about BERT, each with the condition under which a model meets it.
- `figures` turns arrays and labels into Plotly figures; it knows no model.
- `snippets` holds the plain torch / transformers programs that print a page's numbers.
- `command` is the command `bert-explorer`, one file a subcommand.
- `ui` is what the pages share in Streamlit, and a room for each page.

`arrays` is the arithmetic that several rooms need; `errors` are the sentences for the user;
`result` is how a result prints and becomes a data frame.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

# The one place of the number: pyproject.toml reads it from here.
__version__ = "1.0.0"

# Imported when first asked for: a module of `bertviz_core` alone takes no tenth of a second.
_ROOMS = {
    "input_embeddings": "embeddings",
    "load_bert": "bert",
    "load_encoder": "encoder",
    "nearest_tokens": "neighbors",
    "similarity_by_layer": "contextual",
    "tokenize": "tokens",
    "word_in_context": "contextual",
}

if TYPE_CHECKING:
    from bertviz_core.bert import load_bert
    from bertviz_core.contextual import similarity_by_layer, word_in_context
    from bertviz_core.embeddings import input_embeddings
    from bertviz_core.encoder import load_encoder
    from bertviz_core.neighbors import nearest_tokens
    from bertviz_core.tokens import tokenize
else:

    def __getattr__(name: str) -> Any:
        if name not in _ROOMS:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_ROOMS[name]}"), name)

    def __dir__() -> list[str]:
        return sorted({*globals(), *_ROOMS})


__all__ = [
    "__version__",
    "input_embeddings",
    "load_bert",
    "load_encoder",
    "nearest_tokens",
    "similarity_by_layer",
    "tokenize",
    "word_in_context",
]
