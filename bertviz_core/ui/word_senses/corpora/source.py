"""The inputs of a corpus: which one, which word, and what its sample is spread over."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from bertviz_core.corpus.schema import SENSE, SOURCE
from bertviz_core.ui import inputs, slots
from bertviz_core.ui.word_senses.corpora.offered import Corpus, opened

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

NOTHING = "nothing"


def ask(names: Iterable[str], beside: "DeltaGenerator") -> tuple[Corpus, str, str | None]:
    """Ask for a corpus, a word and a column.

    Args:
        names: The corpora on offer.
        beside: Where the field for the corpus goes.

    Returns:
        The corpus, one of its words, and the column that the sample is spread over; None for none.

    Raises:
        UserInputError: The corpus cannot be read.
    """
    with beside:
        name = inputs.listed("Corpus", list(names), key="corpus")
    corpus = opened(name)
    with slots.part("lines"), slots.cells("corpus", 2):
        word = inputs.listed("Word", list(corpus.occurrences.words), key="corpusword")
        column = inputs.listed(
            "Spread the sample over, and colour by",
            [NOTHING, *columns_of(corpus)],
            key="spread",
            help="A column of the corpus: the sample then has as many occurrences of each of its "
            "values, or ranges of numbers, as can be. Nothing: a plain random sample, coloured by "
            "sense or group.",
        )
    return corpus, word, None if column == NOTHING else column


def columns_of(corpus: Corpus) -> list[str]:
    """The columns that tell occurrences apart."""
    occurrences = corpus.occurrences
    columns = [one.name for one in occurrences.carried if one.name != SENSE]
    return [*columns, SOURCE] if len(occurrences.job.files) > 1 else columns
