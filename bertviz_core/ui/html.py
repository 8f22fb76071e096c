"""Our own small pieces of HTML; whatever a user typed is escaped here and nowhere else."""

import json
import os
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

from bertviz_core.checkpoints.vocabulary import Vocabulary
from bertviz_core.errors import shortened
from bertviz_core.showable import filled, plain
from bertviz_core.tokens import TokenizedText
from bertviz_core.ui import state
from bertviz_core.views import view
from bertviz_core.views.parts import Sentence

HUES = 6  # colours that neighbouring words have in turn; see style.css
Tapped = Callable[[int], None]
LOOKS = {
    "finding": 'class="bx bx-finding"',
    "note": 'class="bx bx-note" role="note"',
    "caption": 'class="bx bx-key"',
    "verdict": 'class="bx"',
    "alert": 'class="bx bx-alert" role="alert"',
}


def sentence(said: Sentence) -> None:
    """Show a sentence of ours with values in it, and a "?" that leads to its method."""
    st.html(written(said))


def written(said: Sentence) -> str:
    """A sentence as HTML."""
    link = ""
    if said.method:
        methods = f"{site()}/docs/methods.html#" if site() else "Methods?find="
        entry = methods + said.method
        link = (
            f'&nbsp;<a class="bx-method" href="{escape(entry)}" target="_blank" '
            'aria-label="What these numbers mean" title="What these numbers mean">?</a>'
        )
    shown = filled(said.template, said.values)
    return f"<div {LOOKS[said.kind]}>{shown}{link}</div>"


def site() -> str:
    """The address of the static site (`make site`); "" where the operator named none.

    Asked anew: Streamlit reads secrets into the environment after this file is imported.
    """
    return os.environ.get("BERTVIZ_SITE", "").strip().rstrip("/")


def _shown(make: Callable[..., Sentence]) -> Callable[..., None]:
    """A function that shows what another one, of views/view.py, makes."""

    def show(*given: Any, **values: Any) -> None:
        sentence(make(*given, **values))

    return show


note, caption = _shown(view.note), _shown(view.caption)
verdict, alert = _shown(view.verdict), _shown(view.alert)


def links(title: str, addresses: Mapping[str, str], *, kind: str = "") -> None:
    """Show a row of links by their labels, which are ours, not a user's."""
    row = "".join(
        f'<a href="{escape(address)}" target="_self">{escape(label)}</a>'
        for label, address in addresses.items()
    )
    st.html(f'<nav class="bx bx-links {kind}"><span>{escape(title)}</span>{row}</nav>')


def examples(prepared: Mapping[str, Mapping[str, str | int]]) -> None:
    """Show a row of prepared views of the page that is shown."""
    page = state.now().address
    addresses = {label: state.link(page, **inputs) for label, inputs in prepared.items()}
    links("Try", addresses, kind="bx-examples")


def link_card(title: str, text: str, address: str) -> None:
    """Show a large link: a title and a sentence."""
    st.html(
        f'<nav class="bx bx-cards"><a class="bx-card" href="{escape(address)}" target="_self">'
        f"<strong>{escape(title)}</strong><p>{escape(text)}</p></a></nav>"
    )


def claim(text: str) -> None:
    """Show one of the tour's claims, to be read from the back row; the text is ours."""
    st.html(f'<h1 class="bx bx-claim">{plain(text)}</h1>')


def at_work(doing: str) -> None:
    """Say what is being done, beside a wheel that turns."""
    st.html(f'<div class="bx bx-at-work" role="status">{plain(doing)}</div>')


def entry(title: str, text: str, *, is_open: bool) -> None:
    """A part of a file of docs/, which is ours, folded below its title."""
    with st.expander(title, expanded=is_open):
        st.markdown(text.replace("](#", "](Methods?find="))


def style(*names: str) -> None:
    """Files of browser/ as the rules of a page that has no frame."""
    st.html(f"<style>{browser_files(*names)}</style>")


def beside_chart(chart: str, traces: Sequence[Any], shapes: Sequence[Any]) -> None:
    """Put traces and shapes on a chart; see `views.parts.Overlay`.

    They hold numbers and our own words; other text went through `figures.drawing.label`.
    """
    text = escape(json.dumps({"data": traces, "shapes": shapes}, separators=(",", ":")))
    st.html(
        f'<span hidden data-chart="chart_{chart}" data-lines="{text}"></span>'
        f"<script>{browser_files('lines.js')}</script>",
        unsafe_allow_javascript=True,
    )


def component(name: str, key: str, box: str, given: Mapping[str, Any], **events: Any) -> None:
    """Put a piece on the page that reports events; browser/NAME.js gets what is `given`."""
    # Register again on every run: a restarted server has lost it.
    script = browser_files(f"{name}.js")
    mount = st.components.v2.component(name, html=box, js=script, isolate_styles=False)
    # Given anything but bytes, Streamlit imports pandas (0.3 s) to see whether it is a table.
    mount(key=key, data=json.dumps(given).encode(), **events)


