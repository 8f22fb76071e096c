"""The one renderer of views: their fields, their parts in order, files to take home, and errors.

Below the headline of a page a switch opens its other views.
"""

import hashlib
import logging
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial, wraps
from typing import Any, ParamSpec

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.errors import BertvizError
from bertviz_core.figures.colors import TEMPLATES
from bertviz_core.saved_files import Column, Made, as_csv, values_of
from bertviz_core.shared.models import SharedEncoder, models
from bertviz_core.showable import file_name
from bertviz_core.ui import fields, html, state
from bertviz_core.ui.jobs import waiting
from bertviz_core.ui.state import BOUND, LECTURE
from bertviz_core.views import fields as kinds
from bertviz_core.views.declare import Section, sections_of
from bertviz_core.views.files import NO_UPLOAD, ViewFiles
from bertviz_core.views.parts import (
    Beside,
    Chips,
    Links,
    Overlay,
    Part,
    Picture,
    Program,
    Sentence,
    Table,
)
from bertviz_core.views.view import View

Arguments = ParamSpec("Arguments")
Given = Mapping[str, Any]
Lazy = Mapping[str, Callable[[], Any]]
SECTION = "section"  # key of the switch, on every page
# The field with the sentence of a page, which is part of the names of its files.
NAMED_AFTER = {
    "Home": "a",
    "Tokens": "a",
    "Input Embeddings": "a",
    "Nearest Neighbors": "q",
    "Word in Context": "a",
    "Sentence Vectors": "a",
}
MAX_LINES = 200  # of a program that is shown at its full height, and in colours
_log = logging.getLogger(__name__)


@contextmanager
def errors_shown(*, stop: bool = True) -> Iterator[None]:
    """Show an error raised inside as a sentence, and end the page there, unless `stop` is False.

    A `BertvizError` is meant for the user. Any other exception is a defect: the page shows a
    reference, and the log has its traceback under it. With `client.showErrorDetails` other than
    "none" a defect passes, and Streamlit shows it.
    """
    try:
        yield
    except BertvizError as error:
        html.alert(str(error))
    except Exception as error:
        if st.get_option("client.showErrorDetails") != "none":
            raise
        # Without the error's message, which may hold a user's text. An equal error has an equal
        # reference, so that the log need not have it again for each visitor.
        frames = "".join(traceback.format_tb(error.__traceback__))
        failed = f"{type(error).__name__}\n{frames}"
        reference = hashlib.sha256(failed.encode()).hexdigest()[:6]
        _log.error(f"Failed run, reference {reference}: {failed}")
        html.alert(
            "Something went wrong in the app. Your input is fine. The operator finds the cause in "
            f"the log under the reference {reference}."
        )
    else:
        return
    if stop:
        st.stop()


def show_fragment(
    show: Callable[Arguments, None], *args: Arguments.args, **kwargs: Arguments.kwargs
) -> None:
    """Show a part of the page that runs again alone when one of its own fields changes.

    When it runs alone, nobody around it catches its errors, nor those of its fields. It has a slot
    of its own name, because the container of a fragment has none.
    """

    @wraps(show)
    def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        with errors_shown(stop=False):
            show(*args, **kwargs)

    with st.container(key=f"part-{show.__name__.strip('_').replace('_', '-')}"):
        st.fragment(run)(*args, **kwargs)


def sections(bert: Bert, given: Given, lazy: Lazy | None = None, *, ask_first: bool = True) -> None:
    """Ask which view to show below a page's headline, none at first, and show it; see `show`.

    Call it by `show_fragment`: what is changed here runs this part again and not the page, so a
    view finds the page's inputs as they were when the page last ran.
    """
    visit = state.now()
    known = {"bert": bert, **given}
    offered = {
        one.label: one for one in sections_of(visit.page) if one.when is None or one.when(known)
    }
    if visit.is_embedded or not offered:
        return
    if state.is_opening(SECTION):
        if SECTION not in st.query_params:
            state.put(SECTION, visit.sections.get(visit.page))  # the page opens as it was left
        state.change(drawn=visit.drawn | {SECTION})
    fields.reset_unless(SECTION, offered.__contains__, None)
    chosen = st.segmented_control("Look closer at", offered, key=SECTION, wrap=True, **BOUND)
    state.change(sections={**visit.sections, visit.page: chosen})
    # A slot for each: in one, the old and the new section would both hold a field that they share
    # for a moment, and removing the old one would cut it off the address.
    for label, section in offered.items() if chosen else ():
        if label != chosen:
            st.empty()
            continue
        with st.container(key=f"part-{label}"):
            show(section, bert, given, lazy, ask_first=ask_first)


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
        given["encoder"] = SharedEncoder(bert)
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
    with st.grid(columns, key=f"cells-{section.make.__name__}") as cells:
        for name, one in section.fields.items():
            default = section.defaults[name]
            known = {**given, **chosen}
            if one.when is not None and not one.when(known):
                chosen[name] = default
                continue
            with cells.cell() if columns > 1 else nullcontext():
                chosen[name] = _field(one.for_page(known), default)
    return chosen


