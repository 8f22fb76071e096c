"""A text as tokens, and the vocabulary."""

import torch


def decode(tokenizer, token_ids):
    """Tokens and text of token ids."""
    print(*tokenizer.convert_ids_to_tokens(token_ids))
    print(tokenizer.decode(token_ids))
    print(tokenizer.decode(token_ids, skip_special_tokens=True))


def segments(
    tokenizer,
    text,
    text_pair,  # or None
):
    """The segment of each token, and how many [SEP] come before it."""
    inputs = tokenizer(text, text_pair, truncation=True)
    tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"])
    for position, token in enumerate(tokens):
        print(token, inputs["token_type_ids"][position], tokens[:position].count("[SEP]"))


def tokens(
    tokenizer,
    text,
    text_pair,  # or None
):
    """Every token of a text: id, segment, first and last character, word, and attention_mask."""
    inputs = tokenizer(text, text_pair, truncation=True, return_offsets_mapping=True)
    tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"])
    for position, token in enumerate(tokens):
        start, end = inputs["offset_mapping"][position]
        segment = "AB"[inputs["token_type_ids"][position]]
        word, mask = inputs.word_ids()[position], inputs["attention_mask"][position]
        print(position, token, inputs["input_ids"][position], segment, start, end, word, mask)


def vocabulary(
    tokenizer,
    word,
    normalized,  # the word as the tokenizer changes it before it looks it up
    beginning,
):
    """A word looked up in the vocabulary, and how many tokens begin like it."""
    vocabulary = tokenizer.get_vocab()
    print(normalized, vocabulary.get(normalized), vocabulary.get("##" + normalized))
    print(*tokenizer.tokenize(word))

    pieces = {token for token in vocabulary if token.startswith("##") and token != "##"}
    words = {token for token in vocabulary if not token.startswith("[unused")} - pieces
    print(sum(token.startswith(beginning) for token in words))
    print(sum(token.startswith("##" + beginning) for token in pieces))


def word_steps(
    tokenizer,
    text,
    longest_word,  # characters; a longer word is unknown
):
    """A text after normalization, and every piece that WordPiece tries in its words."""
    backend = tokenizer.backend_tokenizer
    vocabulary = tokenizer.get_vocab()
    normalized = backend.normalizer.normalize_str(text)
    print("normalized:", repr(normalized))

    for word, _ in backend.pre_tokenizer.pre_tokenize_str(normalized):
        pieces: list[str] = []
        start = 0
        while start < len(word) <= longest_word:
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
        most = attention[:, real:].mean(dim=(0, 1)).argmax()
        ids = padded["input_ids"][0].tolist()
        print("   padding attends most to", tokenizer.convert_ids_to_tokens(ids)[most])

    lengths = model.embeddings.word_embeddings.weight.double().norm(dim=1)
    print(f"length of its row {lengths[tokenizer.pad_token_id]:.4f}, mean {lengths.mean():.4f}")
