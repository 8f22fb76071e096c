"""What a page shows as its program runs as it is copied from there, with no network."""

import pytest

from bertviz_core.calibration.run import SENTENCES
from bertviz_core.ui import sections
from tests.headless import open_page
from tests.snippets.running import run

SHOWN = [
    ("1_Tokens", {"closer": sections.WORD_STEPS}, ["tokens", "steps"]),
    ("1_Tokens", {"closer": sections.VOCABULARY}, ["vocabulary"]),
    ("1_Tokens", {"closer": sections.IDS}, ["ids"]),
    ("1_Tokens", {"closer": sections.TWO_SEGMENTS}, ["pair-segments"]),
    ("1_Tokens", {"closer": sections.LINES}, ["lines"]),
    ("2_Input_Embeddings", {"look": sections.SHARES},
     ["embeddings", "shares", "waterfall", "layer-norm", "outliers"]),
    ("2_Input_Embeddings", {"look": sections.ROWS, "b": "She is Zoe"}, ["rows"]),
    ("2_Input_Embeddings", {"look": sections.ORDER}, ["orders", "dropout"]),
    ("2_Input_Embeddings", {"look": sections.DIMENSION}, ["dimension"]),
    ("3_Nearest_Neighbors", {}, ["neighbors-1"]),
    ("3_Nearest_Neighbors", {"q": "", "mapby": "PCA"}, ["token_map"]),
    ("4_Word_in_Context", {"deeper": sections.INFLUENCE}, ["context", "influence", "attention"]),
    ("4_Word_in_Context", {"deeper": sections.LENS}, ["lens"]),
    ("4_Word_in_Context", {"deeper": sections.NEIGHBORS}, ["context-neighbors"]),
    ("4_Word_in_Context", {"deeper": sections.PIECES}, ["pieces"]),
    ("5_Word_Senses", {"senses": sections.SCORES}, ["scores", "senses"]),
    ("6_Positions_and_Segments", {}, ["positions"]),
    ("6_Positions_and_Segments", {"part": sections.SINUSOIDS}, ["sinusoids"]),
    ("6_Positions_and_Segments", {"part": sections.SEGMENT_TABLE}, ["segments"]),
    ("6_Positions_and_Segments", {"part": sections.EXPERIMENTS}, ["experiment"]),
    ("7_Inside_the_Model", {}, ["parameters"]),
    ("7_Inside_the_Model", {"inside": sections.TENSOR}, ["tensor"]),
    ("7_Inside_the_Model", {"inside": sections.NORMS}, ["norms"]),
    ("7_Inside_the_Model", {"inside": sections.POOLER}, ["pooler"]),
    ("7_Inside_the_Model", {"inside": sections.TRAINING}, ["training"]),
]  # fmt: skip


RUN = {"orders", "run_change", "run_pooler", "run_training"}  # buttons before the model is run


@pytest.mark.usefixtures("fresh_caches")
@pytest.mark.parametrize(("page", "query", "names"), SHOWN, ids=lambda value: str(value))
def test_shown(page: str, query: dict, names: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    unfolded = {f"code-{name}": "true" for name in names}
    app = open_page(f"pages/{page}.py", **query, **unfolded)
    for button in [button for button in app.button if button.key in RUN]:
        button.click().run()
    assert len(app.code) == len(names)
    monkeypatch.chdir(SENTENCES.parent)
    for block in app.code:
        printed, _ = run(block.value)
        assert printed
