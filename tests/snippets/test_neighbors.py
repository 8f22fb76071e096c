import pytest

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import KEEPS
from bertviz_core.neighbors import nearest_tokens
from bertviz_core.neighbors.search import METRICS
from tests.snippets.running import run_filled


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("unused", [False, True])
def test_neighbors(minilm: Bert, metric, keep, unused: bool) -> None:
    found = nearest_tokens(minilm, "king - man + sinan", 5, metric, keep, unused=unused)
    terms = [(term.sign, list(term.token_ids)) for term in found.terms]
    printed, _ = run_filled(
        "neighbors/neighbors", minilm, terms=terms, k=5, metric=metric, keep=keep, unused=unused
    )
    lines = [line.rsplit(" ", 1) for line in printed.splitlines()]
    assert tuple(token for token, _ in lines) == found.tokens
    assert [float(score) for _, score in lines] == pytest.approx(found.scores, abs=1e-4)
