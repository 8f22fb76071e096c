"""How BERT reads a text: tokens, the steps of one word, the vocabulary, ids, segments, lines."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bertviz_core.snippets.opening import load
from bertviz_core.tokens.tokenized_text import without_lone_surrogates

if TYPE_CHECKING:
    from bertviz_core.bert import Bert


def tokens_code(bert: "Bert", text: str, text_pair: str | None = None) -> str:
    """Code that prints every token with id, segment, position, character span and word."""
    return (
        _tokenizer(bert)
        + f"""
text, pair = {_literal(text)}, {_literal(text_pair)}
inputs = tokenizer(text, pair, truncation=True, max_length={bert.max_position_embeddings},
                   return_offsets_mapping=True)
tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"])
for position, row in enumerate(zip(tokens, inputs["input_ids"], inputs["token_type_ids"],
                                   inputs["offset_mapping"], inputs.word_ids())):
    token, token_id, segment, (start, end), word = row
    print(position, token, token_id, segment, start, end, word)
"""
    )


def word_steps_code(bert: "Bert", word: str) -> str:
    """Code that prints a text after normalization, its words, and every piece tried in each."""
    return (
        _tokenizer(bert)
        + f"""
text = {_literal(word)}
backend = tokenizer.backend_tokenizer
vocabulary = tokenizer.get_vocab()
normalized = backend.normalizer.normalize_str(text)
print("normalized:", repr(normalized))

for word, _ in backend.pre_tokenizer.pre_tokenize_str(normalized):
    pieces, start = [], 0
    while start < len(word) and len(word) <= {bert.tokenizer.model.max_input_chars_per_word}:
        for end in range(len(word), start, -1):  # the longest first
            piece = ("##" if start else "") + word[start:end]
            print("try", piece, vocabulary.get(piece))
            if piece in vocabulary:
                pieces.append(piece)
                start = end
                break
        else:  # not even one character fits: the whole word is unknown
            pieces = []
            break
    print(word, "->", *(pieces or ["[UNK]"]))
"""
    )


def vocabulary_code(bert: "Bert", word: str, read_as: str, beginning: str) -> str:
    """Code that looks a word up, and counts the tokens that begin like it.

    Args:
        bert: The checkpoint in use.
        word: The word as typed, without ##.
        read_as: The word after the tokenizer's normalizer.
        beginning: What the counted tokens begin with.
    """
    return (
        _tokenizer(bert)
        + f"""
vocabulary = tokenizer.get_vocab()
word, read_as, beginning = {_literal(word)}, {_literal(read_as)}, {_literal(beginning)}
for written in dict.fromkeys([read_as, word, word.lower(), word.capitalize(), word.upper()]):
    print(written, vocabulary.get(written), vocabulary.get("##" + written))
print(tokenizer.tokenize(word))
print(sum(token.startswith(beginning) and not token.startswith("[unused")
          for token in vocabulary if token == "##" or not token.startswith("##")),
      sum(token.startswith("##" + beginning) for token in vocabulary))
"""
    )


def decode_code(bert: "Bert", token_ids: Sequence[int]) -> str:
    """Code that turns ids into tokens and text."""
    return (
        _tokenizer(bert)
        + f"""
ids = {list(token_ids)!r}
print(tokenizer.convert_ids_to_tokens(ids))
print(tokenizer.decode(ids))
print(tokenizer.decode(ids, skip_special_tokens=True))
"""
    )


def segments_code(bert: "Bert", text: str, text_pair: str | None = None) -> str:
    """Code that prints each token's segment, and how many [SEP] stand before it."""
    return (
        _tokenizer(bert)
        + f"""
text, pair = {_literal(text)}, {_literal(text_pair)}
inputs = tokenizer(text, pair, truncation=True, max_length={bert.max_position_embeddings})
tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"])
for place, (token, segment) in enumerate(zip(tokens, inputs["token_type_ids"])):
    print(token, segment, tokens[:place].count("[SEP]"))
"""
    )


def lines_code(bert: "Bert", lines: Sequence[str]) -> str:
    """Code that prints the tokens, words, pieces and unknown tokens of each line."""
    listed = "".join(f"    {_literal(line)},\n" for line in lines)
    return (
        _tokenizer(bert)
        + f"""
lines = [
{listed}]
for line in lines:
    inputs = tokenizer(line, add_special_tokens=False, verbose=False)
    words, pieces = len(set(inputs.word_ids())), len(inputs["input_ids"])
    unknown = inputs["input_ids"].count(tokenizer.unk_token_id)
    print(pieces + 2, words, pieces, unknown)
"""
    )


def _tokenizer(bert: "Bert") -> str:
    """The opening without the model, which tokens do not need."""
    lines = load(bert).replace("import BertModel, ", "import ").splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(("import torch", "model =")))


def _literal(text: str | None) -> str:
    return repr(text if text is None else without_lone_surrogates(text))
