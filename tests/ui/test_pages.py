"""Every page, headless: good, blank, over-long and hostile input; what is shown is checked."""

import re
import shutil
from html import unescape
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from streamlit.testing.v1 import AppTest

from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.tokens import tokenize
from tests.fresh_process import drive_app
from tests.headless import ROOT, charts, html, numbers, open_page, said

pytestmark = pytest.mark.usefixtures("fresh_caches")

PAGES = ["app.py", *sorted(f"pages/{path.name}" for path in (ROOT / "pages").glob("*.py"))]
EMBEDDINGS, NEIGHBORS, CONTEXT = (
    "pages/2_Input_Embeddings.py",
    "pages/3_Nearest_Neighbors.py",
    "pages/4_Word_in_Context.py",
)
HOSTILE = [
    "",
    "   ",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "![x](http://example.org/x.png) [a](javascript:alert(1)) **b** # h",
    "$x^2$ :smile: :red[x] :material/home:",
    "שלום مرحبا 我喜欢 🐍👩‍👩‍👧",
    "control \x00\x07\x1b[31m \u202e reversed",
    "half a pair \ufffd here",
    "{curly} {0} %s \\ \\[ ]] [[",
    "[python] [python]",
    "word " * 1000,
]


@pytest.mark.parametrize("script", PAGES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_opens_on_an_example(script: str, theme: str) -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.context = {"theme": theme}
    app.run()
    if script != "app.py":
        app.switch_page(script).run()
    assert not app.exception
    assert app.title[0].value.strip()
    assert "bx-alert" not in html(app)
    for chart in app.get("plotly_chart"):
        assert len(chart.proto.alt) > 40
    if script != "app.py":
        assert charts(app) or app.dataframe


@pytest.mark.parametrize("script", PAGES[1:])
def test_any_input_ends_in_a_result_or_a_sentence(script: str) -> None:
    app = open_page(script)
    for text in HOSTILE:
        for field in [*app.text_input, *app.text_area]:
            field.set_value(text[:5000])
        app.run()
        assert not app.exception, text
        shown = html(app)
        assert charts(app) or app.dataframe or "bx-alert" in shown or script == NEIGHBORS, text
        assert "<script>alert" not in shown
        assert "<img" not in shown
        for element in [*app.markdown, *app.caption]:
            assert "alert(1)" not in element.value
            assert "example.org" not in element.value


def test_home_names_the_model_and_links_by_url(minilm: Bert) -> None:
    app = open_page("app.py")
    assert [(m.label, m.value) for m in app.metric] == [
        ("Name", "all-MiniLM-L6-v2"),
        ("Vocabulary", "30,522"),
        ("Hidden size", "384"),
        ("Layers", "6"),
    ]
    links = re.findall(r'href="([^"]+)"', html(app))
    assert "Nearest_Neighbors?q=king+-+man+%2B+woman" in links
    assert len(links) >= 10


@pytest.mark.parametrize("script", PAGES)
def test_prepared_links_lead_to_their_views(script: str) -> None:
    links = {unescape(link) for link in re.findall(r'href="([^"]+)"', html(open_page(script)))}
    prepared = [urlsplit(link) for link in links if "?" in link and "tour=" not in link]
    assert len(prepared) >= 3
    for link in prepared:
        (script,) = [page for page in PAGES if page.endswith(f"_{link.path}.py")]
        query = dict(parse_qsl(link.query))
        view = open_page(script, **query)
        assert "bx-alert" not in html(view), link
        assert charts(view) or view.dataframe or view.button, link
        for key, value in query.items():
            assert str(view.session_state[key]).lower() == value.lower(), (link, key)


def test_input_embeddings_draws_the_cores_numbers(minilm: Bert) -> None:
    app = open_page(EMBEDDINGS, a="I am Sinan", b="She is Zoe")
    text = tokenize(minilm, "I am Sinan", "She is Zoe")
    parts = input_embeddings(minilm, text)
    (figure,) = charts(app)
    drawn = [numbers(trace["z"]) for trace in figure["data"]]
    expected = [parts.word, parts.token_type, parts.position, parts.summed, parts.output]
    assert len(drawn) == 5
    for ours, theirs in zip(drawn, expected, strict=True):
        assert ours.dtype == np.float32
        assert np.array_equal(ours, theirs)
    for trace in figure["data"]:
        assert trace["zmin"] == -trace["zmax"]
    assert figure["layout"]["yaxis"]["ticktext"][4] == "4 ##an"
    for token, token_id in zip(text.tokens, text.input_ids, strict=True):
        assert f"<bdi>{token}</bdi><small>{token_id}</small>" in html(app)


def test_input_embeddings_window_and_most_variable() -> None:
    app = open_page(EMBEDDINGS, dims="window")
    (figure,) = charts(app)
    assert numbers(figure["data"][0]["z"]).shape == (7, 64)
    app = open_page(EMBEDDINGS, dims="most variable", variable="9")
    (figure,) = charts(app)
    assert numbers(figure["data"][0]["z"]).shape == (7, 9)
    assert len(figure["layout"]["xaxis"]["ticktext"]) == 9


def test_input_embeddings_one_scale_for_all() -> None:
    each = {trace["zmax"] for trace in charts(open_page(EMBEDDINGS))[0]["data"]}
    one = {trace["zmax"] for trace in charts(open_page(EMBEDDINGS, scale="one for all"))[0]["data"]}
    assert len(each) == 5
    assert one == {max(each)}


def test_the_token_table_shows_the_chosen_tokens_numbers(minilm: Bert) -> None:
    app = open_page(EMBEDDINGS, a="the cat", token="2")
    parts = input_embeddings(minilm, tokenize(minilm, "the cat"))
    frame = app.dataframe[0].value
    assert np.array_equal(frame["token"], parts.word[2])
    assert np.array_equal(frame["after LayerNorm"], parts.output[2])
    assert "cat" in app.text[0].value


def test_long_text_is_cut_and_says_so() -> None:
    app = open_page(EMBEDDINGS)
    app.text_input(key="a").set_value("dog " * 600).run()
    assert not app.exception
    assert "602 tokens" in said(app)
    assert "The last 90 were left out" in said(app)
    (figure,) = charts(app)
    assert figure["data"][0]["type"] == "image"
    assert "drawn as a picture" in " ".join(caption.value for caption in app.caption)


def test_the_proof_comes_by_one_click_and_then_by_itself() -> None:
    app = open_page(EMBEDDINGS)
    assert "Largest absolute difference" not in html(app)
    app.button(key="prove").click().run()
    plain = said(app)
    found = re.search(r"Largest absolute difference over 2,688 numbers: ([\d.e-]+)", plain)
    assert found
    assert float(found[1]) < 2e-6
    app.text_input(key="a").set_value("another sentence").run()
    assert "Largest absolute difference" in html(app)
    assert not [button for button in app.button if button.key == "prove"]


def test_neighbors_side_by_side_and_a_bad_one_spoils_only_itself() -> None:
    app = open_page(NEIGHBORS, q="dog", q2="##qqqqzz", q3="##ing", k="7")
    assert [len(frame.value) for frame in app.dataframe] == [7, 7]
    assert app.dataframe[0].value["token"][0] == "dogs"
    assert "has no piece “##qqqqzz”" in html(app)
    bars = charts(app)[0]["data"][0]
    assert numbers(bars["x"]).tolist() == app.dataframe[0].value["cosine similarity"].tolist()


def test_neighbors_say_how_a_word_splits() -> None:
    app = open_page(NEIGHBORS, q="awesomesauce")
    assert "awesomesauce = awesome ##sau ##ce" in said(app)


def test_neighbors_metric_and_kind() -> None:
    app = open_page(NEIGHBORS, q="dog", metric="Euclidean", keep="subwords")
    frame = app.dataframe[0].value
    assert frame["token"].str.startswith("##").all()
    assert frame["Euclidean distance"].is_monotonic_increasing


def test_context_opens_on_python_with_the_finding() -> None:
    app = open_page(CONTEXT)
    text = said(app)
    assert "“I love my pet python” is nearest to snake (0.507; programming 0.257)" in text
    assert "“I love coding in python” is nearest to programming (0.408; snake 0.275)" in text
    frame = app.dataframe[0].value
    assert frame["to snake"].tolist() == pytest.approx([0.507, 0.275], abs=5e-4)
    assert frame["to programming"].tolist() == pytest.approx([0.257, 0.408], abs=5e-4)
    snake, programming, between, matrix = charts(app)
    assert [len(numbers(curve["y"])) for curve in snake["data"]] == [7, 7]
    assert len(programming["data"]) == 2
    assert len(between["data"]) == 1
    assert numbers(matrix["data"][0]["z"]).shape == (4, 4)
    assert "colorbar" in matrix["data"][0]
    for figure in (snake, programming, between):
        assert not [curve for curve in figure["data"] if "colorbar" in curve["marker"]]


def test_context_at_another_layer() -> None:
    app = open_page(CONTEXT, layer="0")
    cosines = app.dataframe[0].value["to snake"]
    assert cosines[0] == pytest.approx(cosines[1], abs=1e-6)
    assert "At layer 0" in html(app)


@pytest.mark.parametrize(
    ("sentences", "anchors", "message"),
    [
        ("", "", "Type at least one sentence"),
        ("one [word] only", "", "Type a second sentence or an anchor"),
        ("no mark here", "snake", "has 3 words"),
        ("an empty [] mark", "snake", "are empty"),
    ],
)
def test_context_says_what_is_missing(sentences: str, anchors: str, message: str) -> None:
    app = open_page(CONTEXT)
    app.text_area(key="s").set_value(sentences)
    app.text_input(key="anchors").set_value(anchors)
    app.run()
    assert message in html(app)
    assert not charts(app)


def test_context_without_anchors_compares_sentences() -> None:
    app = open_page(CONTEXT)
    app.text_input(key="anchors").set_value("").run()
    assert not app.exception
    assert "cosine similarity" in html(app)
    assert len(charts(app)) == 2


def test_context_says_how_many_sentences_it_left_out() -> None:
    app = open_page(CONTEXT)
    app.text_area(key="s").set_value("\n".join(["a [dog]"] * 14)).run()
    assert not app.exception
    assert "14 sentences were given; the first 12" in said(app)


def test_a_model_that_is_not_ready_is_said_and_the_page_goes_on() -> None:
    app = open_page(EMBEDDINGS)
    app.selectbox(key="model").set_value("bert-large-uncased").run()
    assert not app.exception
    text = said(app)
    assert "bert-large-uncased is not on this machine yet" in text
    assert "shows all-MiniLM-L6-v2 meanwhile" in text
    assert app.button(key="download_model").label == "Download bert-large-uncased, 1,345 MB"
    assert charts(app)
    listed = [text.value for text in app.text]
    assert "all-MiniLM-L6-v2: ready" in listed
    assert "bert-base-cased: bert-base-cased is not on this machine yet." in listed


def test_a_folder_of_the_operators(tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BERTVIZ_MODELS", f"tiny={tiny_folder}, gone=/no/such/folder")
    monkeypatch.setenv("BERTVIZ_MODEL", "tiny")
    app = open_page(CONTEXT)
    assert not app.exception
    assert len(charts(app)) == 4
    app.selectbox(key="model").set_value("gone").run()
    assert not app.exception
    assert "The folder set for gone does not exist" in html(app)
    assert "/no/such/folder" not in html(app)
    assert len(charts(app)) == 4


def test_heads_in_the_file_are_named_and_left_aside(
    tiny_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "with-heads"
    shutil.copytree(tiny_folder, folder)
    weights = folder / "model.safetensors"
    heads = {f"cls.predictions.{name}": np.zeros(3, np.float32) for name in ("bias", "weight")}
    save_file(load_file(weights) | heads, weights, metadata={"format": "pt"})
    monkeypatch.setenv("BERTVIZ_MODELS", f"headed={folder}")
    monkeypatch.setenv("BERTVIZ_MODEL", "headed")
    captions = " ".join(caption.value for caption in open_page("app.py").caption)
    assert "also holds 2 tensors of task heads (cls.*)" in captions
    monkeypatch.delenv("BERTVIZ_MODEL")
    assert "task heads" not in " ".join(c.value for c in open_page("app.py").caption)


def test_prepared_links_keep_the_model(tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BERTVIZ_MODELS", f"tiny={tiny_folder}")
    app = open_page(NEIGHBORS)
    assert "model=" not in html(app)
    app.selectbox(key="model").set_value("tiny").run()
    links = re.findall(r'href="([^"]+)"', html(app))
    assert links
    assert all("model=tiny" in link for link in links)


def test_a_visitor_cannot_name_a_path(tiny_folder: Path) -> None:
    app = open_page("app.py", model=str(tiny_folder))
    assert app.metric[0].value == "all-MiniLM-L6-v2"


def test_a_wrong_setting_of_the_operators_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BERTVIZ_MODEL", "gpt-2")
    app = open_page("app.py")
    assert "BERTVIZ_MODEL is “gpt-2”; expected one of all-MiniLM-L6-v2" in re.sub(
        "<[^>]+>", "", html(app)
    )


def test_a_layer_or_token_the_new_model_lacks(
    tiny_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Changing the model must not leave a slider beyond its end."""
    monkeypatch.setenv("BERTVIZ_MODELS", f"tiny={tiny_folder}")
    app = open_page(CONTEXT)
    app.slider(key="layer").set_value(5).run()
    app.selectbox(key="model").set_value("tiny").run()
    assert not app.exception
    assert app.slider(key="layer").value <= 2
    assert not app.warning
    assert charts(app)
    app = open_page(EMBEDDINGS)
    app.text_input(key="a").set_value("a long sentence of several tokens here").run()
    app.slider(key="token").set_value(8).run()
    app.text_input(key="a").set_value("dog").run()
    assert not app.exception
    assert app.slider(key="token").value <= 2
    app = open_page(EMBEDDINGS, dims="window", window="300")
    app.selectbox(key="model").set_value("tiny").run()
    assert not app.exception
    assert charts(app)


def test_pages_on_the_tables_import_no_torch() -> None:
    """In a fresh process: Home, Input Embeddings and Nearest Neighbors."""
    drive_app(f"""
for page in ({EMBEDDINGS!r}, {NEIGHBORS!r}):
    app.switch_page(page).run()
    assert not app.exception
    assert app.get("plotly_chart")
assert not heavy(), heavy()
""")
