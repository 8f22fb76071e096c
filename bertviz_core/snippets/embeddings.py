"""The embedding layer: its parts, their sum and LayerNorm."""

from itertools import permutations

import numpy as np
import torch

from bertviz_core.snippets.shared import allowed, embedding_parts, mean_and_deviation, read


def dimension(
    tokenizer,
    model,
    dimension,
    k,
    keep,  # "words", "subwords" or "all"
):
    """The tokens that are highest and lowest on one dimension of the token table."""
    column = model.embeddings.word_embeddings.weight[:, dimension].tolist()
    tokens = tokenizer.convert_ids_to_tokens(range(len(column)))
    ids = [
        i
        for i, token in enumerate(tokens)
        if not token.startswith("[unused") and allowed(token, keep, tokenizer.all_special_tokens)
    ]
    highest = sorted(ids, key=lambda i: -column[i])[:k]
    lowest = sorted(ids, key=lambda i: column[i])[:k]
    for i in highest + lowest:
        print(tokens[i], f"{column[i]:.6f}")


def input_embeddings(tokenizer, model, inputs):
    """The embedding layer, added up by hand and compared with the model's own."""
    word, segment, position = embedding_parts(model, inputs)
    with torch.no_grad():
        output = model.embeddings.LayerNorm(word + segment + position)
        own = model.embeddings(inputs["input_ids"], inputs["token_type_ids"])[0]
    print(output)
    print("largest difference:", (output - own).abs().max().item())


def layer_norm(tokenizer, model, inputs):
    """The length of each token's vector after each step of LayerNorm."""
    norm = model.embeddings.LayerNorm
    weight, bias = norm.weight.detach().double(), norm.bias.detach().double()
    summed = embedding_parts(model, inputs).double().sum(dim=0)  # float64: rounding does not show
    mean, deviation = mean_and_deviation(summed, norm.eps)
    centred = summed - mean
    scaled = centred / deviation * weight
    steps = torch.stack([summed, centred, centred / deviation, scaled, scaled + bias])

    tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0].tolist())
    for token, lengths in zip(tokens, steps.norm(dim=-1).T, strict=True):
        print(token, lengths.round(decimals=4).tolist())
    turned = torch.cosine_similarity(summed, scaled + bias, dim=-1)
    print("cosine of sum and output", turned.round(decimals=4).tolist())


def sums(
    tokenizer,
    model,
    words,  # of each its sentence, the first character of the word, one past its last
    shown,  # dimensions
):
    """What is added up to a word's input embedding in each of its sentences: of its first token."""
    for word in words:
        ids, positions = read(tokenizer, *word)
        parts = embedding_parts(model, {"input_ids": ids, "token_type_ids": torch.zeros_like(ids)})
        with torch.no_grad():
            output = model.embeddings.LayerNorm(parts.sum(dim=0))
        names = ["token", "segment", "position", "input embedding"]
        for name, part in zip(names, [*parts, output], strict=True):
            print(name, *(f"{number:.4f}" for number in part[positions[0], :shown].tolist()))


def orders(tokenizer, model, inputs):
    """The three embeddings added in all six orders, each compared with the model's own."""
    with torch.no_grad():
        own = model.embeddings(inputs["input_ids"], inputs["token_type_ids"])[0]
    parts = dict(zip(["token", "segment", "position"], embedding_parts(model, inputs), strict=True))
    for a, b, c in permutations(parts):
        with torch.no_grad():
            output = model.embeddings.LayerNorm(parts[a] + parts[b] + parts[c])
        difference = (output - own).abs().max().item()
        equal = (output == own).double().mean().item()
        print(f"({a} + {b}) + {c}", f"{1e7 * difference:.2f} in 10^-7,", f"{equal:.3f}")


