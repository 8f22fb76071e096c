"""Word Senses, headless: the sources, what is drawn, what is said when there is too little."""

import re
import zlib

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.arrays import cosine_matrix
from bertviz_core.calibration import Scales
from bertviz_core.encoder import Encoder
from bertviz_core.senses import prepared_set, sense_vectors
from bertviz_core.senses.projection import shared_frame
from bertviz_core.ui import sections
from bertviz_core.ui.word_senses.sources import OWN, TEXT, VECTORS
from tests.data.hostile_uploads import one_long_line
from tests.data.vector_files import npz_file, rows_of, table_file
from tests.data.vector_files import numbers as numbers_at_random
from tests.headless import charts, html, numbers, open_page, said, value, values
from tests.hostile import HOSTILE, assert_harmless

pytestmark = pytest.mark.usefixtures("fresh_caches", "kept_caches")
PAGE = "pages/5_Word_Senses.py"
UNFOLDED = {"occurrence-numbers": "true"}


def drawn(figure: dict) -> dict[int, tuple[float, float]]:
    """Points by their number, from 0."""
    return {
        row[0]: (x, y)
        for trace in figure["data"]
        if trace["mode"] == "markers"
        for row, x, y in zip(
            trace["customdata"], numbers(trace["x"]), numbers(trace["y"]), strict=True
        )
    }


def names_of(figure: dict) -> list[str]:
    """Of the series, as their traces and the words on the map call them."""
    names = [trace["name"] for trace in figure["data"] if trace["mode"] == "markers"]
    printed = next(trace["text"] for trace in figure["data"] if trace["mode"] == "text")
    assert [re.search("<b>(.*)</b>", text)[1] for text in printed] == names
    return names


def placed_on(app: AppTest) -> np.ndarray:
    """The points of the map, in the order of their numbers: float32 (n, 2)."""
    return np.float32([xy for _, xy in sorted(drawn(charts(app)[0]).items())])


def own_lines(word: str, lines: str) -> AppTest:
    """The page on the reader's own lines."""
    return open_page(PAGE, senseword=word, lines=lines, **{"from": OWN}, **UNFOLDED)


def upload(app: AppTest, key: str, content: bytes) -> AppTest:
    endings = {"text": "txt", "vectors": "npz" if content.startswith(b"PK") else "csv"}
    app.file_uploader(key=key).set_value((f"x.{endings[key]}", content, "text/plain")).run()
    assert not app.exception
    return app


def test_opens_on_bank_and_lists_its_occurrences(minilm_encoder: Encoder) -> None:
    app = open_page(PAGE, **UNFOLDED)
    ours = sense_vectors(minilm_encoder, prepared_set("bank").occurrences)
    (scatter,) = charts(app)  # the sections are closed
    layers = shared_frame(ours.vectors).points
    points = layers[:, 6]
    assert placed_on(app) == pytest.approx(points, abs=1e-4)
    assert names_of(scatter) == ["money", "river"]
    rows = [[i for i, one in enumerate(ours.occurrences) if one.sense == sense]
            for sense in ("money", "river")]  # fmt: skip
    assert len(scatter["frames"]) == 7
    for layer, frame in enumerate(scatter["frames"]):
        for trace, chosen in zip(frame["data"], rows, strict=False):
            here = np.stack([numbers(trace["x"]), numbers(trace["y"])], axis=1)
            assert np.abs(here - layers[chosen, layer]).max() < 1e-4
        means = np.stack([layers[chosen, layer].mean(axis=0) for chosen in rows])
        if layer > 1:  # far enough apart to be printed where they belong
            assert numbers(frame["data"][2]["x"]) == pytest.approx(means[:, 0], abs=1e-4)
            assert numbers(frame["data"][2]["y"]) == pytest.approx(means[:, 1], abs=1e-4)
    (everyone,) = (frame.value for frame in app.dataframe)
    assert (value(app, "same"), value(app, "count")) == ("10", "10")
    assert (value(app, "word0"), value(app, "series0")) == ("bank", "river")
    assert everyone["sentence"].tolist() == [o.sentence for o in ours.occurrences]
    assert np.float32(everyone[["x", "y"]]) == pytest.approx(points, abs=1e-4)
    (first,) = charts(app.slider(key="layer").set_value(1).run())
    assert first["layout"]["xaxis"]["range"] == scatter["layout"]["xaxis"]["range"]
    assert drawn(first) != drawn(scatter)


@pytest.mark.parametrize("kind", ["all layers, with drift", "this layer", "t-SNE"])
def test_other_maps_and_colours(kind: str) -> None:
    app = open_page(PAGE, set="spring", map=kind, colour="group")
    scatter = charts(app)[0]
    assert len(drawn(scatter)) == 30
    assert all(name.startswith("group ") for name in names_of(scatter))
    assert bool(scatter.get("frames")) == kind.startswith("all")
    assert any("Play needs" in one.value for one in app.caption) != kind.startswith("all")
    assert (
        kind[:3] in ("all", "thi") or "perplexity 10" in scatter["layout"]["xaxis"]["title"]["text"]
    )