def _field(one: kinds.Field, default: Any) -> Any:
    label, key, help = one.label, one.key, one.help
    match one:
        case kinds.Slider(low=low, high=high):
            return fields.number(label, low, high, min(max(default, low), high), key=key)
        case kinds.Listed():
            return fields.listed(label, one.options, key=key, help=help)
        case kinds.Choice():
            return fields.choice(label, one.options, key=key, help=help)
        case kinds.Number():
            return fields.whole_number(label, one.last, key=key, empty=str(one.empty))
        case kinds.Span():
            first, last = (min(end, one.size - 1) for end in default)
            return fields.span(label, one.size, (first, last), key=key)
        case kinds.TextLine():
            first = one.first or default
            return fields.sentence(label, first, key=key, placeholder=one.placeholder)
    raise TypeError(f"{type(one).__name__} has no widget")


def _doing(section: Section, bert: Bert) -> str:
    if section.runs_model and not models.has_encoder(bert.name):
        return f"Loading the model, once. Then: {section.doing}"
    return section.doing


def _ready(section: Section, bert: Bert) -> bool:
    """Ask for a click before the model is loaded; afterwards results come by themselves."""
    return models.has_encoder(bert.name) or fields.begin_button(
        "Run the model",
        "Loads the whole model once, a few seconds; afterwards the result appears here.",
        icon=":material/play_arrow:",
        key=f"run_{section.make.__name__}",
    )


def draw(view: View) -> None:
    """Show the parts of a view in their order."""
    Drawing(view).draw(view.parts)


