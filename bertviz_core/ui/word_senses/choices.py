"""How the page places, colours and groups occurrences: its options, folded away at first."""

from dataclasses import dataclass

from bertviz_core.encoder import POOLINGS, Pooling
from bertviz_core.senses.groups import MOST_GROUPS
from bertviz_core.ui import inputs, links, slots

ALL, DRIFTING, ONE, TSNE = "all layers", "all layers, with drift", "this layer", "t-SNE"
MAPS = (ALL, DRIFTING, ONE, TSNE)
SENSE, GROUP = "sense", "group"
COLOURS = (SENSE, GROUP)
COUNTS: dict[str, int | None] = {
    "as proposed": None,
    **{str(count): count for count in range(2, MOST_GROUPS + 1)},
}
PREPARED: dict[str, dict[str, str | int]] = {
    "bank at the input embedding": {"set": "bank", "layer": 0},
    "three springs": {"set": "spring"},
    "python, groups found without labels": {"set": "python", "colour": "group"},
    "a hard one: crane": {"set": "crane", "map": "t-SNE"},
}


@dataclass(frozen=True)
class Choices:
    """How occurrences are shown.

    Attributes:
        pooling: How the pieces of a word become one vector.
        kind: How points are placed, one of `MAPS`.
        colour: What colours them, one of `COLOURS`; without labels it is always the group.
        group_count: How many groups to make; None for as many as the silhouette proposes.
    """

    pooling: Pooling
    kind: str
    colour: str
    group_count: int | None


def ask() -> Choices:
    """Ask for all of them, beside prepared views."""
    with (
        slots.options("choices", beside=lambda: links.examples("Word_Senses", PREPARED)),
        slots.cells("choices", 2),
    ):
        kind = inputs.choice(
            "Place points by",
            MAPS,
            key="map",
            help="All layers: one PCA over the vectors of all layers, with each layer's mean "
            "taken away, so that a point moves only where it changes among the others. With "
            "drift: the means stay in. This layer: a PCA of this layer alone. t-SNE: near vectors "
            "stay near, but distances between groups mean nothing.",
        )
        colour = inputs.choice("Colour by", COLOURS, key="colour")
        pooling = inputs.choice("A word of several pieces: pool by", POOLINGS, key="pooling")
        count = inputs.choice(
            "Number of groups",
            COUNTS,
            key="groups",
            help="The number with the best mean silhouette is proposed, at each layer. It says "
            "which groups are compact, not how many senses there are.",
        )
    return Choices(pooling, kind, colour, count)
