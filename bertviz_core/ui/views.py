"""The one renderer of views: their fields, their parts in order, and the switch below a page."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack, nullcontext
from typing import Any

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.shared import models, shared_encoder
from bertviz_core.ui import inputs, slots
from bertviz_core.ui.draw import SECTION, Drawing
from bertviz_core.ui.errors import fragment
from bertviz_core.ui.following import OPENS, put
from bertviz_core.ui.jobs import waiting
from bertviz_core.ui.present import embedded
from bertviz_core.views import fields as kinds
from bertviz_core.views.declare import Section, sections_of

Given = Mapping[str, Any]
Lazy = Mapping[str, Callable[[], Any]]
SHORT, CARD = "short answers", "card"  # the section of all cards, and the key of the one shown
LEFT = "_sections_left"  # in the session: what was open as each page was left


@fragment
def sections(
    page: str, bert: Bert, given: Given, lazy: Lazy | None = None, *, ask_first: bool = True
) -> None:
    """Ask which view to show below a page's headline, none at first, and show it; see `show`.

    What is changed here runs this part again and not the page, so a view finds the page's inputs as
    they were when the page last ran.
    """
    if embedded():
        return
    views = sections_of(page)
    known = {"bert": bert, **given}
    offered = {one.label: one for one in views if not one.when or kinds.asked(one.when, known)}
    if not offered:
        return
    short = [label for label, one in offered.items() if one.card]
    switch = [label for label in offered if label not in short] + [SHORT] * bool(short)
    title = "Look closer at"
    _open_as_asked(page, short)
    inputs.reset_unless(SECTION, switch.__contains__, None, label=title, offered=switch)
    chosen = st.segmented_control(title, switch, key=SECTION, wrap=True, **inputs.BOUND)
    st.session_state[LEFT][page] = left = {SECTION: chosen}
    if chosen is None:
        return
    with ExitStack() as slot:
        slot.enter_context(slots.slot_for(chosen, SECTION))
        if chosen == SHORT:
            left[CARD] = chosen = inputs.listed("Question", short, key=CARD)
            slot.enter_context(slots.slot_for(chosen, CARD))
        show(offered[chosen], bert, given, lazy, ask_first=ask_first)


def _open_as_asked(page: str, short: list[str]) -> None:
    """As a page opens, open what it was left with, or the card its address names as a section."""
    left, asked = st.session_state.setdefault(LEFT, {}), st.query_params.get(SECTION)
    opens = st.session_state.pop(OPENS, False)
    if opens and asked in short:
        # A bound field reads the address at the start of a run (seen with Streamlit 1.67).
        st.query_params.update({SECTION: SHORT, CARD: asked})
        st.rerun()
    if opens and asked is None:
        for key, value in left.get(page, {SECTION: None}).items():
            put(key, value)


def show(
    section: Section,
    bert: Bert,
    given: Given,
    lazy: Lazy | None = None,
    *,
    asked: Given | None = None,
    ask_first: bool = True,
) -> None:
    """Ask for a view's fields, compute it and show it.

    `given` is what the page has asked, by the names of parameters; `lazy` makes further values for
    views that name them: results of a job. `asked` are the values of its fields, where `ask` was
    called elsewhere on the page. With `ask_first` a click is asked for before the model is loaded.
    """
    given = {"bert": bert, **given}
    if section.runs_model:
        given["encoder"] = shared_encoder(bert)
    if asked is None:
        asked = ask(section, given)
    if ask_first and section.runs_model and not _ready(section, bert):
        return
    missing = [name for name in section.needs if name not in given]
    given |= {name: (lazy or {})[name]() for name in missing}
    with waiting(_doing(section, bert), height=320) if section.doing else nullcontext():
        made = section.make(**{name: given[name] for name in section.needs}, **asked)
    Drawing(made).draw(made.parts)


def ask(section: Section, given: Given) -> dict[str, Any]:
    """Draw the fields of a view, side by side; their values by parameter."""
    asked: dict[str, Any] = {}
    if not section.fields:
        return asked
    columns = min(len(section.fields), 3)
    with slots.cells(section.make.__name__, columns) as cells:
        for name, field in section.fields.items():
            default, known = section.defaults[name], {**given, **asked}
            wanted = (known[one] for one in field.wants.get("when", ()))
            if field.when is not None and not field.when(*wanted):
                asked[name] = default
                continue
            with cells.cell() if columns > 1 else nullcontext():
                settled = field.settled(known) if field.wants else field
                asked[name] = _field(settled, default)
    return asked


def _field(field: kinds.Field, default: Any) -> Any:
    """Draw a field; its value."""
    label, key, help = field.label, field.key, field.help
    match field:
        case kinds.Slider(low=low, high=high):
            return inputs.number(label, low, high, min(max(default, low), high), key=key)
        case kinds.Listed():
            return inputs.listed(label, field.options, key=key, help=help)
        case kinds.Choice():
            return inputs.choice(label, field.options, key=key, help=help)
        case kinds.Number():
            return inputs.whole_number(label, field.last, key=key, empty=str(field.empty))
        case kinds.Span():
            first, last = (min(end, field.size - 1) for end in default)
            return inputs.span(label, field.size, (first, last), key=key)
        case kinds.Line():
            first = field.first or default
            return inputs.sentence(label, first, key=key, placeholder=field.placeholder)
    raise TypeError(f"{type(field).__name__} has no widget")


def _doing(section: Section, bert: Bert) -> str:
    """What to say while a view is computed."""
    doing = section.doing
    if section.runs_model and not models.has_encoder(bert.name):
        return f"Loading the model, once, then: {doing[0].lower()}{doing[1:]}"
    return doing


def _ready(section: Section, bert: Bert) -> bool:
    """Ask for a click before the model is loaded; afterwards results come by themselves."""
    return models.has_encoder(bert.name) or asked_for_model(f"run_{section.make.__name__}")


def asked_for_model(key: str = "run_model") -> bool:
    """Ask whether to load the model; True where a click has said so."""
    return inputs.begin_button(
        "Run the model",
        "Loads the whole model once, a few seconds; afterwards the result appears here.",
        icon=":material/play_arrow:",
        key=key,
        type="primary",
    )
