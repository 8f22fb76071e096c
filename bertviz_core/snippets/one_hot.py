"""What an embedding is, in the library's own words."""

import torch


def one_hot(
    tokenizer,
    model,
    inputs,
    position,  # of the token
    shown,  # dimensions
):
    """One token: its one-hot vector times the token table against the row that is looked up."""
    table = model.embeddings.word_embeddings.weight.detach()
    token_id = inputs["input_ids"][0, position]
    vector = torch.nn.functional.one_hot(token_id, len(table)).float()
    product, row = vector @ table, table[token_id]
    print(tokenizer.convert_ids_to_tokens(token_id.item()), token_id.item())
    print("one-hot x table", *(f"{number:.4f}" for number in product[:shown].tolist()))
    print("row            ", *(f"{number:.4f}" for number in row[:shown].tolist()))
    print("largest difference", (product - row).abs().max().item())


def modules(model):
    """The modules of the embedding layer, and how many numbers each tensor of it holds."""
    print(model.embeddings)
    for name, parameter in model.embeddings.named_parameters():
        print(name, parameter.numel())
