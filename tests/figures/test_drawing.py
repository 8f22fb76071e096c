from bertviz_core.figures.drawing import (
    label,
    named,
    named_rows,
    numbered,
)


def test_labels_are_literal() -> None:
    assert label("<b>x</b> & y") == "&lt;b&gt;x&lt;/b&gt; &amp; y"
    assert label('"it\'s"') == '"it\'s"', "no part of an attribute"
    assert label("x" * 30) == "x" * 23 + "…"
    assert numbered(["the", "cat", "the"]) == ["0 the", "1 cat", "2 the"]
    assert numbered(["dog"], first=7) == ["7 dog"]


def test_axes_keep_equal_names_apart() -> None:
    names = ["the", "cat", "the"]
    assert named(names)["tickvals"] == [0, 1, 2]
    assert named(names, most=2)["ticktext"] == ["the", "the"]
    assert named(["x"] * 100, most=10)["tickvals"] == list(range(0, 100, 10))
    assert len(named(["x"] * 101, most=10)["tickvals"]) <= 10
    assert named_rows(names)["range"] == [2.5, -0.5]
    assert named_rows([])["tickvals"] == []