def test_selecting_points_lists_them_and_moves_the_nearest() -> None:
    app = open_page(PAGE)
    before = len(app.dataframe)
    app.session_state["chart_senses-pca"] = {
        "selection": {
            "points": [{"customdata": [20, "x"]}, {"customdata": [16, "y"]}],
            "point_indices": [], "box": [], "lasso": [],
        }
    }  # fmt: skip
    app.run()
    assert not app.exception
    assert len(app.dataframe) == before + 1
    assert "2 selected" in [text.value for text in app.text]
    frames = [f.value for f in app.dataframe if "number" in f.value]
    selected = next(frame for frame in frames if frame["number"].tolist() == [17, 21])
    assert selected["sense"].tolist() == ["money", "money"]
    app.slider(key="near").set_value(21).run()
    assert (value(app, "number"), value(app, "series0")) == ("21", "money")


def test_own_lines_with_labels_and_marks() -> None:
    lines = ("sense\tsentence", "animal\ta bat or a [bat] flew", "animal\tthe bat slept",
             "sport\tswing the bat", "no label, but a bat")  # fmt: skip
    app = open_page(PAGE, **{"from": OWN}, **UNFOLDED)
    app.text_input(key="senseword").set_value("BAT")
    app.text_area(key="lines").set_value("\n".join(lines)).run()
    assert not app.exception
    assert names_of(charts(app)[0]) == ["animal", "no label", "sport"]
    assert app.dataframe[-1].value["sentence"][0] == "a bat or a bat flew"
    assert app.dataframe[-1].value["start"][0] == 11


def test_too_little_is_said() -> None:
    for word, lines, message in (
        ("", "a bat", "Type the word to look for"),
        ("bat", "", "“bat” stands nowhere in these lines; a map needs at least 3"),
        ("bat", "a bat", "“bat” stands once in these lines"),
        ("bat", "a bat\na bat", "“bat” stands 2 times"),
        ("\u200b", "a \u200b b\n" * 3, "0 occurrences of “�” can be drawn"),
    ):
        app = own_lines(word, lines)
        assert message in said(app)
        assert not charts(app)


def test_alike_lines_still_make_a_page() -> None:
    app = own_lines("bat", "a bat\n" * 5)
    assert (values(app, "word"), values(app, "groups")) == (["bat"], [])
    assert len(drawn(charts(app)[0])) == 5


def test_hostile_lines_and_labels() -> None:
    texts = [text[:200].replace("\n", " ") for text in HOSTILE]
    lines = [f"{text}\tbat {text} {i}" for text in texts for i in range(2)]
    app = own_lines("bat", "\n".join(["sense\tsentence", *lines]))
    assert_harmless(app)
    assert len(drawn(charts(app)[0])) == len(lines)
    for trace in charts(app)[0]["data"]:
        told = trace.get("text", [trace.get("name"), trace.get("customdata")])
        assert "<script>" not in str(told)


def test_a_word_beyond_the_cut_is_left_out_and_said() -> None:
    app = own_lines("bat", "a bat\nbat\nthe bat\n" + "x " * 600 + "bat")
    assert [value(app, name) for name in ("count", "total", "most")] == ["1", "4", "512"]
    assert len(drawn(charts(app)[0])) == 3