def shares(tokenizer, model, inputs):
    """What token, segment and position bring to each vector."""
    norm = model.embeddings.LayerNorm
    weight, bias = norm.weight.detach().double(), norm.bias.detach().double()
    parts = embedding_parts(model, inputs).double()  # float64, so that rounding does not show
    summed = parts.sum(dim=0)
    _, deviation = mean_and_deviation(summed, norm.eps)

    # Each part after LayerNorm, without the bias; their sum is output - bias.
    scaled = (parts - parts.mean(dim=-1, keepdim=True)) / deviation * weight
    without_bias = scaled.sum(dim=0)
    lengths = parts.norm(dim=-1)
    cosines = torch.cosine_similarity(parts, summed[None], dim=-1)
    shares = (scaled * without_bias).sum(dim=-1) / (without_bias**2).sum(dim=-1)
    output = without_bias + bias
    bias_shares = (bias * output).sum(dim=-1) / (output**2).sum(dim=-1)

    tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0].tolist())
    for i, token in enumerate(tokens):
        print(token)
        print("    lengths", lengths[:, i].round(decimals=4).tolist())
        print("    cosines", cosines[:, i].round(decimals=4).tolist())
        print("    shares", shares[:, i].round(decimals=4).tolist())
        print("    share of the bias", [round(bias_shares[i].item(), 4)])


def waterfall(tokenizer, model, inputs, position, dimension):
    """One number of one token, from the three tables to the output of LayerNorm."""
    norm = model.embeddings.LayerNorm
    weight, bias = norm.weight.detach().double(), norm.bias.detach().double()
    parts = embedding_parts(model, inputs).double()  # float64, so that rounding does not show
    mean, deviation = mean_and_deviation(parts.sum(dim=0), norm.eps)

    number = 0.0
    for name, part in zip(["token", "+ segment", "+ position"], parts, strict=True):
        number += part[position, dimension].item()
        print(name, round(number, 6))
    number -= mean[position].item()
    print("- mean", round(number, 6))
    number /= deviation[position].item()
    print("/ deviation", round(number, 6))
    number *= weight[dimension].item()
    print("* weight", round(number, 6))
    number += bias[dimension].item()
    print("+ bias", round(number, 6))

    with torch.no_grad():
        own = model.embeddings(inputs["input_ids"], inputs["token_type_ids"])[0]
    print("model.embeddings:", round(own[position, dimension].item(), 6))


def one_hot(
    tokenizer,
    model,
    inputs,
    position,  # of the token
    shown,  # dimensions
):
    """One token: its one-hot vector times the token table, and the row that is looked up."""
    table = model.embeddings.word_embeddings.weight.detach()
    token_id = inputs["input_ids"][0, position]
    product = torch.nn.functional.one_hot(token_id, len(table)).float() @ table
    for name, numbers in {"one-hot x table": product, "row": table[token_id]}.items():
        print(name, *(f"{number:.4f}" for number in numbers[:shown].tolist()))
    print("largest difference", (product - table[token_id]).abs().max().item())


def modules(model):
    """The modules of the embedding layer, and how many numbers each tensor of it holds."""
    print(model.embeddings)
    for name, parameter in model.embeddings.named_parameters():
        print(name, parameter.numel())


