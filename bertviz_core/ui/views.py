"""The one renderer of views: their fields, their parts in order, and the switch below a page."""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.shared import models, shared_encoder
from bertviz_core.ui import inputs, slots
from bertviz_core.ui.address import BOUND, OPENS, put
from bertviz_core.ui.draw import SECTION, Drawing
from bertviz_core.ui.errors import fragment
from bertviz_core.ui.jobs import waiting
from bertviz_core.ui.present import embedded
from bertviz_core.views import fields as kinds
from bertviz_core.views.declare import Section, sections_of

Given = Mapping[str, Any]
Lazy = Mapping[str, Callable[[], Any]]
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
    known = {"bert": bert, **given}
    offered = {one.label: one for one in sections_of(page) if one.when is None or one.when(known)}
    if not offered:
        return
    left = st.session_state.setdefault(LEFT, {})
    if st.session_state.pop(OPENS, False) and SECTION not in st.query_params:
        put(SECTION, left.get(page))  # the page opens as it was left
    inputs.reset_unless(SECTION, offered.__contains__, None)
    chosen = st.segmented_control("Look closer at", offered, key=SECTION, wrap=True, **BOUND)
    left[page] = chosen
    if chosen is not None:
        with slots.slot_for(chosen, SECTION):
            show(offered[chosen], bert, given, lazy, ask_first=ask_first)


def show(
    section: Section,
    bert: Bert,
    given: Given,
    lazy: Lazy | None = None,
    *,
    chosen: Given | None = None,
    ask_first: bool = True,
) -> None:
    """Ask for a view's fields, compute it and show it.

    `given` are values of the page, by the names of parameters; `lazy` makes further ones for views
    that name them, such as results of a job. `chosen` are the values of the view's own fields, if
    `ask` has drawn them elsewhere on the page. With `ask_first` the model is loaded after a click.
    """
    given = {"bert": bert, **given}
    if section.runs_model:
        given["encoder"] = shared_encoder(bert)
    if chosen is None:
        chosen = ask(section, given)
    if ask_first and section.runs_model and not _ready(section, bert):
        return
    missing = [name for name in section.needs if name not in given]
    given |= {name: (lazy or {})[name]() for name in missing}
    with waiting(_doing(section, bert), height=320) if section.doing else nullcontext():
        view = section.make(**{name: given[name] for name in section.needs}, **chosen)
    Drawing(view).draw(view.parts)


def ask(section: Section, given: Given) -> dict[str, Any]:
    """Draw the fields of a view, side by side; their values by parameter."""
    chosen: dict[str, Any] = {}
    if not section.fields:
        return chosen
    columns = min(len(section.fields), 3)
    with slots.cells(section.make.__name__, columns) as cells:
        for name, field in section.fields.items():
            default, known = section.defaults[name], {**given, **chosen}
            if field.when is not None and not field.when(known):
                chosen[name] = default
                continue
            with cells.cell() if columns > 1 else nullcontext():
                chosen[name] = _field(field.for_page(known), default)
    return chosen


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
        case kinds.TextLine():
            first = field.first or default
            return inputs.sentence(label, first, key=key, placeholder=field.placeholder)
    raise TypeError(f"{type(field).__name__} has no widget")


def _doing(section: Section, bert: Bert) -> str:
    """What to say while a view is computed."""
    if section.runs_model and not models.has_encoder(bert.name):
        return f"Loading the model, once. Then: {section.doing}"
    return section.doing


def _ready(section: Section, bert: Bert) -> bool:
    """Ask for a click before the model is loaded; afterwards results come by themselves."""
    return models.has_encoder(bert.name) or inputs.begin_button(
        "Run the model",
        "Loads the whole model once, a few seconds; afterwards the result appears here.",
        icon=":material/play_arrow:",
        key=f"run_{section.make.__name__}",
    )
