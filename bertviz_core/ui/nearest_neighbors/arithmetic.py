"""Whether adding and subtracting words brought the answer nearer than one of the words was."""

from typing import Any

from bertviz_core.bert import Bert
from bertviz_core.neighbors import Neighbors, query_cosines, term_cosines


def what_the_sum_did(bert: Bert, neighbors: Neighbors) -> tuple[str, dict[str, str]]:
    """Compare the best answer with the sum and with each of its terms, by cosine.

    Args:
        bert: The model in use.
        neighbors: The answers to a sum; the first is no part of it.

    Returns:
        The rest of a sentence for `html.finding`, and its values.
    """
    answer = neighbors.token_ids[:1]
    whole = float(query_cosines(bert, neighbors, answer)[0])
    terms = term_cosines(bert, neighbors, answer)[:, 0]
    nearest = int(terms.argmax())
    by_cosine = neighbors.metric == "cosine"  # otherwise the sentence has no cosine yet
    if whole > terms[nearest]:
        template = (
            ", nearer to the sum than to any of its words ({nearest-term} {term-cosine})."
            if by_cosine
            else ". By cosine it is nearer to the sum ({whole}) than to any of its words "
            "({nearest-term} {term-cosine})."
        )
    else:
        template = (
            ", but <b>{nearest-term}</b> alone is nearer to {answer} (<b>{term-cosine}</b>)."
            if by_cosine
            else ". By cosine <b>{nearest-term}</b> alone is nearer to {answer}: "
            "<b>{term-cosine}</b> against {whole}."
        )
    return template, {
        "answer": neighbors.tokens[0],
        "whole": f"{whole:.3f}",
        "nearest-term": neighbors.terms[nearest].text,
        "term-cosine": f"{terms[nearest]:.3f}",
    }


def term_columns(bert: Bert, neighbors: Neighbors) -> dict[str, Any]:
    """A table's columns of each term's cosine with each row; none for one term."""
    if len(neighbors.terms) == 1:
        return {}
    cosines = term_cosines(bert, neighbors, neighbors.ranked_ids)
    return {
        f"cosine with {term.text}": row for term, row in zip(neighbors.terms, cosines, strict=True)
    }
