"""How well each layer tells the labelled senses of a word apart."""

from collections.abc import Sequence

from bertviz_core.bert import Bert
from bertviz_core.figures.sense_scores import layer_scores
from bertviz_core.senses import SenseScores
from bertviz_core.ui.html import caption, finding, joined
from bertviz_core.ui.show import chart, code, folded_table
from bertviz_core.ui.waiting import waiting
from bertviz_core.ui.word_senses import results
from bertviz_core.ui.word_senses.lists import program_words
from bertviz_core.ui.word_senses.occurrences import Mapped

AUC = "AUC of pairs"


def headline(mapped: Mapped) -> None:
    """Name the layer that tells the senses apart best, and those that may do it as well."""
    scores = scores_of(mapped)
    auc, (best, *equal) = scores.auc, scores.best
    as_good = sorted([*equal, *scores.rivals])
    if not auc.chance.beaten_by(auc.values[best]):
        said = (
            "No layer tells the senses of <b>{word}</b> apart better than shuffled labels do (AUC "
            "at most <b>{auc}</b>)."
        )
    else:
        said = (
            "Layer <b>{layer}</b> tells the senses of <b>{word}</b> apart best (AUC <b>{auc}</b>)"
            + ("; {as_good} may be as good." if as_good else ".")
        )
    finding(
        said,
        method="scores-of-senses",
        word=mapped.word,
        layer=mapped.layers[best],
        auc=f"{auc.values[best]:.2f}",
        as_good=layers_named(mapped.numbers_of(as_good)),
    )


def scores_of(mapped: Mapped) -> SenseScores:
    """The scores of every layer against the labels, which have to be `scorable`."""
    with waiting("Scoring every layer …", height=60):
        return results.sense_scores(mapped.key, mapped.marks, mapped.vectors, mapped.senses)


def score_curve(bert: Bert, mapped: Mapped, layer: int) -> None:
    """Draw the score of every layer, with its interval and what shuffled labels reach."""
    scores = scores_of(mapped)
    auc, made = scores.auc, mapped.made(layer)
    _say_how_sure(mapped, scores)
    chart(
        layer_scores(
            auc.values,
            score_name=AUC,
            best=mapped.numbers_of(scores.best),
            layer=layer,
            numbers=mapped.layers,
            lowest=0.4,
            interval=(auc.low, auc.high),
            chance=(auc.chance.by_layer, auc.chance.best),
        ),
        alt=f"{AUC}, same sense against different senses, by layer: "
        + ", ".join(
            f"{number}: {area:.2f} ({low:.2f} to {high:.2f})"
            for number, (area, low, high) in enumerate(
                zip(auc.values, auc.low, auc.high, strict=True)
            )
        )
        + f". Shuffled labels reach {auc.chance.best:.2f} at their best layer.",
        name="senses-scores",
        of=made,
    )
    folded_table(
        "Table",
        lambda: {**scores.columns(), "layer": mapped.layers},
        key="score-numbers",
        name="senses-scores",
        of=made,
    )
    show_code(bert, mapped, scores, layer)


def _say_how_sure(mapped: Mapped, scores: SenseScores) -> None:
    """Say what the score means, how sure it is, and what chance and the input embedding reach."""
    auc, accuracy, (best, *equal) = scores.auc, scores.accuracy, scores.best
    finding(
        "At layer <b>{best}</b> two of one sense have a higher cosine than two of different senses "
        "with a chance of <b>{auc_best}</b> (0.50 without any relation).",
        method="scores-of-senses",
        best=mapped.layers[best],
        auc_best=f"{auc.values[best]:.2f}",
    )
    said = "95% interval {low} to {high}; "
    if mapped.layers[0] == 0:
        said += (
            "at the input embedding, where occurrences differ only by their position and form, "
            "{auc_input}; "
        )
    said += (
        "with shuffled labels the best layer reaches {chance}. The nearest centroid names the "
        "sense of {right} of {scored} ({accuracy}; 95% interval {accuracy_low} to "
        "{accuracy_high}; with shuffled labels {accuracy_chance})."
    )
    if equal:
        said += " The same AUC is reached at {equal}."
    if auc.chance.beaten_by(auc.values[best]) and scores.rivals:
        said += " These occurrences are too few to tell it from {rivals}."
    labelled = sum(sense is not None for sense in mapped.senses)
    if labelled > len(scores.rows):
        said += " Compared are {scored} occurrences, drawn from the {labelled} with a label."
    caption(
        said,
        low=f"{auc.low[best]:.2f}",
        high=f"{auc.high[best]:.2f}",
        chance=f"{auc.chance.best:.2f}",
        auc_input=f"{auc.values[0]:.2f}",
        right=round(float(accuracy.values[best]) * len(scores.rows)),
        scored=f"{len(scores.rows):,}",
        accuracy=f"{accuracy.values[best]:.0%}",
        accuracy_low=f"{accuracy.low[best]:.0%}",
        accuracy_high=f"{accuracy.high[best]:.0%}",
        accuracy_chance=f"{accuracy.chance.best:.0%}",
        equal=layers_named(mapped.numbers_of(equal)),
        rivals=layers_named(mapped.numbers_of(scores.rivals)),
        labelled=f"{labelled:,}",
    )


def show_code(bert: Bert, mapped: Mapped, scores: SenseScores, layer: int) -> None:
    """Offer the code that prints the scores, where it prints the same numbers."""
    if mapped.printed_by(bert):
        code(
            "senses/scores",
            bert,
            **program_words(mapped, layer),
            pooling=mapped.key.pooling,
            layer=mapped.layers[scores.best[0]],
        )


def layers_named(layers: Sequence[int]) -> str:
    """ "layer 3", "layers 3, 4 and 5"; empty for none."""
    if not layers:
        return ""
    return ("layer " if len(layers) == 1 else "layers ") + joined(map(str, layers))
