"""A search of the token table as the page asks for it, and what its scores are compared with."""

from dataclasses import dataclass

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import Keep
from bertviz_core.errors import UserInputError
from bertviz_core.neighbors import Neighbors, nearest_tokens
from bertviz_core.neighbors.search import Metric
from bertviz_core.showable import showable


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
        """The neighbours of each query as it is shown, or why there are none."""
        return {showable(one, from_right=True): self._result(bert, one) for one in self.queries}

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
