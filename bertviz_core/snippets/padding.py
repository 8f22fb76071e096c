"""Padding, with attention_mask and without it."""

import torch


def padding(
    tokenizer,
    model,
    inputs,
    text,
    text_pair,  # or None
    length,  # tokens, with the padding
):
    """A text alone and padded: largest difference by layer, and attention to the padding."""
    pad = {"padding": "max_length", "max_length": length, "return_tensors": "pt"}
    padded = dict(tokenizer(text, text_pair, **pad))
    for name, row in padded.items():
        print(name, row[0].tolist())
    model.set_attn_implementation("eager")  # the one that gives its weights
    alone = model(**inputs, output_hidden_states=True).hidden_states
    real = inputs["input_ids"].shape[1]

    unmasked = {name: row for name, row in padded.items() if name != "attention_mask"}
    for given in (padded, unmasked):
        print("with", *given)
        result = model(**given, output_hidden_states=True, output_attentions=True)
        attention = torch.stack(result.attentions)[:, 0].mean(dim=1)  # over heads
        for layer, vectors in enumerate(result.hidden_states):
            difference = (vectors[:, :real] - alone[layer]).abs().max().item()
            print("   largest difference at layer", layer, f"{difference:.5f}")
        shares = attention[:, :real, real:].sum(dim=2).mean(dim=1)
        print("   attention to padding by layer:", *(f"{share:.4f}" for share in shares))
        looks = attention[:, real:].mean(dim=(0, 1))
        print("   attention of padding by token:", *(f"{share:.4f}" for share in looks))

    lengths = model.embeddings.word_embeddings.weight.double().norm(dim=1)
    print(f"length of its row {lengths[tokenizer.pad_token_id]:.4f}, mean {lengths.mean():.4f}")
