"""The page's similarities on the percentile scale, and how alike unrelated tokens are."""

import numpy as np
import streamlit as st

from bertviz_core.calibration import Calibration
from bertviz_core.calibration.run import SENTENCES
from bertviz_core.figures.calibration import anisotropy_curve
from bertviz_core.ui.html import finding, note
from bertviz_core.ui.percentiles import columns_with_centred, in_words, pictures
from bertviz_core.ui.show import chart, code, table
from bertviz_core.ui.word_in_context.compared import Compared
from bertviz_core.ui.word_in_context.words import choose_word

MOST_MARKS = 6
QUANTILES = {"5% below": 50, "median": 500, "95% below": 950}


def on_percentile_scale(compared: Compared) -> None:
    """Mark the similarities of a word on the percentile scale, raw and centred; anisotropy."""
    calibration, layer = compared.calibration, compared.layer
    if calibration is None:
        note(
            "The model has not been measured yet. Start it by the button above the curves; it "
            "takes some seconds, once, and then the percentile scale stands here."
        )
        return
    followed = choose_word(compared)
    word, others = compared.words[followed], compared.others(followed)
    names = [compared.names[number] for number in others]
    vectors = np.stack([compared.everything[number].vectors[layer] for number in others])
    cosines = compared.cosines[followed, others, layer]
    centred = calibration.centred_cosines(word.vectors[layer][None], vectors, layer)[0]
    finding(
        "At layer {layer}, <b>{word}</b> in “{sentence}” and <b>{other}</b> have similarity "
        "<b>{cosine}</b>: {percentile}. Mean-centred it is <b>{centred}</b>{centred_percentile}.",
        layer=layer,
        word=word.word,
        sentence=compared.sentence(followed),
        other=names[0],
        cosine=f"{cosines[0]:.3f}",
        percentile=in_words(calibration, float(cosines[0]), layer),
        centred=f"{centred[0]:.3f}",
        centred_percentile=compared.briefly(float(centred[0]), centred=True),
    )
    if len(others) > MOST_MARKS:
        note(
            "{all} similarities are in the table; the first {most} are marked in the pictures.",
            all=len(others),
            most=MOST_MARKS,
        )
    marks = list(zip(names, zip(cosines.tolist(), centred.tolist(), strict=True), strict=True))
    pictures(
        calibration,
        dict(marks[:MOST_MARKS]),
        layer,
        pairs=f"unrelated pairs at layer {layer}",
    )
    columns = columns_with_centred("similarity", cosines, centred, calibration, layer)
    table({"to": names} | columns, name=f"percentile-scale-layer-{layer}")
    st.subheader("How alike unrelated tokens are, layer by layer", anchor=False)
    _anisotropy(compared, calibration)


def _anisotropy(compared: Compared, calibration: Calibration) -> None:
    """Show how alike unrelated tokens are at every layer, with table and code."""
    mean, last, layer = calibration.anisotropy, calibration.layers - 1, compared.layer
    centred = calibration.centred_anisotropy
    highest = int(np.argmax(mean))
    finding(
        "Two unrelated tokens have a mean cosine of <b>{start}</b> at the input embedding and "
        "<b>{end}</b> at layer {last}; the highest is <b>{highest}</b>, at layer {highest_layer}. "
        "After taking away each layer's mean vector it is <b>{centred_end}</b> at layer {last}.",
        start=f"{mean[0]:.3f}",
        end=f"{mean[-1]:.3f}",
        last=last,
        highest=f"{mean[highest]:.3f}",
        highest_layer=highest,
        centred_end=f"{centred[-1]:.3f}",
    )
    chart(
        anisotropy_curve(mean, centred, calibration.quantiles, layer=layer),
        alt=f"Mean cosine of unrelated pairs over layers 0 to {last}: {mean[0]:.3f} at the input, "
        f"{mean[highest]:.3f} at layer {highest}, {mean[-1]:.3f} at the end; after centring "
        f"between {centred.min():.3f} and {centred.max():.3f}.",
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
    table(
        {"layer": np.arange(last + 1), "mean cosine": mean}
        | {name: calibration.quantiles[:, at] for name, at in QUANTILES.items()}
        | {"mean-centred": centred}
        | {
            f"{name}, centred": calibration.centred_quantiles[:, at]
            for name, at in QUANTILES.items()
        },
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
    code(
        "calibration/layer",
        compared.bert,
        sentences_file=SENTENCES.name,
        layer=layer,
        cosine=round(float(mean[layer]), 6),
        name="anisotropy",
    )
