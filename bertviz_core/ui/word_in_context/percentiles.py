"""The page's similarities on their percentile scales, and how alike any two words are."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st

from bertviz_core.arrays import Array
from bertviz_core.calibration import Calibration, Scales, calibration_sentences
from bertviz_core.calibration.percentiles import column, in_words, interval
from bertviz_core.calibration.words import FUNCTION_WORDS
from bertviz_core.claims.cosines import COSINE, HIGH_COSINE
from bertviz_core.figures.calibration import anisotropy_curve, percentile_scale
from bertviz_core.ui.html import finding, note
from bertviz_core.ui.show import chart, code, folded_table, table
from bertviz_core.ui.word_in_context.compared import Compared, stands_alone
from bertviz_core.ui.word_in_context.numbers import rounded
from bertviz_core.ui.word_in_context.words import choose_word

MOST_MARKS = 6
SHOWN_PERCENTS = {"5% below": 5, "median": 50, "95% below": 95}


def on_percentile_scale(compared: Compared) -> None:
    """Mark the similarities of a word on their percentile scales, raw and centred; anisotropy."""
    calibration = compared.calibration
    if calibration is None:
        note(
            "The model has not been measured yet. Start it by the button below the picture; it "
            "takes some seconds, once, and then the percentile scale stands here."
        )
        return
    followed = choose_word(compared)
    others = compared.others(followed)
    _similarities(compared, calibration, followed, others)
    st.subheader("How alike any two words are, layer by layer", anchor=False)
    _anisotropy(compared, calibration.between(1, 1))
    st.subheader(f"What a cosine of {COSINE} is worth", anchor=False)
    _worth(calibration)


def _similarities(
    compared: Compared, calibration: Scales, followed: int, others: list[int]
) -> None:
    """Show a word's similarities: finding, a picture each, table and code."""
    word, layer = compared.words[followed], compared.layer
    names = [compared.names[number] for number in others]
    vectors = np.stack([compared.everything[number].vectors[layer] for number in others])
    cosines = compared.cosines[followed, others, layer]
    centred = calibration.centred_cosines(word.vectors[layer][None], vectors, layer)[0]
    scales = [compared.scale(followed, number) for number in others]
    cosine, scale = float(cosines[0]), scales[0]
    finding(
        "At layer {layer}, <b>{word}</b> in <i>{sentence}</i> and <b>{other}</b> have similarity "
        "<b>{cosine}</b>: {percentile}"
        + (" ({interval} for sentences like these)." if scale is not None else "."),
        layer=layer,
        word=word.word,
        sentence=compared.shortened(followed),
        other=names[0],
        cosine=rounded(cosine),
        percentile=in_words(scale, cosine, layer) or "no percentile",
        interval=interval(scale, cosine, layer),
        method="percentile-scales",
    )
    if len(others) > MOST_MARKS:
        note(
            "{all} similarities are in the table; the first {most} are marked in the pictures.",
            all=len(others),
            most=MOST_MARKS,
        )
    drawn = 0
    for shared in dict.fromkeys(scale for scale in scales[:MOST_MARKS] if scale is not None):
        marks = {
            name: (float(raw), float(own))
            for name, raw, own, scale in zip(names, cosines, centred, scales, strict=True)
            if scale is shared
        }
        marks = dict(list(marks.items())[: MOST_MARKS - drawn])
        _pictures(shared, marks, layer, first=drawn + 1)
        drawn += len(marks)
    columns = _columns(scales, cosines, layer, "similarity", centred=False)
    columns |= _columns(scales, centred, layer, "mean-centred", centred=True)
    kinds = ["" if scale is None else f"{scale.pairs:,} {scale.kind}" for scale in scales]
    folded_table(
        "Table",
        lambda: {"to": names} | columns | {"among": kinds},
        key="scale-numbers",
        name="percentile-scale",
        of=compared.made,
    )
    if scale is not None:
        st.caption(
            "The 95% interval regards only which sentences were drawn. It holds for sentences like "
            "these: short ones in plain English. Texts of another kind have other percentiles, "
            "words in pieces most of all (see Methods)."
        )
        _words_code(compared, followed, others[0], cosine)


def _pictures(
    calibration: Calibration, marks: Mapping[str, tuple[float, float]], layer: int, *, first: int
) -> None:
    """Draw where cosines stand, as they are on the left and mean-centred on the right.

    Args:
        calibration: The scale.
        marks: A cosine and its mean-centred value by what they are compared with, printed beside
            them. Each has a picture: names of near marks would print over each other.
        layer: Where they were measured.
        first: The number of the first picture on the page.
    """
    kinds = (
        (False, "as they are", "", calibration.quantiles),
        (True, "mean-centred", "-centred", calibration.centred_quantiles),
    )
    for half, (centred, shown, suffix, by_layer) in zip(
        st.columns(2, gap="medium"), kinds, strict=True
    ):
        half.text(f"Cosines of {calibration.pairs:,} {calibration.kind}, layer {layer}, {shown}")
        quantiles = by_layer[layer]
        middle = float(np.interp(50, calibration.percents, quantiles))
        for number, (mark, cosines) in enumerate(marks.items(), start=first):
            cosine = cosines[centred]
            with half:
                chart(
                    percentile_scale(quantiles, calibration.percents, cosine, mark),
                    alt=f"Histogram of the cosines of {calibration.pairs:,} {calibration.kind}, "
                    f"half of them below {middle:.3f}; {mark}, {cosine:.3f}, is "
                    f"{in_words(calibration, cosine, layer, centred=centred)}.",
                    name=f"percentile-scale-{number}{suffix}",
                )


