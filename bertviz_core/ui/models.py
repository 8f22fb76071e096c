"""The choice of a model in the sidebar, and what happens when it is not on this machine."""

from dataclasses import dataclass
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertviz_core.bert import Bert, load_bert
from bertviz_core.checkpoints.catalog import OfferedModel, offered_models
from bertviz_core.checkpoints.checkpoint import WHERE_FROM, origin_of
from bertviz_core.checkpoints.download import download
from bertviz_core.checkpoints.random_weights import make_random
from bertviz_core.checkpoints.ready import default_model, why_unavailable
from bertviz_core.errors import BertvizError
from bertviz_core.shared.models import models
from bertviz_core.ui import jobs, state
from bertviz_core.ui.fields import reset_unless
from bertviz_core.ui.html import alert, note
from bertviz_core.ui.jobs import Job
from bertviz_core.ui.state import BOUND

LOOK_AGAIN = 10  # seconds; what was done to files by hand is seen after so long


@dataclass(frozen=True)
class Offer:
    """What was found at the last look."""

    models: dict[str, OfferedModel]
    default: str  # the one to start with
    missing: dict[str, str]  # of each one that cannot be used now, a sentence that says why
    ready: list[str]  # the names of the others


@st.cache_resource(ttl=LOOK_AGAIN, max_entries=1, show_spinner=False)
def offer() -> Offer:
    """Look for the files of all models; call `offer.clear()` once some have changed."""
    models = offered_models()
    reasons = {name: why_unavailable(model) for name, model in models.items()}
    missing = {name: reason for name, reason in reasons.items() if reason is not None}
    return Offer(models, default_model(), missing, [name for name in models if name not in missing])


def model_in_use(sidebar: DeltaGenerator) -> Bert:
    """Let the visitor choose among the models on offer; the chosen one.

    A model that is not ready stays chosen, with the reason and a way to get it on the page, while
    the page goes on with the model it had.
    """
    offered = offer()
    names = list(offered.models)
    reset_unless("model", names.__contains__, offered.default)
    chosen = sidebar.selectbox("Model", names, names.index(offered.default), key="model", **BOUND)
    bert, problem = _opened(chosen, offered)
    if bert is None:
        fallback = _fallback(offered)
        meanwhile = "{problem} This page shows <b>{fallback}</b> meanwhile."
        note(meanwhile, problem=problem, fallback=fallback)
        model = offered.models[chosen]
        if model.downloadable or model.shape_of:
            offer_to_get(model, key="download_model")
        bert = models.bert(fallback)
    state.change(model=bert.name, chosen_model="" if chosen == offered.default else chosen)
    shown = "" if bert.name == chosen else f"Shown: {bert.name}, "
    sidebar.caption(
        f"{shown}{bert.vocab_size:,} tokens × {bert.hidden_size} dimensions, "
        f"{bert.num_hidden_layers} layers; {WHERE_FROM[bert.source]}"
    )
    origin = origin_of(bert.checkpoint)
    sidebar.caption(f"What it is: {origin.short}.", help=origin.long)
    with sidebar.expander(f"{len(offered.ready)} of {len(names)} models ready"):
        for name in names:
            st.text(f"{name}: {offered.missing.get(name, 'ready')}")
    return bert


def _opened(name: str, offered: Offer) -> tuple[Bert | None, str]:
    """A model, or None and the reason."""
    if name in offered.missing:
        return None, offered.missing[name]
    try:
        return models.bert(name), ""
    except BertvizError as error:
        offer.clear()  # its files may have gone since the last look
        return None, str(error)


def _fallback(offered: Offer) -> str:
    """The model the visitor had, else the first that is ready."""
    for name in (state.now().model, offered.default, *offered.ready):
        if name in offered.ready and _opened(name, offered)[0] is not None:
            return str(name)
    return offered.default


def offer_to_get(model: OfferedModel, *, key: str) -> None:
    """Offer to download a model, or to draw one at random; follow it while that is done."""
    job = jobs.find(_key(model))
    if job is not None and job.state == "running":
        jobs.follow_beside(job.key, partial(_progress_text, model))
        return
    size = f", {model.megabytes:,} MB" if model.megabytes else ""
    label = f"{'Download' if model.downloadable else 'Make'} {model.name}{size}"
    icon = "download" if model.downloadable else "casino"
    if job is not None and job.state == "failed":
        alert(job.message)
        label = "Try again"
        icon = "refresh"
    icon = f":material/{icon}:"
    st.button(label, icon=icon, type="primary", key=key, on_click=_begin, args=(model,))


def _progress_text(model: OfferedModel, job: Job) -> str:
    doing = f"Downloading {model.name}: {job.done / 1e6:,.0f} of {job.total / 1e6:,.0f} MB"
    if model.shape_of:
        doing = f"Drawing the weights of {model.name}"
    return f"{doing}. You can go on working meanwhile."


def _begin(model: OfferedModel) -> None:
    """Begin to download a model, or to draw it at random; or join whoever has begun."""

    def work(job: Job) -> None:
        made = make_random if model.shape_of else download
        models.add(load_bert(made(model, job.report)))
        offer.clear()

    size = 0 if model.shape_of else (model.megabytes or 0) * 1_000_000
    doing = f"Making {model.name}" if model.shape_of else f"The download of {model.name}"
    jobs.begin(_key(model), doing, work, total=size, finish=True)


def _key(model: OfferedModel) -> tuple[str, str]:
    return "download", model.name
