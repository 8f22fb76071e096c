"""Figures as one web page that needs nothing else: it opens with no network."""

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from bertviz_core.figures.drawing import Figure
from bertviz_core.figures.template import TEMPLATES

# Of plotly.js: without Plotly's mark and its button that uploads the figure to another host.
NO_UPLOAD = {"displaylogo": False, "showSendToCloud": False, "plotlyServerURL": ""}
STYLE = """\
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem;
  color: #16202c; background: #fff; }
h1 { font-size: 1.4rem; } .finding { font-size: 1.15rem; } small { color: #4a5568; }
a { overflow-wrap: anywhere; }"""


def as_plain(figure: Figure) -> dict[str, Any]:
    """A figure in the light look, as values that JSON knows; the figure stays as it is."""
    from plotly.io import to_json  # it looks for IPython, which takes long to import where it is

    spec = figure.to_dict()
    light = {**spec, "layout": {**spec["layout"], "template": TEMPLATES[False, False]}}
    plain: dict[str, Any] = json.loads(to_json(light, validate=False))
    return plain


def as_web_page(
    figures: Mapping[str, tuple[Mapping[str, Any], str]],
    *,
    title: str,
    findings: Sequence[str],
    made: str,
    address: str,
) -> bytes:
    """Write figures with what they say as a page of about 5 MB; most of it is Plotly's own script.

    Args:
        figures: By name: a figure from `as_plain`, and what it shows for those who cannot see it.
        title: Of the page, as text.
        findings: Sentences in HTML; what is not ours in them is escaped.
        made: How it was made, as text: page, model, layer.
        address: Where the view is seen.
    """
    from plotly.offline import get_plotlyjs  # as above

    said = "\n".join(f'<p class="finding">{finding}</p>' for finding in findings)
    parts = "\n".join(
        f'<figure role="img" aria-label="{escape(alt)}">{_part(figure, f"figure-{number}")}'
        "</figure>"
        for number, (figure, alt) in enumerate(figures.values())
    )
    link = escape(address)
    page = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{escape(title)}</title>
<style>
{STYLE}
</style>
<script>{get_plotlyjs()}</script>
</head>
<body>
<h1>{escape(title)}</h1>
{said}
{parts}
<p><small>{escape(made)}<br><a href="{link}">{link}</a></small></p>
</body>
</html>
"""
    # Half of a character has no bytes in UTF-8.
    return page.encode(errors="replace")


def _part(figure: Mapping[str, Any], name: str) -> str:
    from plotly.io import to_html

    return str(
        to_html(
            figure,
            config={**NO_UPLOAD, "responsive": True},
            auto_play=False,
            include_plotlyjs=False,
            full_html=False,
            div_id=name,
            default_width="100%",
            validate=False,
        )
    )
