"""Whether adding and subtracting words brought the answer nearer than one of the words was."""

from typing import Any

from bertviz_core.bert import Bert
from bertviz_core.neighbors import Neighbors, query_cosines, term_cosines
from bertviz_core.ui.html import joined


def what_the_sum_did(bert: Bert, neighbors: Neighbors) -> tuple[str, dict[str, str]]:
    """Compare the best answer with the sum and with each of its terms.

    Returns:
        Sentences for `html.finding` and their values; empty for a single term.
    """
    answers = neighbors.token_ids[~neighbors.is_own][:1]
    if len(neighbors.terms) == 1 or not len(answers):
        return "", {}
    whole = float(query_cosines(bert, neighbors, answers)[0])
    terms = term_cosines(bert, neighbors, answers)[:, 0]
    nearest = int(terms.argmax())
    if whole > terms[nearest]:
        template = (
            " The sum is nearer to <b>{answer}</b> than any of its terms is: cosine "
            "<b>{whole}</b>, of {terms}."
        )
    else:
        template = (
            " <b>{nearest-term}</b> alone is nearer to <b>{answer}</b> than the sum is: cosine "
            "<b>{term-cosine}</b> against <b>{whole}</b>. The arithmetic moved away from it. "
            "Each term: {terms}."
        )
    values = {
        "answer": bert.vocabulary.tokens[answers[0]],
        "whole": f"{whole:.3f}",
        "nearest-term": neighbors.terms[nearest].text,
        "term-cosine": f"{terms[nearest]:.3f}",
        "terms": joined(
            f"{term.text} {cosine:.3f}" for term, cosine in zip(neighbors.terms, terms, strict=True)
        ),
    }
    return template, values


def term_columns(bert: Bert, neighbors: Neighbors) -> dict[str, Any]:
    """A table's columns of each term's cosine with each row; none for one term."""
    if len(neighbors.terms) == 1:
        return {}
    cosines = term_cosines(bert, neighbors, neighbors.ranked_ids)
    return {
        f"cosine with {term.text}": row for term, row in zip(neighbors.terms, cosines, strict=True)
    }
