"""Whether one text follows another."""

import torch
from transformers import BertForNextSentencePrediction


def next_sentence(
    tokenizer,
    checkpoint,
    revision,
    first,
    second,
    other,  # does not follow
):
    """The head for the next sentence: the pair, turned round, with other segments, another text."""
    model = BertForNextSentencePrediction.from_pretrained(checkpoint, revision=revision).eval()

    pair = tokenizer(first, second, truncation=True, return_tensors="pt")
    segments = pair["token_type_ids"]
    runs = {
        "A, then B": pair,
        "B, then A": tokenizer(second, first, truncation=True, return_tensors="pt"),
        "segments flipped": {**pair, "token_type_ids": 1 - segments},
        "all segment A": {**pair, "token_type_ids": 0 * segments},
        "A, then the other text": tokenizer(first, other, truncation=True, return_tensors="pt"),
    }
    for name, inputs in runs.items():
        with torch.no_grad():
            logits = model(**inputs).logits[0]
        follows, does_not = logits.tolist()  # label 0 is "B follows A"
        probability = logits.softmax(dim=0)[0]
        print(f"{name}: {probability:.4f} logits {follows:.4f} {does_not:.4f}")
