"""What several snippets share: words by their characters, and the pooling of pieces."""

from typing import TYPE_CHECKING

from bertviz_core.tokens.tokenized_text import without_lone_surrogates

if TYPE_CHECKING:
    from bertviz_core.bert import Bert

Span = tuple[str, int, int]


def listed(span: Span) -> str:
    """A sentence, the first character of a word and one past its last, as code."""
    sentence, start, end = span
    return repr((without_lone_surrogates(sentence), start, end))


def pool_of(pooling: str) -> str:
    """Code that joins the tensor `pieces` to one vector."""
    return {
        "mean": "pieces.mean(dim=0)",
        "first": "pieces[0]",
        "last": "pieces[-1]",
        "max": "pieces.max(dim=0).values",
    }[pooling]


def reader(bert: "Bert") -> str:
    """Code of a function that gives a sentence's ids and the positions of a word's pieces."""
    return f"""
def read(sentence, start, end):
    inputs = tokenizer(sentence, return_tensors="pt", return_offsets_mapping=True,
                       truncation=True, max_length={bert.max_position_embeddings})
    offsets = inputs["offset_mapping"][0].tolist()
    return inputs["input_ids"][0], [i for i, (s, e) in enumerate(offsets)
                                    if s < end and e > start and e > s]
"""