def apart(tokenizer, model, inputs, sentences):
    """Which rows are nearest to the sum of three, and the angles between the tables."""
    names = ["word_embeddings", "token_type_embeddings", "position_embeddings"]
    tables = [getattr(model.embeddings, name).weight.detach() for name in names]
    unit = torch.nn.functional.normalize
    rows = [unit(tables[0], dim=-1), unit(tables[2], dim=-1)]

    def nearest(vectors: torch.Tensor, *ids: torch.Tensor) -> torch.Tensor:
        """Cosine with the own row, and the highest with another, by table: (2, 2, tokens)."""
        found = []
        for table, own in zip(rows, ids, strict=True):
            cosines = unit(vectors, dim=-1) @ table.T
            others = cosines.scatter(1, own[:, None], -2).max(dim=1).values
            found.append(torch.stack([cosines.gather(1, own[:, None])[:, 0], others]))
        return torch.stack(found)

    def right(title: str, vectors: torch.Tensor, ids: torch.Tensor) -> None:
        parts = zip(vectors.split(512), *(one.split(512) for one in ids), strict=True)
        own, other = torch.cat([nearest(*part) for part in parts], dim=-1).unbind(dim=1)
        shares = (100 * (own > other).double().mean(dim=1)).tolist()
        print(f"{title}: token {shares[0]:.1f}%, position {shares[1]:.1f}%")

    def summed(ids: torch.Tensor) -> torch.Tensor:
        return tables[0][ids[0]] + tables[1][0] + tables[2][ids[1]]

    own, positions = inputs["input_ids"][0], torch.arange(len(tables[2]))
    cosines = nearest(embedding_parts(model, inputs).sum(dim=0), own, positions[: len(own)])
    for token, one in zip(inputs.tokens(), cosines.flatten(0, 1).T, strict=True):
        print(token, *(f"{cosine:.3f}" for cosine in one.tolist()))

    read = [torch.tensor(tokenizer(s, truncation=True)["input_ids"]) for s in sentences]
    every = torch.stack([torch.cat(read), torch.cat([positions[: len(one)] for one in read])])
    generator = np.random.default_rng(0)
    some = every[:, generator.integers(every.shape[1], size=1000)]
    normed = model.embeddings.LayerNorm(summed(some)).detach()
    undone = torch.nn.functional.layer_norm(summed(some), tables[0].shape[1:])
    right("right rows", summed(every), every)
    right("after LayerNorm", normed, some)
    right("its weight and bias undone", undone, some)
    if len(positions) > 128:
        some[1] = torch.tensor(generator.integers(128, len(positions), size=1000))
        right("positions from 128 on, before LayerNorm", summed(some), some)

    spans = []
    for table in (tables[0], tables[2]):
        count = min(10, len(table) - 1, table.shape[1] // 2)
        centred = table.double() - table.double().mean(dim=0)
        spans.append(torch.linalg.svd(centred, full_matrices=False).Vh[:count])
    angles = torch.linalg.svdvals(spans[0] @ spans[1].T).clamp(max=1).acos().rad2deg()
    print(f"angle of token and position table {angles.mean():.1f}")


def first_scores(tokenizer, model, inputs):
    """The first layer's attention scores in parts: token and position, with each other."""
    norm, attention = model.embeddings.LayerNorm, model.encoder.layer[0].attention.self
    parts = embedding_parts(model, inputs).double()  # float64, so that rounding does not show
    _, deviation = mean_and_deviation(parts.sum(dim=0), norm.eps)
    token, segment, position = (
        (part - part.mean(dim=-1, keepdim=True)) / deviation * norm.weight for part in parts
    )
    rows = torch.stack([token, position, segment + norm.bias])  # the last is all else
    vectors = []
    for dense in (attention.query, attention.key):
        made = rows @ dense.weight.double().T
        made[2] += dense.bias
        vectors.append(made.unflatten(-1, (attention.num_attention_heads, -1)).transpose(1, 2))
    query, key = vectors
    scores = query[:, None] @ key[None].mT / query.shape[-1] ** 0.5  # (3, 3, heads, tokens, tokens)

    scores = scores - scores.mean(dim=-1, keepdim=True)  # the softmax sees differences alone
    total = scores.sum(dim=(0, 1))
    shares = (scores * total).sum(dim=(-2, -1)) / (total**2).sum(dim=(-2, -1))
    kinds = [shares[0, 0], shares[1, 1], shares[0, 1], shares[1, 0]]
    for name, one in zip(("token", "position", "crossed", "crossed back"), kinds, strict=True):
        print(name, *(f"{share:.3f}" for share in one.tolist()))
    print("other", *(f"{share:.3f}" for share in (shares.sum(dim=(0, 1)) - sum(kinds)).tolist()))
