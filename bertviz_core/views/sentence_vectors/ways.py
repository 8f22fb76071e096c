"""The ways to one vector of a sentence, and which one agrees best with people."""

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.calibration.sentences import Agreement, agreements, judged_pairs
from bertviz_core.checkpoints.checkpoint import origin_of
from bertviz_core.contextual.sentence_vectors import BY_LAYER, POOLER, TABLE, WAYS, at_layer
from bertviz_core.encoder import Encoder
from bertviz_core.figures.colors import SENTENCE_COLORS
from bertviz_core.shared import once
from bertviz_core.views.card import Curves, card
from bertviz_core.views.declare import view
from bertviz_core.views.inside_the_model.parameters import census_of
from bertviz_core.views.parts import caption, joined, program, rounded, say, table
from bertviz_core.views.view import Part, View

PAGE = "Sentence Vectors"
_agreements = once(agreements)


def ways_of(bert: Bert) -> tuple[str, ...]:
    """The ways that a checkpoint has: not every one has a pooler."""
    has_pooler = census_of(bert).by_group["pooler"]
    return tuple(way for way in WAYS if way != POOLER or has_pooler)


def described(way: str, layer: int) -> str:
    """A way, and its layer if it has layers."""
    if way in BY_LAYER:
        return f"{way} at layer {layer}"
    return "mean of the token table" if way == TABLE else way


@view("which way is best?", page=PAGE, rank=10, doing="Comparing the judged pairs …")
def best_way(encoder: Encoder, way: str, layer: int) -> View:
    """How well the cosines of each way order judged pairs of sentences, by layer."""
    bert, found = encoder.bert, _agreements(encoder)
    layer = min(layer, bert.num_hidden_layers)
    scores, first, second = judged_pairs()
    chosen = found[way].cosines[at_layer(found[way].cosines, layer)]
    pairs = {"our score": scores, "first": first, "second": second, f"cosine, {way}": chosen}
    return card(
        _finding(found),
        name="ways",
        columns={"layer": range(bert.num_hidden_layers + 1)}
        | {name: _over_layers(name, one, bert) for name, one in found.items()},
        chart=Curves(
            "rank correlation",
            {name: SENTENCE_COLORS[WAYS.index(name)] for name in found},
            ".2f",
        ),
        below=[
            caption(
                "The model on the screen is {model}. {upper}",
                model=bert.name,
                upper=origin_of(bert.checkpoint).upper,
            ),
            table(pairs, name="judged-pairs", fold="The pairs that we judged"),
        ],
        program=program(
            PROGRAM,
            bert,
            pairs=[list(pair) for pair in zip(scores.tolist(), first, second, strict=True)],
            ways=list(ways_of(bert)),
            name="ways",
        ),
        made={"way": way, "layer": layer},
    )


def _over_layers(name: str, found: Agreement, bert: Bert) -> list[float]:
    """The correlations of a way: the pooler's is of the last layer, the table's of every one."""
    last, values = bert.num_hidden_layers, found.correlation.tolist()
    if len(values) > 1:
        return values
    return [np.nan] * last + values if name == POOLER else values * (last + 1)


def _finding(found: dict[str, Agreement]) -> Part:
    """The best way and layer, and those that these pairs cannot tell from it."""
    peaks = {name: int(one.correlation.argmax()) for name, one in found.items()}
    heights = {name: one.correlation[peaks[name]] for name, one in found.items()}
    best = max(heights, key=heights.__getitem__)
    own, at = found[best], peaks[best]
    low, high = np.percentile(own.resampled[at], [2.5, 97.5])
    alike = [
        name
        for name, peak in peaks.items()
        if name != best and np.percentile(own.resampled[at] - found[name].resampled[peak], 2.5) <= 0
    ]
    if low <= 0:
        verdict = " No way agrees with us beyond chance."
    elif alike:
        verdict = " So few pairs cannot tell {alike} from the best."
    else:
        verdict = ""
    return say(
        "On the {pairs} pairs that we judged, <b>{way}</b> has the highest rank correlation with "
        "us, <b>{correlation}</b> ({low} to {high}). The others at their best layers: {others}."
        + verdict,
        method="rank-correlation-with-judged-pairs",
        pairs=own.cosines.shape[1],
        way=described(best, at),
        correlation=rounded(own.correlation[at]),
        low=rounded(low),
        high=rounded(high),
        others=joined(f"{name} {rounded(r)}" for name, r in heights.items() if name != best),
        alike=joined(alike),
    )


PROGRAM = '''
"""How the cosines of each way order judged pairs, by layer: Spearman's rank correlation."""

pairs = ...  # our score from 0 to 5, and two sentences
ways = ...
states, sentence_vector = ...
tokenizer, model = ...
scores, *sides = zip(*pairs, strict=True)
texts = [sentence for side in sides for sentence in side]
inputs = tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
with torch.no_grad():
    result = model(**inputs, output_hidden_states=True)
for way in ways:
    for layer in range(len(result.hidden_states)):
        vectors = sentence_vector(model, inputs, result, way, layer).double().numpy()
        cosines = 1 - paired_cosine_distances(*np.split(vectors, 2))
        if np.ptp(cosines) > 1e-9:  # [CLS] at layer 0 is the same for all sentences
            print(way, layer, f"{spearmanr(scores, cosines).statistic:.3f}")
'''
