"""Parameters, the pooler and training."""

import re
import unicodedata
from math import exp, lgamma

import torch


def norms(tokenizer, model):
    """The rows of the token table by kind: how many, and their median length."""

    def kind(token: str) -> str:
        """What a token is made of, by Unicode's classes: letters L and M, numerals N."""
        if token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"):
            return "special"
        if not token or re.fullmatch(r"\[unused\d+\]", token):
            return "unused"
        if token.startswith("##") and token != "##":
            return "subword"
        classes = {unicodedata.category(letter)[0] for letter in token}
        if not classes & {"L", "M", "N"}:
            return "sign"
        if classes == {"N"}:
            return "digit"
        names = [
            unicodedata.name(letter, "")
            for letter in token
            if not letter.isascii() and unicodedata.category(letter)[0] in "LM"
        ]
        if not all(name.startswith(("LATIN ", "COMBINING ")) for name in names):
            return "other script"
        return "one letter" if len(token) == 1 else "word"

    lengths = model.embeddings.word_embeddings.weight.detach().double().norm(dim=1)
    tokens = {row: token for token, row in tokenizer.get_vocab().items()}
    rows: dict[str, list[int]] = {}
    for row in range(len(lengths)):
        rows.setdefault(kind(tokens.get(row, "")), []).append(row)
    for name, of_kind in rows.items():
        print(name, len(of_kind), f"{lengths[of_kind].quantile(0.5):.5f}")


def parameters(
    model,
    pooler,  # whether the file has a pooler; transformers makes up a random one where not
):
    """Every parameter with its shape, size and share; then both totals."""
    parameters = {
        name: tensor
        for name, tensor in model.named_parameters()
        if pooler or not name.startswith("pooler.")
    }
    total = sum(tensor.numel() for tensor in parameters.values())
    for name, tensor in parameters.items():
        count = tensor.numel()
        print(f"{name:60} {tuple(tensor.shape)!s:15} {count:>12,} {count / total:7.3%}")
    print("all parameters:", total)
    print("two-dimensional:", sum(p.numel() for p in parameters.values() if p.dim() == 2))


def pooler(tokenizer, model, inputs):
    """The pooler by hand, compared with the model's own, and its cosine with [CLS]."""
    with torch.no_grad():
        result = model(**inputs)
        cls = result.last_hidden_state[:, 0]
        output = torch.tanh(cls @ model.pooler.dense.weight.T + model.pooler.dense.bias)
    print(*(f"{number:.4f}" for number in output[0]))
    print("largest difference:", (output - result.pooler_output).abs().max().item())
    print(f"cosine with [CLS]: {torch.cosine_similarity(cls, output).item():.4f}")


def training(
    tokenizer,
    model,
    inputs,
    first_positions,  # of the first word's tokens, counted from [CLS] = 0
    second_positions,  # of the second word's
):
    """Two words pulled together: which rows of the tables one backward pass would move."""
    vectors = model(**inputs).last_hidden_state[0]
    first, second = vectors[first_positions].mean(dim=0), vectors[second_positions].mean(dim=0)
    loss = 1 - torch.cosine_similarity(first, second, dim=0)
    loss.backward()
    print(f"cosine of the two words: {1 - loss.item():.5f}")

    # A table that was never trained: rows of normal numbers, their lengths a chi distribution.
    spread, size = model.config.initializer_range, model.config.hidden_size
    fresh = spread * 2**0.5 * exp(lgamma((size + 1) / 2) - lgamma(size / 2))
    print(f"length of a fresh row: {fresh:.4f}")

    for name in ("word_embeddings", "position_embeddings", "token_type_embeddings"):
        table = getattr(model.embeddings, name).weight
        rows = table.grad.double().norm(dim=1)
        print(name, "requires_grad", table.requires_grad, f"gradient {rows.norm():.5f}")
        lengths = table.detach().double().norm(dim=1)
        print(f"   median length: {lengths.quantile(0.5):.4f}")
        for row in rows.nonzero().flatten().tolist():
            print("   row", row, f"{rows[row]:.5f}")