def test_a_text_file_is_searched_and_its_cut_is_said(
    tiny_on_offer: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page(PAGE, model="tiny", **{"from": TEXT})
    assert "bx-note" in html(app)
    assert not charts(app)
    app.text_input(key="senseword").set_value("cat")
    content = "".join(f"a cat {i}\r\nnothing\r\n" for i in range(700))
    monkeypatch.setattr("bertviz_core.senses.occurrences.find_occurrences.__defaults__", (600,))
    upload(app, "text", content.encode())
    assert [value(app, name) for name in ("total", "lines", "count")] == ["700", "700", "600"]
    assert len(drawn(charts(app)[0])) == 600
    assert not charts(app)[0].get("frames")
    assert any("Play is off" in one.value for one in app.caption)
    upload(app, "text", b"\xff\xfe\x00\x00cat")
    assert "The file is not text" in said(app)
    upload(app, "text", zlib.compress(content.encode()).replace(b"\0", b""))
    assert "The file is not text" in said(app)


def test_a_file_of_vectors(measured: Scales) -> None:
    """Vectors of another model than the one in use, which is measured."""
    vectors = numbers_at_random(30, 3, 8)
    content = npz_file(
        vectors=vectors,
        layers=[0, 3, 9],
        word=["bank"] * 20 + ["go"] * 10,
        year=[1900 + row % 3 for row in range(30)],
        model="tiny-bert",
        pooling="mean",
        **rows_of(30),
    )
    app = open_page(PAGE, **{"from": VECTORS, "senses": sections.NEAREST})
    upload(app, "vectors", content)
    assert (value(app, "model"), value(app, "pooling")) == ("tiny-bert", "mean")
    assert [one.options for one in app.select_slider] == [["0", "3", "9"]]
    assert app.select_slider(key="layer").value == 9
    points = shared_frame(vectors[:20]).points
    assert placed_on(app) == pytest.approx(points[:, 2], abs=1e-5)
    assert not [e for e in app.expander if e.label.startswith("Show the code")]
    (nearest,) = [one.value for one in app.dataframe if "cosine similarity" in one.value]
    assert "percentile" not in nearest
    assert set(nearest["year"]) <= {1900, 1901, 1902}
    app.select_slider(key="layer").set_value(3).run()
    assert placed_on(app) == pytest.approx(points[:, 1], abs=1e-5)
    assert "at layer 3)" in charts(app)[0]["layout"]["xaxis"]["title"]["text"]
    app.selectbox(key="filecolumn").set_value("year").run()
    assert names_of(charts(app)[0]) == ["1900", "1901", "1902"]
    app.selectbox(key="fileword").set_value("go").run()
    assert not app.exception
    assert len(drawn(charts(app)[0])) == 10
    assert placed_on(app) == pytest.approx(shared_frame(vectors[20:]).points[:, 1], abs=1e-5)
    assert "Parquet files cannot be opened here" in said(upload(app, "vectors", b"PAR1"))


def test_every_section_of_vectors_at_some_layers() -> None:
    vectors = numbers_at_random(12, 2, 8)
    senses = ["river", "money"] * 6
    vectors[::2, 1] += 3  # the later layer tells them apart, the earlier one does not
    content = npz_file(vectors=vectors, layers=[4, 11], sense=senses, **rows_of(12))
    app = open_page(PAGE, **{"from": VECTORS})
    upload(app, "vectors", content)
    assert value(app, "layer") == "11"
    for section in (sections.SCORES, sections.CHEAPER, sections.GROUPS, sections.NEAREST):
        app.get_by_key("senses").set_value(section).run()
        assert not app.exception
        assert "bx-alert" not in html(app)
        for chart in charts(app)[1:]:
            assert [trace["x"] for trace in chart["data"]]
            assert numbers(chart["data"][-1]["x"]).tolist() == [4, 11]
        assert not values(app, "auc_input") + values(app, "closest_input")
    app.get_by_key("senses").set_value(sections.GROUPS).run()
    assert value(app, "clearest") == "11"
    unlabelled = npz_file(vectors=vectors, layers=[4, 11], **rows_of(12))
    upload(app, "vectors", unlabelled)
    app.get_by_key("senses").set_value(sections.CHEAPER).run()
    assert not app.exception


def test_the_layer_of_one_source_is_none_of_another() -> None:
    app = open_page(PAGE, **{"from": VECTORS, "layer": "5"})
    upload(app, "vectors", table_file(numbers_at_random(8, 2, 8), (0, 12)))
    assert app.select_slider(key="layer").value == 12
    app.get_by_key("from").set_value("prepared set").run()
    assert not app.exception
    assert app.slider(key="layer").value == 6


def test_percentiles_among_occurrences_of_the_word(minilm_encoder: Encoder) -> None:
    """They tell near occurrences apart; among pairs of different words all would stand at 99."""
    app = open_page(PAGE, senses=sections.NEAREST)
    (nearest,) = [frame.value for frame in app.dataframe]
    assert nearest["cosine similarity"].is_monotonic_decreasing
    percentiles = nearest["cosine similarity, percentile"].to_numpy()
    vectors = sense_vectors(minilm_encoder, prepared_set("bank").occurrences).vectors[:, 6]
    pairs = cosine_matrix(vectors, vectors)[np.triu_indices(len(vectors), 1)]
    assert value(app, "pairs") == f"{len(pairs):,}"
    below = [100 * (pairs < cosine - 1e-5).mean() for cosine in nearest["cosine similarity"]]
    assert percentiles == pytest.approx(np.array(below), abs=1.0)  # cut, and the pair itself half
    assert percentiles[0] - percentiles[-1] > 5


def test_long_lines_are_cut_around_the_word_and_it_is_said() -> None:
    app = open_page(PAGE, **{"from": TEXT})
    app.text_input(key="senseword").set_value("bank")
    content = b"a bank\n" * 3 + b"the river " * 300 + b" bank " + one_long_line(3_000)[:600]
    upload(app, "text", content)
    assert (value(app, "shortened"), value(app, "longest")) == ("121", "2,000")
    assert len(drawn(charts(app)[0])) == 124


@pytest.mark.parametrize(
    ("layers", "hidden_size"), [(1, 8), (1, 1), (3, 1), (64, 2)], ids=lambda size: str(size)
)
def test_a_table_of_any_shape(layers: int, hidden_size: int) -> None:
    app = open_page(PAGE, **{"from": VECTORS})
    upload(app, "vectors", table_file(numbers_at_random(8, layers, hidden_size), range(layers)))
    assert len(drawn(charts(app)[0])) == 8
    assert bool([one for one in app.slider if one.key == "layer"]) == (layers > 1)
