"""A search of the token table as the page asks for it, and what its scores are compared with."""

from dataclasses import dataclass

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import Keep
from bertviz_core.errors import UserInputError, shortened
from bertviz_core.neighbors import Neighbors, nearest_tokens
from bertviz_core.neighbors.query import spelled_like
from bertviz_core.neighbors.search import Metric
from bertviz_core.showable import showable
from bertviz_core.views.parts import note
from bertviz_core.views.sentences import joined
from bertviz_core.views.view import Part

MAX_LETTERS = 2  # of a word's pieces on average: made-up words have such, and few English ones


@dataclass(frozen=True)
class Search:
    """One to three queries, and how to answer them; see `neighbors.nearest_tokens`."""

    queries: tuple[str, ...]
    k: int = 10
    metric: Metric = "cosine"
    keep: Keep = "all"
    unused: bool = False
    own: bool = False

    def results(self, bert: Bert) -> dict[str, Neighbors | str]:
        """The neighbours of each query, or why there are none."""
        return {query: self._result(bert, query) for query in self.queries}

    def answered(self, bert: Bert) -> dict[str, Neighbors]:
        """The neighbours of each query that has some."""
        found = self.results(bert)
        return {
            query: one for query, one in found.items() if not isinstance(one, str) and one.tokens
        }

    def _result(self, bert: Bert, query: str) -> Neighbors | str:
        how = {"unused": self.unused, "count_own": self.own}
        try:
            return nearest_tokens(bert, query, self.k, self.metric, self.keep, **how)
        except UserInputError as error:
            return str(error)


def named(query: str) -> str:
    """A query, or a term of it, beside numbers: its direction turns none of them around."""
    return showable(shortened(query, 40), from_right=True)


def split_terms(bert: Bert, found: Neighbors) -> list[Part]:
    """Say which words of the query are not one row of the table."""
    split = [term for term in found.terms if len(term.tokens) > 1]
    if not split:
        return []
    said = "Not one token: {split}. Its vector is the mean of its pieces."
    strange = [one.text for one in split if len(one.text) <= MAX_LETTERS * len(one.tokens)]
    if strange:
        said += (
            " Pieces so short are parts of any word: “{strange}” is perhaps not an English word, "
            "and then its neighbors mean nothing."
        )
    if near := spelled_like(bert, split[0]):
        said += " Spelled much like it, and one token: <b>{spelled-like}</b>."
    pieces = (f"{named(one.text)} = {shortened(' '.join(one.tokens), 80)}" for one in split)
    values = {"split": joined(pieces), "spelled-like": ", ".join(near)}
    return [note(said, **values, strange=shortened("".join(strange[:1]), 40))]
