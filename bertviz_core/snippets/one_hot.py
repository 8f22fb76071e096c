"""What an embedding is, in the library's own words."""

import torch


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
