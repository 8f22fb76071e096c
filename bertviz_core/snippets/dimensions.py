"""One dimension of the token table."""

from typing import TYPE_CHECKING

from bertviz_core.snippets.opening import load

if TYPE_CHECKING:
    from bertviz_core.bert import Bert


def dimension_code(bert: "Bert", dimension: int, k: int, keep: str) -> str:
    """Code that finds the tokens highest and lowest on one dimension.

    Args:
        bert: The checkpoint in use.
        dimension: Which dimension.
        k: How many at each end.
        keep: "all", "words" or "subwords".

    Returns:
        A script that prints 2 k lines, each a token and its value: the highest, then the lowest.
    """
    allowed = {
        "all": "not token.startswith('[unused')",
        "words": "not token.startswith(('##', '[unused')) and "
        "token not in tokenizer.all_special_tokens or token == '##'",
        "subwords": "token.startswith('##') and token != '##'",
    }[keep]
    return (
        load(bert)
        + f"""
column = model.embeddings.word_embeddings.weight[:, {dimension}].tolist()
tokens = tokenizer.convert_ids_to_tokens(range(len(column)))
ids = [i for i, token in enumerate(tokens) if {allowed}]
for i in sorted(ids, key=lambda i: -column[i])[:{k}] + sorted(ids, key=lambda i: column[i])[:{k}]:
    print(tokens[i], round(column[i], 6))
"""
    )
