"""Texts that break what handles text carelessly, and what no page may make of them."""

from streamlit.testing.v1 import AppTest

from tests.headless import html

HOSTILE = [
    "",
    "   ",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "![x](http://example.org/x.png) [a](javascript:alert(1)) **b** # h",
    "$x^2$ :smile: :red[x] :material/home:",
    "שלום مرحبا 我喜欢 🐍👩‍👩‍👧 e\u0301",
    "control \x00\x07\x1b[31m \u202e reversed \u2069 \u2067 open",
    "می\u200cخواهم \U0001fae8 10\u00a0km 5\u202f%\u3000so\u00adft",
    "half a pair \ufffd here",
    "{curly} {0} %s \\ \\[ ]] [[ [SEP] [MASK] ##",
    "[python] [python]",
    "word " * 1000,
    "x" * 5000,
    "é " * 2500,
]


def assert_harmless(app: AppTest, text: str = "") -> None:
    """A page has run, and shows `text` as text: no script, no picture, no link of it."""
    assert not app.exception, text
    shown = html(app)
    assert "<script>alert" not in shown
    assert "<img" not in shown
    for element in [*app.markdown, *app.caption]:
        assert "alert(1)" not in element.value
        assert "example.org" not in element.value
