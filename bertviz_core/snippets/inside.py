"""The inside of a model: its parameters, one tensor, its pooler, one backward pass."""

from typing import TYPE_CHECKING

from bertviz_core.snippets.opening import load, load_and_tokenize

if TYPE_CHECKING:
    from bertviz_core.bert import Bert


def census_code(bert: "Bert", *, pooler: bool = True) -> str:
    """Code that lists every parameter and prints both totals.

    Args:
        bert: The checkpoint in use.
        pooler: Whether its file holds a pooler; transformers makes up a random one where not.

    Returns:
        A script that prints a line a parameter, then all parameters and the two-dimensional ones.
    """
    only = "" if pooler else '\n              if not name.startswith("pooler.")'
    return (
        load(bert)
        + f"""
parameters = {{name: p for name, p in model.named_parameters(){only}}}
total = sum(p.numel() for p in parameters.values())
for name, p in parameters.items():
    print(f"{{name:60}} {{str(tuple(p.shape)):15}} {{p.numel():>12,}} {{p.numel() / total:7.3%}}")
print("all parameters:", total)
print("two-dimensional:", sum(p.numel() for p in parameters.values() if p.dim() == 2))
"""
    )


def tensor_code(bert: "Bert", name: str, bins: int, count: int) -> str:
    """Code that describes one tensor.

    Args:
        bert: The checkpoint in use.
        name: Of the parameter, as transformers calls it.
        bins: Of the histogram.
        count: How many extreme rows.

    Returns:
        A script that prints statistics, the histogram, and the longest and shortest rows.
    """
    return (
        load(bert)
        + f"""import numpy as np

tensor = model.get_parameter({name!r}).detach().double().numpy()
print("from", tensor.min(), "to", tensor.max())
print("mean", tensor.mean(), "standard deviation", tensor.std())
print("length", np.linalg.norm(tensor), "zeros", (tensor == 0).sum())
counts, edges = np.histogram(tensor, bins={bins})
print(counts)

lengths = np.linalg.norm(tensor.reshape(len(tensor), -1), axis=1)
for row in (-lengths).argsort(kind="stable")[:{count}]:
    print("long", row, round(lengths[row], 4))
for row in lengths.argsort(kind="stable")[:{count}]:
    print("short", row, round(lengths[row], 4))
"""
    )


def norms_code(bert: "Bert") -> str:
    """Code that sorts the token table's rows by kind and measures them.

    Args:
        bert: The checkpoint in use.

    Returns:
        A script that prints, for each kind, the number of rows and their median length.
    """
    return (
        load(bert)
        + """import re
import unicodedata

def kind(token):
    if token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"):
        return "special"
    if not token or re.fullmatch(r"\\[unused\\d+\\]", token):
        return "unused"
    if token.startswith("##") and token != "##":
        return "subword"
    classes = {unicodedata.category(c)[0] for c in token}
    if not classes & {"L", "M", "N"}:
        return "sign"
    if classes == {"N"}:
        return "digit"
    if any(unicodedata.category(c)[0] in "LM" and not c.isascii()
           and not unicodedata.name(c, "").startswith(("LATIN ", "COMBINING "))
           for c in token):
        return "other script"
    return "one letter" if len(token) == 1 else "word"

table = model.embeddings.word_embeddings.weight.detach()
lengths = table.double().norm(dim=1)
tokens = [""] * len(table)
for token, row in tokenizer.get_vocab().items():
    tokens[row] = token
rows = {}
for row, token in enumerate(tokens):
    rows.setdefault(kind(token), []).append(row)
for name, of_kind in rows.items():
    print(name, len(of_kind), lengths[of_kind].quantile(0.5).item())
"""
    )


def pooler_code(bert: "Bert", text: str) -> str:
    """Code that runs the pooler by hand.

    Args:
        bert: The checkpoint in use.
        text: The sentence.

    Returns:
        A script that prints the pooler's output, its difference from the model's own, and its
        cosine with the [CLS] vector.
    """
    return (
        load_and_tokenize(bert, text)
        + """with torch.no_grad():
    result = model(**inputs)
    cls = result.last_hidden_state[:, 0]
    dense = cls @ model.pooler.dense.weight.T + model.pooler.dense.bias
    output = torch.tanh(dense)

print(output[0])
print("largest difference:", (output - result.pooler_output).abs().max().item())
print("cosine with [CLS]:", torch.cosine_similarity(cls, output).item())
"""
    )


def training_code(
    bert: "Bert", text: str, text_pair: str | None, first: list[int], second: list[int]
) -> str:
    """Code that pulls two words together and prints which rows of the tables would move.

    Args:
        bert: The checkpoint in use.
        text: The sentence, without marks.
        text_pair: The second sentence, or None.
        first: Places of the first word's tokens, counted from [CLS] = 0.
        second: Places of the second word's.

    Returns:
        A script that prints the loss, and for each table the length of its gradient and of that
        of each row that is not 0.
    """
    return (
        load_and_tokenize(bert, text, text_pair or None)
        + f"""states = model(**inputs).last_hidden_state[0]
first, second = states[{first!r}].mean(dim=0), states[{second!r}].mean(dim=0)
loss = 1 - torch.cosine_similarity(first, second, dim=0)
loss.backward()
print("loss:", loss.item())

for name in ("word_embeddings", "position_embeddings", "token_type_embeddings"):
    table = getattr(model.embeddings, name).weight
    rows = table.grad.double().norm(dim=1)
    print(name, "requires_grad", table.requires_grad, "gradient", rows.norm().item())
    for row in rows.nonzero().flatten().tolist():
        print("   row", row, rows[row].item())
"""
    )
