"""The choice of a model in the sidebar, and what happens when it is not on this machine."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertviz_core.bert import Bert, load_bert
from bertviz_core.checkpoints.catalog import OfferedModel, offered_models
from bertviz_core.checkpoints.checkpoint import default_model, why_unavailable
from bertviz_core.checkpoints.download import download
from bertviz_core.errors import BertvizError
from bertviz_core.ui import jobs
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.html import alert, note
from bertviz_core.ui.inputs import BOUND
from bertviz_core.ui.jobs import Job
from bertviz_core.ui.memory import models

_IN_USE = "_model_in_use"

FROM = {
    "package": "installed with the app",
    "folder": "from a folder of this server",
    "cache": "from the local Hugging Face cache",
    "download": "downloaded by this app",
}


def model_in_use(sidebar: DeltaGenerator) -> Bert:
    """Let the visitor choose among the models on offer.

    A model that is not ready stays chosen, with the reason and a way to get it on the page, while
    the page goes on with the model it had.

    Args:
        sidebar: Where the list goes.

    Returns:
        The chosen model, or the last one that was ready.
    """
    with errors_shown():
        offered = offered_models()
        default = default_model()
    reasons = {name: why_unavailable(model) for name, model in offered.items()}
    names = list(offered)
    chosen = sidebar.selectbox(
        "Model",
        names,
        index=names.index(default),
        key="model",
        **BOUND,
    )
    bert, problem = _opened(chosen, reasons[chosen])
    if bert is None:
        fallback = _fallback(default, reasons)
        _offer(offered[chosen], problem or "", fallback)
        with errors_shown():
            bert = models.bert(fallback)
    st.session_state[_IN_USE] = bert.name
    sidebar.caption(
        describe(bert) if bert.name == chosen else f"Shown: {bert.name}, {describe(bert)}"
    )
    ready = sum(reason is None for reason in reasons.values())
    with sidebar.expander(f"{ready} of {len(names)} models ready"):
        for name in names:
            st.text(f"{name}: {reasons[name] or 'ready'}")
    return bert


def describe(bert: Bert) -> str:
    """A model in one line: its sizes and where its files came from."""
    return (
        f"{bert.vocab_size:,} tokens × {bert.hidden_size} dimensions, "
        f"{bert.num_hidden_layers} layers; {FROM[bert.source]}"
    )


def left_aside(bert: Bert) -> str:
    """Say which tensors of the file the pages leave aside; "" where there are none."""
    if not bert.other_tensors:
        return ""
    heads = sorted({f"{name.split('.')[0]}.*" for name in bert.other_tensors})
    return (
        f"Its file also holds {len(bert.other_tensors)} tensors of task heads "
        f"({', '.join(heads)}); they are no part of BERT itself, and all pages leave them aside."
    )


def _opened(name: str, reason: str | None) -> tuple[Bert | None, str | None]:
    if reason is not None:
        return None, reason
    try:
        return models.bert(name), None
    except BertvizError as error:
        return None, str(error)


def _fallback(default: str, reasons: dict[str, str | None]) -> str:
    """The model the visitor had, else the first that is ready."""
    ready = [name for name, reason in reasons.items() if reason is None]
    for name in (st.session_state.get(_IN_USE), default, *ready):
        if name in ready and _opened(name, None)[0] is not None:
            return str(name)
    return default


def _offer(model: OfferedModel, problem: str, fallback: str) -> None:
    """Say why a model is not ready, and offer its download where there is one."""
    note(
        "{problem} This page shows <b>{fallback}</b> meanwhile.",
        problem=problem,
        fallback=fallback,
    )
    if not model.downloadable:
        return
    job = jobs.find(_key(model))
    if job is not None and job.state != "done":
        _follow(model)
        return
    size = f", {model.megabytes:,} MB" if model.megabytes else ""
    st.button(
        f"Download {model.name}{size}",
        icon=":material/download:",
        type="primary",
        key="download_model",
        on_click=start_download,
        args=(model,),
    )


def start_download(model: OfferedModel, endpoint: str | None = None) -> Job:
    """Begin to download a model, or join its download.

    Args:
        model: An entry of the list with a `revision`.
        endpoint: Address of the hub; see `checkpoints.download.download`.
    """

    def work(job: Job) -> None:
        models.add(load_bert(download(model, job.report, endpoint=endpoint)))

    size = model.weights_bytes or (model.megabytes or 0) * 1_000_000
    doing = f"The download of {model.name}"
    return jobs.begin(_key(model), doing, work, total=size, finish=True)


def _key(model: OfferedModel) -> tuple[str, str]:
    return "download", model.name


@st.fragment(run_every=0.5)
def _follow(model: OfferedModel) -> None:
    """Follow a download that runs beside the page."""
    job = jobs.find(_key(model))
    if job is None or job.state == "done":
        st.rerun()
    elif job.state == "failed":
        alert(job.message)
        st.button(
            "Try again",
            icon=":material/refresh:",
            key="retry_download",
            on_click=start_download,
            args=(model,),
        )
    else:
        st.progress(
            job.share,
            f"Downloading {model.name}: {job.done / 1e6:,.0f} of {job.total / 1e6:,.0f} MB. "
            "You can go on working meanwhile.",
        )
