"""Each other word of a sentence masked or dropped in turn."""

from typing import TYPE_CHECKING

from bertviz_core.snippets.opening import load
from bertviz_core.snippets.spans import Span, listed, pool_of, reader

if TYPE_CHECKING:
    from bertviz_core.bert import Bert


def influence_code(
    bert: "Bert",
    word: Span,
    anchor: Span,
    others: list[tuple[str, list[int]]],
    change: str,
    pooling: str,
    layer: int,
) -> str:
    """Code that takes each other word away and prints the change of a similarity.

    Args:
        bert: The checkpoint in use.
        word: Sentence, first and one-past-last character of the word that is followed.
        anchor: The same of what it is compared with.
        others: Each other word and the positions of its pieces.
        change: "mask" or "drop".
        pooling: "mean", "first", "last" or "max".
        layer: 0 to num_hidden_layers.

    Returns:
        A script that prints the similarity, and a line for each other word: its number in
        `others`, the similarity without it, and the change.
    """
    if change == "mask":
        taken = """    changed = ids.clone()
    changed[positions] = tokenizer.mask_token_id
    found = vector(changed, own)"""
    else:
        taken = """    kept = [i for i in range(len(ids)) if i not in positions]
    found = vector(ids[kept], [kept.index(i) for i in own])"""
    places = "".join(f"    {(name, positions)!r},\n" for name, positions in others)
    return (
        load(bert)
        + reader(bert)
        + f"""
word = {listed(word)}  # sentence, first character of the word, one past its last
anchor = {listed(anchor)}
others = [  # word, positions of its pieces
{places}]

def vector(ids, positions):
    with torch.no_grad():
        states = model(ids[None], output_hidden_states=True).hidden_states
    pieces = states[{layer}][0][positions]
    return {pool_of(pooling)}

ids, own = read(*word)
compare = vector(*read(*anchor))
similarity = torch.cosine_similarity(vector(ids, own), compare, dim=0)
print(f"{{similarity:.4f}}")
for number, (name, positions) in enumerate(others):
{taken}
    without = torch.cosine_similarity(found, compare, dim=0)
    print(f"{{number}} {{without:.4f}} {{without - similarity:+.4f}}", name)
"""
    )