@cache
def browser_files(*names: str) -> str:
    """Files of browser/, which are ours, one after another."""
    folder = Path(__file__).parent / "browser"
    return "".join((folder / name).read_text(encoding="utf-8") for name in names)


def token_chips(
    text: TokenizedText,
    *,
    by_word: Vocabulary | None = None,
    selected: Collection[int] = (),
    on_tap: Tapped | None = None,
) -> None:
    """Show every token with its id; those at the positions `selected` are framed.

    A chip is chosen by a tap, or by the arrow keys and Enter: `on_tap` gets its position before the
    page runs again. With `by_word` they are coloured by word, not by segment; the line below a
    chip still shows its segment.
    """
    words: list[tuple[str, list[str]]] = []  # the direction of a word, and its chips
    last: tuple[int, int] | None = None  # word and segment of the token before
    number = -1  # of the last word that has a colour
    columns = zip(
        text.tokens,
        text.input_ids.tolist(),
        text.token_type_ids.tolist(),
        text.word_ids,
        text.offsets.tolist(),
        strict=True,
    )
    option = "" if on_tap is None else ' role="option"'
    for position, (token, token_id, segment, word, (start, end)) in enumerate(columns):
        if word is None or last != (word, segment):
            words.append((_direction(token), []))
            number += 0 if word is None else 1
        last = None if word is None else (word, segment)
        hover = f"position {position}, segment {'AB'[segment]}"  # numbers only: nothing to escape
        if word is None:
            kind = "bx-special"
        else:
            hover += f", characters {start} to {end}"
            kind = _kind(by_word, token_id, number) if by_word else ""
        kinds = " ".join(filter(None, ("bx-token", "bx-second" if segment else "", kind)))
        words[-1][1].append(
            f'<span class="{kinds}"{option} title="{hover}">'
            f"{plain(token)}<small>{token_id}</small></span>"
        )
    chips = "".join(f'<span class="bx-word"{side}>{"".join(each)}</span>' for side, each in words)
    key = ""
    of_second = int(text.token_type_ids.sum())
    if of_second:  # what the lines below the chips mean
        segments = f"{len(text) - of_second} in segment A (single line), {of_second} in segment B"
        key = f'<div class="bx-key">{segments} (double line).</div>'
    role = 'tabindex="0" role="group"'
    if on_tap is not None:
        role = 'role="listbox" aria-multiselectable="true"'
    _mount(
        f'<div class="bx-tokens" {role} aria-label="{len(text)} tokens with their ids">{chips}'
        f"</div>{key}",
        selected,
        on_tap,
        len(text),
        "chips",
    )


class Row(NamedTuple):
    """Words that are chosen by a tap, side by side."""

    title: str  # before them; "" for none
    words: Sequence[str]
    chosen: Sequence[bool]


def word_chips(rows: Sequence[Row], on_tap: Callable[[int, int], None], *, name: str) -> None:
    """Show rows of words; `on_tap` gets the numbers of the row and of the word in it."""
    places = [(row, word) for row, one in enumerate(rows) for word in range(len(one.words))]
    chosen = [number for number, (row, word) in enumerate(places) if rows[row].chosen[word]]
    if not places:
        return

    def tapped(number: int) -> None:
        on_tap(*places[number])

    shown = "".join(
        f'<div class="bx-tokens bx-words" role="group"><span>{plain(row.title)}</span>'
        + "".join(
            f'<span class="bx-token" role="option">{plain(shortened(word, 40))}</span>'
            for word in row.words
        )
        + "</div>"
        for row in rows
    )
    box = f'<div role="listbox" aria-multiselectable="true" aria-label="{name}">{shown}</div>'
    _mount(box, chosen, tapped, len(places), f"chips-{name}")


def _mount(
    chips: str, selected: Collection[int], on_tap: Tapped | None, count: int, name: str
) -> None:
    """Put chips on the page, as HTML of ours in which what was typed is escaped."""
    data: dict[str, Any] = {"chips": chips}
    events: dict[str, Any] = {}
    if on_tap is not None:

        def tapped() -> None:
            position = st.session_state[name]["tapped"]
            if isinstance(position, int) and 0 <= position < count:
                on_tap(position)

        data["selected"] = sorted(selected)
        events["on_tapped_change"] = tapped
    component("chips", name, '<div class="bx bx-chips"></div>', data, **events)


def _kind(vocabulary: Vocabulary, token_id: int, number: int) -> str:
    """The classes of a chip that is coloured by the number of its word."""
    if vocabulary.tokens[token_id] == vocabulary.unknown:
        return "bx-unknown"
    return "bx-special bx-typed" if vocabulary.is_special[token_id] else f"bx-hue{number % HUES}"


def _direction(token: str) -> str:
    """Of a word written from right to left, the pieces are joined in that direction."""
    letters = (unicodedata.bidirectional(character) for character in token)
    strong = next((kind for kind in letters if kind in ("L", "R", "AL")), "L")
    return "" if strong == "L" else ' dir="rtl"'
