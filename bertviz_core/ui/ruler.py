"""The ruler beside a similarity: its percentile among unrelated pairs, in words and drawn."""

from collections.abc import Sequence
from math import floor

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.calibration import Calibration
from bertviz_core.calibration.run import SENTENCES
from bertviz_core.figures.calibration.percentiles import anisotropy_curve, ruler_figure
from bertviz_core.snippets.calibration import calibration_code
from bertviz_core.ui import calibrations as ruler_cache
from bertviz_core.ui import results as cache
from bertviz_core.ui.gate import forward_gate
from bertviz_core.ui.html import finding, note
from bertviz_core.ui.show import chart, code, table
from bertviz_core.ui.waiting import waiting

_INLINE = "ruler_page_run"


def ruler(bert: Bert) -> Calibration | None:
    """Give the model's calibration, or begin to measure it beside the page.

    Call it once a page, before the first similarity. The page goes on at once: while the model is
    measured a progress bar stands here, and afterwards the page runs again. Without the encoder in
    memory a button starts it.

    Returns:
        The calibration; None while there is none, and then the page shows plain cosines.
    """
    shared = ruler_cache.measurement(bert.name)
    if shared.calibration is not None:
        return shared.calibration
    if shared.problem:
        note("No percentiles: {problem}", problem=shared.problem)
        return None
    if not cache.encoder_in_memory(bert.name):
        place = st.empty()
        if not place.button(
            "Measure what a cosine is worth", icon=":material/straighten:", key="measure"
        ):
            st.caption(
                "Runs the model on the sentences of this project, once, a few seconds; afterwards "
                "every similarity shows its percentile among unrelated pairs."
            )
            return None
        place.empty()
        with waiting("Loading the model, once …", height=40), forward_gate():
            cache.loaded_encoder(bert.name)
    st.session_state[_INLINE] = True
    _measure(bert.name)
    return None


def table_ruler(bert: Bert) -> Calibration:
    """The calibration of the token table: layer 0 of it, at once and without torch."""
    return ruler_cache.table_calibration(bert.name)


def beside(
    calibration: Calibration | None, cosine: float, layer: int = 0, *, centred: bool = False
) -> str:
    """Say where a cosine stands: "higher than 71% of unrelated pairs".

    Args:
        calibration: From `ruler` or `table_ruler`; None gives "".
        cosine: The cosine.
        layer: Where it was measured; 0 for the token table.
        centred: Whether it is a cosine of centred vectors.

    Returns:
        Text, to be put into a sentence. Never rounded up: 99.97 stays below 100.
    """
    if calibration is None:
        return ""
    percentile = calibration.percentile(cosine, layer, centred=centred)
    if percentile >= 100:
        return f"higher than all {calibration.pairs:,} unrelated pairs measured"
    if percentile <= 0:
        return f"lower than all {calibration.pairs:,} unrelated pairs measured"
    return f"higher than {percent(percentile)}% of unrelated pairs"


def percent(percentile: float) -> str:
    """A percentile in as many digits as mean something: "71", near the ends "0.4" and "99.8"."""
    if 1 <= percentile < 99:
        return f"{floor(percentile)}"
    return f"{max(floor(10 * percentile) / 10, 0.1):g}"