def _columns(
    scales: list[Calibration | None], cosines: Array, layer: int, title: str, *, centred: bool
) -> dict[str, Any]:
    """Cosines with their percentiles, each on its own scale, and how sure these are."""
    pairs = list(zip(scales, cosines.tolist(), strict=True))
    percentiles = [
        np.nan if scale is None else scale.percentile(cosine, layer, centred=centred)
        for scale, cosine in pairs
    ]
    return {
        title: cosines,
        f"{title}, percentile": column(np.array(percentiles)),
        f"{title}, 95% interval": [
            interval(scale, cosine, layer, centred=centred) for scale, cosine in pairs
        ],
    }


def _words_code(compared: Compared, followed: int, other: int, cosine: float) -> None:
    """Offer the program that measures the scale of a pair, which must not be of two anchors."""
    words = compared.everything[followed], compared.everything[other]
    if stands_alone(words[0]):
        words = words[::-1]
    first, second = (min(len(word.tokens), 3) for word in words)
    alone = stands_alone(words[1])
    _program(compared, (first, second), cosine, alone=alone, name="percentile-scale")


def _program(
    compared: Compared, pieces: tuple[int, int], cosine: float, *, alone: bool, name: str
) -> None:
    """Offer the program that measures the scale of two words of so many pieces."""
    code(
        "calibration/words",
        compared.bert,
        sentences=list(calibration_sentences()),
        function_words=" ".join(FUNCTION_WORDS.read_text(encoding="utf-8").split()),
        first_pieces=pieces[0],
        second_pieces=pieces[1],
        second_alone=alone,
        pooling=compared.comparison.pooling,
        layer=compared.layer,
        cosine=round(cosine, 6),
        name=name,
    )


def _anisotropy(compared: Compared, calibration: Calibration | None) -> None:
    """Show how alike any two words of one piece are at every layer, with table and code."""
    if calibration is None:
        note("The sentences that are measured hold too few words that are one piece.")
        return
    mean, last, layer = calibration.anisotropy, calibration.layers - 1, compared.layer
    centred = calibration.centred_anisotropy
    highest = int(np.argmax(mean))
    finding(
        "Any two words have mean similarity <b>{end}</b> at layer {last}; it is highest, "
        "<b>{highest}</b>, at layer {highest_layer}.",
        end=rounded(float(mean[-1])),
        last=last,
        highest=rounded(float(mean[highest])),
        highest_layer=highest,
        method="anisotropy",
    )
    raw, taken = (
        {
            name: np.array([np.interp(percent, calibration.percents, row) for row in quantiles])
            for name, percent in SHOWN_PERCENTS.items()
        }
        for quantiles in (calibration.quantiles, calibration.centred_quantiles)
    )
    chart(
        anisotropy_curve(mean, centred, raw["5% below"], raw["95% below"], layer=layer),
        alt=f"Mean cosine of {calibration.kind} over layers 0 to {last}: {mean[0]:.3f} at the "
        f"input, {mean[highest]:.3f} at layer {highest}, {mean[-1]:.3f} at the end; after centring "
        f"between {centred.min():.3f} and {centred.max():.3f}.",
        name="anisotropy",
    )
    note(
        "Measured on {pairs} pairs of {vectors} content words, each one piece, from {sentences} "
        "sentences that ship with the app: different words, of different sentences.",
        pairs=f"{calibration.pairs:,}",
        vectors=f"{calibration.vectors:,}",
        sentences=calibration.sentences,
    )
    st.caption(
        "The measure: Ethayarajh (2019), “How Contextual are Contextualized Word "
        "Representations?”; taking away the mean: Mu & Viswanath (2018), “All-but-the-Top”."
    )
    folded_table(
        "Table",
        lambda: (
            {"layer": np.arange(last + 1), "mean cosine": mean}
            | raw
            | {"mean-centred": centred}
            | {f"{name}, centred": row for name, row in taken.items()}
        ),
        key="anisotropy-numbers",
        name="anisotropy",
    )
    _program(compared, (1, 1), float(mean[layer]), alone=False, name="anisotropy")


def _worth(calibration: Scales) -> None:
    """Show what one cosine is worth on all scales of the model; the tour sends its viewers here."""
    found = HIGH_COSINE.condition(calibration)
    finding(HIGH_COSINE.template(found), method="percentile-scales", **found.numbers)
    by_kind = calibration.percentiles(COSINE)
    if not by_kind:
        return
    by_layer = np.stack(list(by_kind.values()), axis=1)
    table(
        {"pairs of": [pair.description for pair in by_kind]}
        | {f"layer {layer}": column(percents) for layer, percents in enumerate(by_layer)},
        name="worth",
    )
