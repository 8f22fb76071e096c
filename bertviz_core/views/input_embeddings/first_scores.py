"""What the first layer's attention compares: tokens, positions, or one with the other."""

from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.shares import SCORE_KINDS, queries_and_keys, score_shares
from bertviz_core.figures.colors import MUTED, OUTPUT, POSITION, SENTENCES, TOKEN
from bertviz_core.tokens import InputText
from bertviz_core.views.card import Chart, card
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, program, say
from bertviz_core.views.view import View


@view("what does the first layer compare?", page="Input Embeddings", rank=34, card=True)
def first_scores(bert: Bert, typed: InputText) -> View:
    """The first layer's attention scores, split by what is compared: tokens, positions or both."""
    text = typed.tokenize(bert)
    parts = input_embeddings(bert, text)
    heads = int(bert.settings["num_attention_heads"])
    found = score_shares(*queries_and_keys(bert, parts, heads))
    shares = dict(zip(SCORE_KINDS, found, strict=True))
    token, position, *crossed, rest = found.mean(axis=1)
    most = int(found[1].argmax())
    return card(
        say(
            "Layer 1 compares tokens with tokens, positions with positions, and one with the "
            "other. In your text, these make <b>{token}</b>, <b>{position}</b> and {crossed} of "
            "how its attention scores vary; biases and the segment make the rest ({rest}). Head "
            "<b>{head}</b> "
            + ("compares mostly positions" if found[1, most] > 0.5 else "compares positions most")
            + " ({largest}).",
            method="what-the-first-layer-compares",
            token=f"{token:.0%}",
            position=f"{position:.0%}",
            crossed=f"{sum(crossed):.0%}",
            rest=f"{rest:.0%}",
            head=most + 1,
            largest=f"{found[1, most]:.0%}",
        ),
        name="first-scores",
        columns={"head": list(range(1, heads + 1)), **shares},
        chart=Chart(
            "stacked",
            "share of the variance",
            dict(zip(shares, (TOKEN, POSITION, SENTENCES[-1], OUTPUT, MUTED), strict=True)),
            ".1~%",
        ),
        below=caption(
            "The parts of a head add up to 100%. A part below 0 works against the whole. A text of "
            "a few tokens has few scores."
        ),
        program=program(PROGRAM, bert, typed, name="first_scores"),
    )


PROGRAM = '''
"""The first layer's attention scores in parts: token and position, with each other."""

embedding_parts, mean_and_deviation = ...
tokenizer, model, inputs = ...
norm, attention = model.embeddings.LayerNorm, model.encoder.layer[0].attention.self
parts = embedding_parts(model, inputs).double()  # float64, so that rounding does not show
_, deviation = mean_and_deviation(parts.sum(dim=0), norm.eps)
token, segment, position = (
    (part - part.mean(dim=-1, keepdim=True)) / deviation * norm.weight for part in parts
)
rows = torch.stack([token, position, segment + norm.bias])  # the last is all else
vectors = []
for dense in (attention.query, attention.key):
    made = rows @ dense.weight.double().T
    made[2] += dense.bias
    vectors.append(made.unflatten(-1, (attention.num_attention_heads, -1)).transpose(1, 2))
query, key = vectors
scores = query[:, None] @ key[None].mT / query.shape[-1] ** 0.5  # (3, 3, heads, tokens, tokens)

scores = scores - scores.mean(dim=-1, keepdim=True)  # the softmax sees differences alone
total = scores.sum(dim=(0, 1))
shares = (scores * total).sum(dim=(-2, -1)) / (total**2).sum(dim=(-2, -1))
kinds = [shares[0, 0], shares[1, 1], shares[0, 1], shares[1, 0]]
for name, one in zip(("token", "position", "crossed", "crossed back"), kinds, strict=True):
    print(name, *(f"{share:.3f}" for share in one.tolist()))
print("other", *(f"{share:.3f}" for share in (shares.sum(dim=(0, 1)) - sum(kinds)).tolist()))
'''
