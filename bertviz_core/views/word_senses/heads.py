"""Whether heads use what they look at, over the shipped occurrences: attention against masking."""

import numpy as np

from bertviz_core.contextual.attention import FEWEST_WORDS, SHUFFLES
from bertviz_core.contextual.heads import HeadsAgreement, removal_for
from bertviz_core.contextual.marks import MarkedText
from bertviz_core.encoder import Encoder
from bertviz_core.figures.drawing import frame
from bertviz_core.figures.heads import head_map
from bertviz_core.senses import prepared_set, prepared_words
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, picture, program, say, table
from bertviz_core.views.sentences import rounded
from bertviz_core.views.view import Sentence, View
from bertviz_core.views.word_senses.mapped import PAGE

TAKEN_AWAY = {"mask": "masked", "drop": "left out"}


def shipped_words() -> list[MarkedText]:
    """Every occurrence of the labelled sets that ship with the project."""
    found = (one for word in prepared_words() for one in prepared_set(word).occurrences)
    return [MarkedText(one.sentence, one.start, one.end) for one in found]


@view(
    "do heads use what they look at?",
    page=PAGE,
    rank=50,
    doing="Drawing the heads …",
)
def heads(encoder: Encoder, heads_agreement: HeadsAgreement) -> View:
    """Which attention heads look at the words that matter, over all shipped sentences."""
    found = heads_agreement
    layers, count = found.correlations.shape
    best_layer, best_head = found.best
    framed = [frame((head + 1, head + 1), (layer + 1, layer + 1))
              for layer, head in np.argwhere(found.better & found.above)]  # fmt: skip
    return View(
        _finding(found, TAKEN_AWAY[removal_for(encoder.bert)]),
        picture(
            head_map(found.correlations, "mean rank correlation", shown=found.above, shapes=framed),
            alt=f"Heatmap over {layers} layers and {count} heads, mean rank correlation of "
            f"attention with what masking changes: {int(found.above.sum())} above shuffled words; "
            f"the highest is {found.correlations[found.best]:.2f}, in head {best_head + 1} of "
            f"layer {best_layer + 1}.",
            name="heads-agreement",
            typed=False,
        ),
        caption(
            "Grey: not above {chance:.2f}, which shuffled words reach. Framed: clearly above "
            "nearness alone. With nearness taken out, <b>{beyond}</b> heads stay above shuffled "
            "words. "
            "{sentences} of {shipped} shipped sentences, {words} words taken away one by one.",
            chance=found.by_chance,
            beyond=int((found.beyond > found.beyond_by_chance).sum()),
            sentences=len(found.of),
            shipped=len(shipped_words()),
            words=f"{found.words:,}",
        ),
        table(
            {
                "layer": np.repeat(np.arange(1, layers + 1), count),
                "head": np.tile(np.arange(1, count + 1), layers),
                "mean rank correlation": found.correlations.ravel(),
                "above shuffled words": found.above.ravel().tolist(),
                "clearly above nearness": found.better.ravel().tolist(),
                "with nearness taken out": found.beyond.ravel(),
            },
            name="heads-agreement",
            fold="Table",
        ),
        program(
            "heads/heads",
            encoder.bert,
            sentences=[(one.text, one.start, one.end) for one in found.of],
            change=removal_for(encoder.bert),
            fewest=FEWEST_WORDS,
            shuffles=SHUFFLES,
        ),
    )


def _finding(found: HeadsAgreement, taken_away: str) -> Sentence:
    """How many heads agree, the best one, and whether nearness alone does as well."""
    above, better = int(found.above.sum()), int((found.better & found.above).sum())
    if above:
        said = (
            "In <b>{above} of {heads}</b> heads, the more a word attends to another one, the more "
            f"its vector changes when that one is {taken_away}. The best is head {{head}} of "
            "layer {layer}: mean rank correlation <b>{highest}</b>. Nearness alone gives "
            "<b>{nearness:.2f}</b>; "
        ) + ("heads clearly above that: {better}." if better else "no head is clearly above that.")
    else:
        said = (
            "<b>No head</b> shows clearly which other words change the vector when they are "
            f"{taken_away}: the best mean rank correlation is <b>{{highest}}</b>, "
            "and shuffled words reach {chance:.2f}. Nearness alone gives <b>{nearness:.2f}</b>."
        )
    best_layer, best_head = found.best
    return say(
        said,
        method="attention-over-many-sentences",
        above=above,
        heads=found.above.size,
        head=best_head + 1,
        layer=best_layer + 1,
        highest=rounded(float(found.correlations[found.best])),
        nearness=found.nearness,
        better=better,
        chance=found.by_chance,
    )
