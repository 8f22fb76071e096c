"""What is said of a query: its nearest token, how near that is, and which words are in pieces."""

import numpy as np

from bertviz_core.arrays import Exact
from bertviz_core.bert import Bert
from bertviz_core.calibration.percentiles import rounded
from bertviz_core.calibration.token_table import NearestScores
from bertviz_core.errors import shortened
from bertviz_core.neighbors import Neighbors, query_cosines, term_cosines
from bertviz_core.neighbors.search import Metric
from bertviz_core.views.parts import note, say
from bertviz_core.views.sentences import joined
from bertviz_core.views.view import Part

SHORT = 2  # letters of a word's pieces on average: made-up words have such, and few English ones
SHORT_NAMES: dict[Metric, str] = {"cosine": "cosine", "dot": "dot product", "euclidean": "distance"}


def split_terms(found: Neighbors) -> list[Part]:
    """Say which words of the query are not one row of the table."""
    split = [term for term in found.terms if len(term.tokens) > 1]
    if not split:
        return []
    holds_signs = any(sign in term.text for term in split for sign in "+-−")
    strange = next((one.text for one in split if len(one.text) <= SHORT * len(one.tokens)), "")
    return [
        note(
            "Not one token: {split}. Its vector is the mean of its pieces."
            + " Pieces so short are parts of any word: “{strange}” is perhaps not an English word, "
            "and then its neighbors mean nothing."
            * bool(strange)
            + " For a sum, put spaces around {signs}." * holds_signs,
            split=joined(
                f"{shortened(term.text, 40)} = {shortened(' '.join(term.tokens), 80)}"
                for term in split
            ),
            signs="+ and -",
            strange=shortened(strange, 40),
        )
    ]


def nearest_of(bert: Bert, query: str, found: Neighbors, closer: str) -> Part:
    """The nearest token; of a sum, whether it is nearer to that than to a word of the query."""
    sentence = "Nearest to <b>{query}</b>: <b>{nearest}</b> ({measure} <b>{score}</b>)."
    values = {
        "query": shortened(query),
        "nearest": found.tokens[0],
        "measure": SHORT_NAMES[found.metric],
        "score": f"{found.scores[0]:.3f}",
    }
    if found.is_own[0]:
        return say(sentence + " It is part of the query.", method="nearest-rows", **values)
    if len(found.terms) > 1:
        rest, of_terms = _what_the_sum_did(bert, found)
        return say(sentence + rest, method="arithmetic-with-words", **values, **of_terms)
    closer = f" {closer} of other tokens have a closer nearest neighbor." if closer else ""
    method = "nearest-neighbours-of-other-tokens" if closer else "nearest-rows"
    return say(sentence + "{closer}", method=method, closer=closer, **values)


def share_closer(found: Neighbors, others: NearestScores | None) -> str:
    """How many other tokens have a closer nearest neighbor: "57%", or "" where nothing compares."""
    percentiles = percentiles_of(found, others)
    if percentiles is None or found.is_own[0] or len(found.terms) > 1:
        return ""
    percentile = percentiles[found.ranked_ids == found.token_ids[0]][0]
    return f"{100 - float(rounded(percentile)):g}%"


def _what_the_sum_did(bert: Bert, found: Neighbors) -> tuple[str, dict[str, str]]:
    """Whether the best answer is nearer to the result than to one of its terms, by cosine."""
    added = sum(term.sign > 0 for term in found.terms)
    result = {len(found.terms): "sum", 1: "difference"}.get(added, "result")
    answer = found.token_ids[:1]
    whole = float(query_cosines(bert, found, answer)[0])
    terms = term_cosines(bert, found, answer)[:, 0]
    nearest = int(terms.argmax())
    if whole > terms[nearest]:
        rest = "the {result} (cosine {whole}) than to any of its words (<b>{nearest-term}</b>"
        rest += " <b>{term-cosine}</b>)."
    else:
        rest = (
            "<b>{nearest-term}</b> alone (cosine <b>{term-cosine}</b>) than to the {result} "
            "({whole})."
        )
    return " {answer} is nearer to " + rest, {
        "answer": found.tokens[0],
        "result": result,
        "whole": f"{whole:.3f}",
        "nearest-term": found.terms[nearest].text,
        "term-cosine": f"{terms[nearest]:.3f}",
    }


def percentiles_of(found: Neighbors, others: NearestScores | None) -> Exact | None:
    """One for each of `ranked_ids`, NaN for the query's own; None where nothing compares."""
    if others is None or not others.compares(found):
        return None
    percentiles = np.full(len(found.ranked_ids), np.nan)
    percentiles[np.isin(found.ranked_ids, found.token_ids)] = others.percentiles(found)
    return percentiles
