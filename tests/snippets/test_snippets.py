"""Every snippet is run as it stands, but for the checkpoint's place, and must print our numbers."""

import contextlib
import io
import re

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import KEEPS
from bertviz_core.contextual.words import POOLINGS, similarity_matrix, words_in_context
from bertviz_core.embeddings import input_embeddings
from bertviz_core.encoder import Encoder
from bertviz_core.neighbors import nearest_tokens
from bertviz_core.neighbors.search import METRICS
from bertviz_core.snippets.input_embeddings import input_embeddings_code
from bertviz_core.snippets.neighbors import neighbors_code
from bertviz_core.snippets.word_in_context import word_in_context_code
from bertviz_core.tokens import tokenize


def run(snippet: str, bert: Bert) -> tuple[str, dict]:
    """Run a snippet on the local copy of the model it names."""
    assert f"checkpoint = {bert.checkpoint.repo_id!r}" in snippet
    local = re.sub(
        r"(?m)^checkpoint = .*$", f"checkpoint = {str(bert.checkpoint.folder)!r}", snippet
    )
    names: dict = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(local, "snippet", "exec"), names)
    return printed.getvalue(), names


@pytest.mark.parametrize("pair", [None, 'She\'s "Zoe"'])
def test_input_embeddings(minilm: Bert, pair: str | None) -> None:
    text = "I am Sinan\\ 'quoted' \ud800"
    printed, names = run(input_embeddings_code(minilm, text, pair), minilm)
    ours = input_embeddings(minilm, tokenize(minilm, text, pair))
    assert np.abs(names["output"][0].numpy() - ours.output).max() < 2e-6
    assert float(re.search(r"largest difference: (\S+)", printed)[1]) == 0.0


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("unused", [False, True])
def test_neighbors(minilm: Bert, metric, keep, unused: bool) -> None:
    found = nearest_tokens(minilm, "king - man + sinan", 5, metric, keep, unused=unused)
    terms = [(term.sign, list(term.token_ids)) for term in found.terms]
    printed, _ = run(neighbors_code(minilm, terms, 5, metric, keep, unused=unused), minilm)
    lines = [line.rsplit(" ", 1) for line in printed.splitlines()]
    assert tuple(token for token, _ in lines) == found.tokens
    assert [float(score) for _, score in lines] == pytest.approx(found.scores, abs=1e-4)


@pytest.mark.parametrize("pooling", POOLINGS)
def test_word_in_context(minilm_encoder: Encoder, pooling) -> None:
    bert = minilm_encoder.bert
    words = words_in_context(minilm_encoder, ["my [awesomesauce] pet", "snake"], pooling)
    spans = [("my awesomesauce pet", 3, 15), ("snake", 0, 5)]
    printed, _ = run(word_in_context_code(bert, spans, pooling, 4), bert)
    numbers = np.array(re.findall(r"-?\d+\.\d*", printed), dtype=float).reshape(2, 2)
    assert numbers == pytest.approx(similarity_matrix(words, 4), abs=1e-5)


def test_an_operators_folder_is_not_named(tiny: Bert) -> None:
    snippet = input_embeddings_code(tiny, "the cat")
    assert str(tiny.checkpoint.folder) not in snippet
    assert "checkpoint = 'path/to/tiny-bert'" in snippet
