"""What views are made of: parts in their order, values that are escaped, fields from signatures."""

from typing import Annotated

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.figures.bars import neighbor_bars
from bertviz_core.tokens import InputText
from bertviz_core.views import declare
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Choice, Number, Slider
from bertviz_core.views.files import as_plain
from bertviz_core.views.parts import beside, caption, picture, program, say, table, truncated
from bertviz_core.views.tokens.vocabulary import IDS_PROGRAM
from bertviz_core.views.view import Overlay, View

BARS = neighbor_bars(["<b>"], np.float32([0.5]), score_name="cosine")


def small(bert: Bert) -> View:
    return View(
        say("Nearest is <b>{token}</b> ({score:.2f}).", token="<i>", score=0.5),
        [caption("Of {token}", token="all")],
        beside(picture(BARS, alt="One bar", name="left"), [table({"n": [1, None]}, name="t")]),
        program(IDS_PROGRAM, bert, name="decode", token_ids=[1]),
    )


def test_parts_are_found_by_name_also_in_columns(minilm: Bert) -> None:
    made = small(minilm)
    assert made.values == {"token": "<i>", "score": 0.5}, "of equal names the first"
    assert '<b><bdi data-name="token">&lt;i&gt;</bdi></b>' in made.findings[0]
    assert made.to_frame()["n"].tolist()[0] == 1
    assert made.programs["decode"].text.startswith('"""')
    assert truncated(InputText("a b").tokenize(minilm)) == []


def test_the_signature_is_the_form(minilm: Bert, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(declare, "SECTIONS", {})

    @view("lengths", page="Word Senses", rank=5)
    def lengths(
        bert: Bert,
        typed: InputText,
        k: Annotated[int, Slider("How many", 1, lambda page: page["bert"].vocab_size)] = 3,
        kind: Annotated[str, Choice("Kind", ("all", "some"), key="keep")] = "all",
        at: Annotated[
            int | None, Number("At", 9, "none", when=lambda page: page["kind"] == "some")
        ] = None,
    ) -> View:
        """One line.

        And more.
        """
        return View(say("{k} {typed}", k=k, typed=typed.text))

    assert lengths.needs == ("bert", "typed")
    assert [field.key for field in lengths.fields.values()] == ["k", "keep", "at"]
    assert lengths.fields["k"].for_page({"bert": minilm}).high == minilm.vocab_size
    assert (lengths.about, lengths.defaults["k"], lengths.runs_model) == ("One line.", 3, False)
    assert lengths(minilm, "the cat", k=2).values == {"k": 2, "typed": "the cat"}
    assert declare.SECTIONS["word_senses"]["lengths"] is lengths


def test_a_wrong_page_is_named() -> None:
    with pytest.raises(ValueError, match="no page 'Nearest Neighbours'"):
        view("small", page="Nearest Neighbours")(small)


def test_a_saved_picture_has_what_lies_on_it() -> None:
    shown = picture(BARS, alt="One bar", name="bars")
    line = {"type": "scatter", "x": [0], "y": [1]}
    others = [Overlay(name, {"data": [line], "layout": {"shapes": []}}) for name in ("bars", "b")]
    spec = as_plain(shown, others)
    assert [trace["type"] for trace in spec["data"]] == ["bar", "scatter"]
    assert spec["layout"]["shapes"] == []
    assert len(BARS.to_dict()["data"]) == 1, "the page's own picture stays as it is"
