"""The tokens of several sentences nearest to a word."""

from typing import TYPE_CHECKING

from bertviz_core.snippets.opening import load
from bertviz_core.snippets.spans import Span, listed, pool_of, reader
from bertviz_core.tokens.tokenized_text import without_lone_surrogates

if TYPE_CHECKING:
    from bertviz_core.bert import Bert


def context_neighbors_code(
    bert: "Bert", word: Span, sentences: list[str], pooling: str, layer: int, k: int
) -> str:
    """Code that compares a word with every token of some sentences at one layer.

    Args:
        bert: The checkpoint in use.
        word: Sentence, first and one-past-last character of the word.
        sentences: Where to look, each once.
        pooling: "mean", "first", "last" or "max".
        layer: 0 to num_hidden_layers.
        k: How many tokens.

    Returns:
        A script that prints k lines, best first: cosine, number of the sentence, position, token.
    """
    shown = "".join(f"    {without_lone_surrogates(sentence)!r},\n" for sentence in sentences)
    return (
        load(bert)
        + reader(bert)
        + f"""
word = {listed(word)}  # sentence, first character of the word, one past its last
sentences = [
{shown}]

def states(ids):
    with torch.no_grad():
        return model(ids[None], output_hidden_states=True).hidden_states[{layer}][0]

ids, own = read(*word)
pieces = states(ids)[own]
vector = {pool_of(pooling)}
found = []
for number, sentence in enumerate(sentences):
    ids, _ = read(sentence, 0, 0)
    cosines = torch.cosine_similarity(states(ids), vector[None])
    for place, token in enumerate(tokenizer.convert_ids_to_tokens(ids)):
        if token not in tokenizer.all_special_tokens and not (
                sentence == word[0] and place in own):
            found.append((cosines[place].item(), number, place, token))
for cosine, number, place, token in sorted(found, key=lambda one: -one[0])[:{k}]:
    print(f"{{cosine:.4f}}", number, place, token)
"""
    )
