"""What a cosine is worth: its percentile among unrelated pairs."""

from typing import TYPE_CHECKING

from bertviz_core.calibration.cosines import PARTNERS
from bertviz_core.calibration.run import LONGEST, OCCURRENCES, SEED
from bertviz_core.calibration.table import ROWS
from bertviz_core.snippets.opening import load

if TYPE_CHECKING:
    from bertviz_core.bert import Bert

_PAIRS = """\
size = min({partners}, len(ids) // 2)  # each group of vectors meets the next one
used = len(ids) // size * size
groups = torch.arange(used).reshape(-1, size)
others = groups.roll(-1, 0)
if len(groups) == 2:  # which meet once, not twice
    groups, others = groups[:1], others[:1]
ids, origins = torch.tensor(ids), torch.tensor(origins)
first = groups[:, :, None].expand(-1, -1, size).flatten()
second = others[:, None, :].expand(-1, size, -1).flatten()
unrelated = (ids[first] != ids[second]) & (origins[first] != origins[second])

def cosines(vectors):
    unit = torch.nn.functional.normalize(vectors[:used], dim=1)
    return (unit[groups] @ unit[others].mT).flatten()[unrelated]

cosine = {cosine!r}
for name, found in (("raw", cosines(vectors)), ("centred", cosines(vectors - mean))):
    percentile = 100 * (found < cosine).float().mean().item()
    print(f"{{name}}: {{len(found)}} pairs, mean {{found.mean():.4f}}, "
          f"{{percentile:.1f}} percent below {{cosine}}")
"""


def calibration_code(bert: "Bert", layer: int, cosine: float) -> str:
    """Code that measures the cosines of unrelated token occurrences at one layer.

    Args:
        bert: The checkpoint in use.
        layer: 0 to num_hidden_layers.
        cosine: The cosine to judge.

    Returns:
        A script that reads `calibration.txt` and prints two lines, for raw and for centred
        vectors: the number of pairs, their mean cosine, and the percent of them below `cosine`.
    """
    most = min(LONGEST, bert.max_position_embeddings)
    return (
        load(bert)
        + f"""import numpy as np

# The sentences are those of this project, bertviz_core/data/calibration.txt, one a line.
sentences = open("calibration.txt", encoding="utf-8").read().split("\\n")
sentences = [s.strip() for s in sentences
             if s.strip() and len(tokenizer(s)["input_ids"]) <= {most}]
vectors, ids, origins = [], [], []
for start in range(0, len(sentences), 32):
    batch = tokenizer(sentences[start : start + 32], padding=True, return_tensors="pt")
    with torch.no_grad():
        states = model(**batch, output_hidden_states=True).hidden_states[{layer}]
    for number, row in enumerate(batch["input_ids"].tolist()):
        for place, token_id in enumerate(row):
            if token_id not in tokenizer.all_special_ids:  # [PAD] is one of them
                vectors.append(states[number, place])
                ids.append(token_id)
                origins.append(start + number)

order = np.random.default_rng({SEED}).permutation(len(ids))[:{OCCURRENCES}]
vectors = torch.stack(vectors)[order]
ids, origins = [ids[i] for i in order], [origins[i] for i in order]
mean = vectors.mean(dim=0)
"""
        + _PAIRS.format(partners=PARTNERS, cosine=round(float(cosine), 6))
    )


def table_calibration_code(bert: "Bert", cosine: float) -> str:
    """Code that measures the cosines of random rows of the token table.

    Args:
        bert: The checkpoint in use.
        cosine: The cosine to judge.

    Returns:
        A script that prints the same two lines as `calibration_code`.
    """
    return (
        load(bert)
        + f"""import numpy as np

table = model.embeddings.word_embeddings.weight.detach()
tokens = tokenizer.convert_ids_to_tokens(range(len(table)))
named = np.array([i for i, token in enumerate(tokens) if not token.startswith("[unused")
                  and token not in tokenizer.all_special_tokens])
ids = origins = named[np.random.default_rng({SEED}).permutation(len(named))[:{ROWS}]].tolist()
vectors, mean = table[ids], table[named].mean(dim=0)
"""
        + _PAIRS.format(partners=PARTNERS, cosine=round(float(cosine), 6))
    )
