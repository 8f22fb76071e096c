"""Make anew what ships for the embedded model, in bertviz_core/data: `make shipped`, in minutes."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bertviz_core.bert import load_bert
from bertviz_core.calibration import same_sense, sentences, token_table, word_scales
from bertviz_core.checkpoints.catalog import EMBEDDED
from bertviz_core.contextual import nouns
from bertviz_core.disk_cache import shipped_file, write_arrays
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.neighbors import TokenMap
from bertviz_core.neighbors.token_map import table_key
from scripts.lay_out import lay_out
from scripts.scales import measure_sentences

Shipped = dict[str, tuple[str, Callable[[], Mapping[str, Any]]]]


def shipped(encoder: Encoder) -> Shipped:
    """The key of each kind of file, and what makes its arrays; the second needs the first."""
    bert = encoder.bert
    return {
        "nouns": (nouns.vectors_key(encoder), lambda: nouns.measure(encoder)),
        "same-sense": (same_sense.lines_key(encoder), lambda: same_sense.measure(encoder)),
        "words": (
            word_scales.scales_key(bert),
            lambda: word_scales.as_arrays(word_scales.measure(encoder)),
        ),
        "sentences": (sentences.pairs_key(bert), lambda: measure_sentences(encoder)),
        "other-tokens": (
            token_table.scores_key(bert),
            lambda: vars(token_table.nearest_scores(bert)),
        ),
        "token-map": (table_key(bert), lambda: _arrays(lay_out(bert))),
    }


def _arrays(token_map: TokenMap) -> dict[str, Any]:
    return {"points": token_map.points.astype(np.float16), "kept": np.array(token_map.kept)}


if __name__ == "__main__":
    for kind, (key, make) in shipped(load_encoder(load_bert(EMBEDDED))).items():
        print(f"{shipped_file(kind).name} …", flush=True)
        if not write_arrays(shipped_file(kind), key, make()):
            raise SystemExit("It cannot be written.")
        shipped_file(kind).chmod(0o644)  # what is kept is for one user; this is installed for all
