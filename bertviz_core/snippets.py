"""The code that reproduces a page's numbers, with torch, transformers and scikit-learn alone.

Every snippet starts from a line `checkpoint = "..."`, prints its result, and is run by the tests.
"""

from typing import TYPE_CHECKING

from bertviz_core.tokens import without_lone_surrogates

if TYPE_CHECKING:
    from bertviz_core.bert import Bert

_LOAD = """\
import torch
from transformers import BertModel, BertTokenizer

checkpoint = {checkpoint}
tokenizer = BertTokenizer.from_pretrained(checkpoint{revision})
model = BertModel.from_pretrained(checkpoint{revision}).eval()
"""


def input_embeddings_code(bert: "Bert", text: str, text_pair: str | None = None) -> str:
    """Code that adds up the embedding layer and compares it with the model's own.

    Args:
        bert: The checkpoint in use.
        text: The first sentence.
        text_pair: The second, or None.

    Returns:
        A script that prints the output of LayerNorm and the largest difference.
    """
    text = without_lone_surrogates(text)
    pair = "" if text_pair is None else f", {without_lone_surrogates(text_pair)!r}"
    return (
        _load(bert)
        + f"""
inputs = tokenizer({text!r}{pair}, return_tensors="pt",
                   truncation=True, max_length={bert.max_position_embeddings})
layer = model.embeddings
with torch.no_grad():
    word = layer.word_embeddings(inputs["input_ids"])
    segment = layer.token_type_embeddings(inputs["token_type_ids"])
    position = layer.position_embeddings(torch.arange(inputs["input_ids"].shape[1]))
    output = layer.LayerNorm(word + segment + position)
    own = layer(inputs["input_ids"], inputs["token_type_ids"])

print(output[0])
print("largest difference:", (output - own).abs().max().item())
"""
    )


def neighbors_code(
    bert: "Bert",
    terms: list[tuple[int, list[int]]],
    k: int,
    metric: str,
    keep: str,
    *,
    unused: bool,
) -> str:
    """Code that searches the token table.

    Args:
        bert: The checkpoint in use.
        terms: Sign and token ids of each term of the query.
        k: How many neighbours.
        metric: "cosine", "dot" or "euclidean".
        keep: "all", "words" or "subwords".
        unused: Whether `[unused...]` rows may be answers.

    Returns:
        A script that prints k lines, each a token and its score, best first.
    """
    allowed = {
        "all": "True",
        "words": "not token.startswith('##') and token not in tokenizer.all_special_tokens",
        "subwords": "token.startswith('##') and token != '##'",
    }[keep]
    if not unused:
        allowed = f"not token.startswith('[unused') and {allowed}"
    score = {
        "cosine": "cosine_similarity(query[None], table)[0]",
        "dot": "table @ query",
        "euclidean": "-euclidean_distances(query[None], table)[0]  # low is near",
    }[metric]
    sign = "-" if metric == "euclidean" else ""
    return (
        _load(bert)
        + f"""from sklearn.metrics.pairwise import cosine_similarity, euclidean_distances

table = model.embeddings.word_embeddings.weight.detach().double().numpy()
terms = {terms!r}  # sign, token ids (a word that splits: the mean of its pieces)
query = sum(sign * table[ids].mean(axis=0) for sign, ids in terms)
score = {score}

vocabulary = tokenizer.convert_ids_to_tokens(range(len(table)))
used = {{i for _, ids in terms for i in ids}}
candidates = [i for i, token in enumerate(vocabulary)
              if i not in used and {allowed}]
for i in sorted(candidates, key=lambda i: -score[i])[:{k}]:
    print(vocabulary[i], round({sign}float(score[i]), 4))
"""
    )


def word_in_context_code(
    bert: "Bert", words: list[tuple[str, int, int]], pooling: str, layer: int
) -> str:
    """Code that compares words in their sentences at one layer.

    Args:
        bert: The checkpoint in use.
        words: Sentence, first and one-past-last character of the word, for each.
        pooling: "mean", "first", "last" or "max".
        layer: 0 to num_hidden_layers.

    Returns:
        A script that prints the matrix of cosines.
    """
    pool = {
        "mean": "pieces.mean(dim=0)",
        "first": "pieces[0]",
        "last": "pieces[-1]",
        "max": "pieces.max(dim=0).values",
    }[pooling]
    listed = "".join(
        f"    {(without_lone_surrogates(sentence), start, end)!r},\n"
        for sentence, start, end in words
    )
    return (
        _load(bert)
        + f"""from sklearn.metrics.pairwise import cosine_similarity

words = [  # sentence, first character of the word, one past its last
{listed}]

def vector(sentence, start, end):
    inputs = tokenizer(sentence, return_tensors="pt", return_offsets_mapping=True,
                       truncation=True, max_length={bert.max_position_embeddings})
    offsets = inputs.pop("offset_mapping")[0].tolist()
    with torch.no_grad():
        states = model(**inputs, output_hidden_states=True).hidden_states
    pieces = states[{layer}][0][[i for i, (s, e) in enumerate(offsets)
                          if s < end and e > start and e > s]]
    return {pool}

print(cosine_similarity(torch.stack([vector(*word) for word in words]).numpy()))
"""
    )


def _load(bert: "Bert") -> str:
    repo = bert.checkpoint.repo_id
    # A folder of the operator's is not named on a page; its reader puts in a path of their own.
    checkpoint = repo or f"path/to/{bert.name}"
    revision = f", revision={bert.checkpoint.revision!r}" if bert.checkpoint.revision else ""
    return _LOAD.format(checkpoint=repr(checkpoint), revision=revision)