@dataclass
class Drawing:
    """A view that is being drawn."""

    view: View
    since: list[Part] = field(default_factory=list)  # drawn since the last program: of the next one
    framed: set[str] = field(default_factory=set)  # kinds that were drawn in a frame

    def draw(self, parts: Iterable[Part]) -> None:
        """Show some parts in their order."""
        for part in self._framed(parts) if state.now().is_embedded else parts:
            match part:
                case Sentence():
                    st.html(html.written(part))
                case Links():
                    self._links(part)
                case Overlay():
                    html.beside_chart(part.picture, part.traces, part.shapes)
                case Chips():
                    on_tap = None
                    if part.sets and part.typed:
                        on_tap = partial(fields.take_token, part.sets, part.typed, part.text)
                    html.token_chips(
                        part.text, by_word=part.by_word, selected=part.selected, on_tap=on_tap
                    )
                case Beside():
                    self._beside(part)
                case Picture():
                    self._picture(part)
                case Table():
                    self._table(part)
                case Program():
                    self._program(part)
            self.since.append(part)

    def _framed(self, parts: Iterable[Part]) -> Iterator[Part]:
        """In a frame of another site: the first finding and the first picture of the view."""
        for part in parts:
            kind = part.kind if isinstance(part, Sentence) else type(part).__name__
            if kind not in ("finding", "Picture") or kind not in self.framed:
                self.framed.add(kind)
                yield part

    def _links(self, part: Links) -> None:
        if part.page and state.now().presenting:
            return
        address = partial(state.link, part.page) if part.page else state.link_here
        html.links(part.title, {label: address(**to) for label, to in part.changes.items()})

    def _beside(self, part: Beside) -> None:
        presenting = state.now().presenting
        count = part.presented if presenting and part.presented else len(part.columns)
        columns = st.columns(list(part.widths)[:count] or count, gap="medium")
        for column, parts in zip(columns, part.columns[:count], strict=True):
            with column:
                self.draw(parts)

    def _picture(self, part: Picture) -> None:
        visit = state.now()
        made = self.view.made
        if part.figure.played:  # in the browser it moves on to other layers; it prints which
            made = {what: value for what, value in made.items() if what != "layer"}

        def follow() -> None:
            event = st.session_state.get(f"chart_{part.name}") or {}  # a visitor may make one up
            points = event.get("selection", {}).get("points", [])
            numbers = [point["customdata"][0] for point in points if point.get("customdata")]
            if part.follows and numbers:
                st.session_state[part.follows] = int(numbers[0]) + 1

        part.figure.large = visit.look != ""
        part.figure.template = TEMPLATES[st.context.theme.type == "dark", part.figure.large]
        st.plotly_chart(
            part.figure,
            theme=None,  # Streamlit's own would replace the letters by paler ones
            key=f"chart_{part.name}",
            alt=part.alt,
            selection_mode="points",
            on_select="ignore" if visit.is_embedded or part.follows is None else follow,
            height="stretch" if visit.is_embedded else "content",
            config={
                **NO_UPLOAD,
                "displayModeBar": False if visit.is_embedded else "hover",
                "toImageButtonOptions": {
                    "format": "png",
                    "filename": _file_name(part.name, made, typed=part.typed),
                    "scale": 2,
                },
                "modeBarButtonsToRemove": ["autoScale2d", "zoomIn2d", "zoomOut2d"],
            },
        )

    def _table(self, part: Table) -> None:
        """A table, perhaps folded; an audience sees only what is presented."""
        if state.now().presenting and not part.presented:
            return
        if not part.fold:
            self._rows(part)
        else:
            key = f"{part.name}-numbers"
            folded = st.expander(part.fold, icon=":material/table:", key=key, bind="query-params")
            if folded.open:
                with folded:
                    self._rows(part)

    def _rows(self, part: Table) -> None:
        """A table that can be sorted, and as CSV with all digits."""
        import pyarrow as pa
        from pyarrow.types import is_floating

        columns = part.columns()
        # Made and sent in a third of the time that a pandas frame takes.
        rows = pa.table({title: values_of(column) for title, column in columns.items()})
        decimals = {
            title: column.decimals if isinstance(column, Column) else part.decimals
            for title, column in columns.items()
            if is_floating(rows.schema.field(title).type)
        }
        st.dataframe(
            rows,
            placeholder="",  # an empty cell, not a grey "None"
            alt=f"The numbers of {part.name.replace('-', ' ')} as a table",
            column_config={
                title: st.column_config.NumberColumn(
                    format="%g" if digits is None else f"%.{digits}f"
                )
                for title, digits in decimals.items()
            },
        )
        made = {"model": state.now().model, **self.view.made}
        file = f"{_file_name(part.name, self.view.made)}.csv"
        _file("Table as CSV", lambda: as_csv(columns, made), file, key=f"csv_{part.name}")

    def _program(self, part: Program) -> None:
        """The code for what was drawn since the last program, and the same as files."""
        visit = state.now()
        parts = self.since
        self.since = []
        if visit.presenting:
            return
        folded = st.expander(
            f"Show the code{part.about and ' of '}{part.about}, or a notebook",
            icon=":material/code:",
            key=f"code-{part.name}",
            bind="query-params",
        )
        if folded.open:  # a browser takes longer to colour code than to draw a chart
            with folded:
                _offer_files(
                    ViewFiles(visit.page, visit.question, _address(), parts, part, self.view.made)
                )
                # Thousands of sentences may be in it: colours keep a browser busy for seconds.
                if part.text.count("\n") > MAX_LINES:
                    st.code(part.text, language=None, height=600)
                else:
                    st.code(part.text, language="python")


def _offer_files(files: ViewFiles) -> None:
    name = files.program.name
    file = _file_name(name, files.made)
    with st.container(horizontal=True, key=f"home-{name}"):
        _file("This view as a notebook", files.notebook, f"{file}.ipynb", key=f"ipynb_{name}")
        if files.program.arrays or files.of(Table):
            _file("Arrays (NPZ)", files.npz, f"{file}.npz", key=f"npz_{name}")


def _file(label: str, content: Callable[[], Any], name: str, *, key: str) -> None:
    """Offer a file; its `content` is made, in another thread, when somebody asks for it."""
    st.download_button(
        label,
        content,
        file_name=name,
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
        key=key,
    )


def _file_name(name: str, made: Made, *, typed: bool = True) -> str:
    """Name what is saved by the page, `name`, the model, how it was made, and what was typed."""
    visit = state.now()
    sentence = ""
    if typed and visit.page in NAMED_AFTER and "word" not in made:
        lines = (st.session_state.get(NAMED_AFTER[visit.page]) or "").splitlines()
        first = next((line for line in lines if line.strip()), "")
        sentence = first.replace("[", "").replace("]", "")
    return file_name(visit.page.lower(), name, visit.model, made=made, sentence=sentence)


def _address() -> str:
    """Where the view is seen, without the fold that its program is in."""
    left_out = ("code-", LECTURE)
    kept = {key: value for key, value in st.query_params.items() if not key.startswith(left_out)}
    return state.with_query(st.context.url or "", kept)
