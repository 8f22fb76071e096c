"""The nearest rows of the token table at every layer."""

from typing import TYPE_CHECKING

from bertviz_core.calibration.run import LONGEST, OCCURRENCES, SEED
from bertviz_core.snippets.opening import load
from bertviz_core.snippets.spans import Span, listed, pool_of, reader

if TYPE_CHECKING:
    from bertviz_core.bert import Bert

_MEANS = """\
import numpy as np

# The sentences are those of this project, bertviz_core/data/calibration.txt, one a line.
sentences = open("calibration.txt", encoding="utf-8").read().split("\\n")
sentences = [s.strip() for s in sentences
             if s.strip() and len(tokenizer(s)["input_ids"]) <= {most}]
found = []
for start in range(0, len(sentences), 32):
    batch = tokenizer(sentences[start : start + 32], padding=True, return_tensors="pt")
    with torch.no_grad():
        states = torch.stack(model(**batch, output_hidden_states=True).hidden_states)
    for number, row in enumerate(batch["input_ids"].tolist()):
        kept = [i for i, token_id in enumerate(row) if token_id not in tokenizer.all_special_ids]
        found.append(states[:, number, kept])
found = torch.cat(found, dim=1)
order = np.random.default_rng({seed}).permutation(found.shape[1])[:{occurrences}]
vectors = vectors - found[:, order].mean(dim=1)
table = table - table[used].mean(dim=0)
"""


def lens_code(bert: "Bert", word: Span, pooling: str, k: int, *, centred: bool) -> str:
    """Code that compares each layer's vector of a word with the token table.

    Args:
        bert: The checkpoint in use.
        word: Sentence, first and one-past-last character of the word.
        pooling: "mean", "first", "last" or "max".
        k: How many rows for each layer.
        centred: Whether to take the means away; then it reads `calibration.txt`.

    Returns:
        A script that prints k lines a layer: layer, cosine, token.
    """
    most = min(LONGEST, bert.max_position_embeddings)
    means = _MEANS.format(most=most, seed=SEED, occurrences=OCCURRENCES) if centred else ""
    return (
        load(bert)
        + reader(bert)
        + f"""
ids, positions = read{listed(word)}
with torch.no_grad():
    states = model(ids[None], output_hidden_states=True).hidden_states
vectors = []
for layer in states:
    pieces = layer[0][positions]
    vectors.append({pool_of(pooling)})
vectors = torch.stack(vectors)

table = model.embeddings.word_embeddings.weight.detach()
tokens = tokenizer.convert_ids_to_tokens(range(len(table)))
used = [i for i, token in enumerate(tokens) if not token.startswith("[unused")
        and token not in tokenizer.all_special_tokens]
{means}candidates = sorted({{*used, *ids[positions].tolist()}})
for layer, vector in enumerate(vectors):
    cosines = torch.cosine_similarity(table[candidates], vector[None])
    for place in cosines.argsort(descending=True)[:{k}]:
        print(layer, f"{{cosines[place]:.4f}}", tokens[candidates[place]])
"""
    )