def ruler_picture(
    calibration: Calibration | None,
    cosines: Sequence[float],
    layer: int = 0,
    *,
    name: str,
    centred: bool = False,
    names: Sequence[str] = (),
) -> None:
    """Draw where cosines stand among those of unrelated pairs; nothing without a calibration.

    Args:
        calibration: From `ruler` or `table_ruler`.
        cosines: One or a few cosines of one layer.
        layer: Where they were measured; 0 for the token table.
        name: Names the chart on the page and its file.
        centred: Whether they are cosines of centred vectors.
        names: What each cosine is, where there are several.
    """
    if calibration is None:
        return
    quantiles = calibration.centred_quantiles if centred else calibration.quantiles
    said = "; ".join(
        f"{f'{names[number]}, ' if names else ''}{cosine:.3f}, is "
        + beside(calibration, cosine, layer, centred=centred)
        for number, cosine in enumerate(cosines)
    )
    middle = quantiles[layer][len(quantiles[layer]) // 2]
    chart(
        ruler_figure(quantiles[layer], cosines, names),
        alt=f"Histogram of the cosines of {calibration.pairs:,} unrelated pairs, half of them "
        f"below {middle:.3f}; {said}.",
        name=name,
    )


def anisotropy(bert: Bert, calibration: Calibration, layer: int) -> None:
    """Show how alike unrelated tokens are at every layer, with table and code.

    Args:
        bert: The model in use.
        calibration: Its calibration, from `ruler`.
        layer: The layer to mark, and to print in the code.
    """
    mean, last = calibration.anisotropy, calibration.layers - 1
    top = int(np.argmax(mean))
    finding(
        "Two unrelated tokens have a mean cosine of <b>{start}</b> at the input embedding and "
        "<b>{end}</b> at layer {last}; the highest is <b>{most}</b>, at layer {top}. "
        "After taking away each layer's mean vector it is <b>{centred}</b> at layer {last}.",
        start=f"{mean[0]:.3f}",
        end=f"{mean[-1]:.3f}",
        last=last,
        most=f"{mean[top]:.3f}",
        top=top,
        centred=f"{calibration.centred_anisotropy[-1]:.3f}",
    )
    chart(
        anisotropy_curve(mean, calibration.centred_anisotropy, calibration.quantiles, layer=layer),
        alt=f"Mean cosine of unrelated pairs over layers 0 to {last}: {mean[0]:.3f} at the input, "
        f"{mean[top]:.3f} at layer {top}, {mean[-1]:.3f} at the end; after centring "
        f"between {calibration.centred_anisotropy.min():.3f} and "
        f"{calibration.centred_anisotropy.max():.3f}.",
        name="anisotropy",
    )
    note(
        "Measured on {pairs} pairs of {vectors} token occurrences from {sentences} sentences that "
        "ship with the app: different tokens, of different sentences, no special ones.",
        pairs=f"{calibration.pairs:,}",
        vectors=f"{calibration.vectors:,}",
        sentences=calibration.sentences,
    )
    st.caption(
        "The measure: Ethayarajh (2019), “How Contextual are Contextualized Word "
        "Representations?”; taking away the mean: Mu & Viswanath (2018), “All-but-the-Top”."
    )
    import pandas as pd  # 0.3 s, after the chart

    shares = {"5% below": 50, "median": 500, "95% below": 950}
    table(
        pd.DataFrame(
            {"layer": np.arange(last + 1), "mean cosine": mean}
            | {said: calibration.quantiles[:, place] for said, place in shares.items()}
            | {"mean-centred": calibration.centred_anisotropy}
            | {
                f"{said}, centred": calibration.centred_quantiles[:, place]
                for said, place in shares.items()
            }
        ),
        name="anisotropy",
    )
    st.download_button(
        "The sentences as text",
        SENTENCES.read_bytes,
        file_name=SENTENCES.name,
        mime="text/plain",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
        key="calibration_sentences",
    )
    code(lambda: calibration_code(bert, layer, float(mean[layer])), name="anisotropy")


@st.fragment(run_every=0.5)
def _measure(name: str) -> None:
    """Measure while the page can already be read and used."""
    shared = ruler_cache.measurement(name)
    bar = st.empty()

    def progress(done: int, of: int) -> None:
        bar.progress(
            done / of,
            f"Measuring what a cosine of {name} is worth, once: {done} of {of} steps done. "
            "You can go on working meanwhile.",
        )

    if shared.run is None:
        bar.progress(0.0, f"Measuring what a cosine of {name} is worth, once …")
    else:
        progress(shared.run.done, shared.run.of)
    # While the page itself runs, what stands below goes first; the next look does the work.
    if st.session_state.pop(_INLINE, False):
        return
    ruler_cache.measure(name, progress)
    st.rerun()
