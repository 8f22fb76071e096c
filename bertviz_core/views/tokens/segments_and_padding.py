"""What is added to a pair or a batch of texts: segments, and [PAD] with its attention_mask."""

from typing import Annotated

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.contextual.padding import PaddedText, padded_text
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.figures.axes import named, named_rows, numbered
from bertviz_core.figures.colors import SENTENCES, steps
from bertviz_core.figures.drawing import draw, heatmap
from bertviz_core.saved_files import Column
from bertviz_core.shared import once
from bertviz_core.tokens import InputText
from bertviz_core.views.card import Chart, card
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Slider
from bertviz_core.views.parts import caption, program, say
from bertviz_core.views.sentences import share
from bertviz_core.views.view import Part, View

SEPARATOR = "[SEP]"
BY_TEXT, BY_COUNT = "by the text", "by counting [SEP]"
# Segment A and B as on the chips; a segment without a row is seen at once.
COLORS = (SENTENCES[0], SENTENCES[2], SENTENCES[1])
MASKED, UNMASKED = "with attention_mask", "without attention_mask"
MAX_TOKENS = 128  # with the padding: the attention of all tokens grows with their square


@view("two texts, two segments", page="Tokens", rank=40, card=True)
def two_segments(bert: Bert, typed: InputText) -> View:
    """The segment of every token, and what counting the [SEP] before it would have said."""
    words, example = typed.text.split(), list[Part]()
    if typed.text_pair is None and len(words) > 1 and SEPARATOR not in typed.text:
        half = (len(words) + 1) // 2
        typed = InputText(" ".join(words[:half]), " ".join(words[half:]))
        example.append(caption("B is empty above: here the words of A are cut in two."))
    text = typed.tokenize(bert)
    separators = np.array([token == SEPARATOR for token in text.tokens], dtype=np.int64)
    segments = np.stack([text.token_type_ids, np.cumsum(separators) - separators])
    inside = np.array([word is not None for word in text.word_ids])
    differing = int((segments[0] != segments[1]).sum())
    without_row = int((segments[1] >= bert.type_vocab_size).sum())
    typed_out = np.flatnonzero(separators & inside)
    said = "<b>{in_segment_a:,}</b> tokens are in segment A and <b>{in_segment_b:,}</b> in B. "
    if differing:
        said += "Counting [SEP] instead would give <b>{differing:,}</b> tokens another segment."
        if without_row:
            said += " The model has no row for that segment of {without_row:,} of them."
    else:
        said += "Counting [SEP] gives the same here."
    if len(typed_out):
        said += " The [SEP] typed at position <b>{typed}</b> starts no segment."
    last = len(COLORS) - 1
    cells = heatmap(
        np.minimum(segments, last).astype(np.float32),
        "%{y}, token %{x}: segment %{text}",
        steps(COLORS),
        (-0.5, last + 0.5),
        text=np.where(segments < 2, np.where(segments, "B", "A"), segments.astype(str)),
        texttemplate="<b>%{text}</b>" if len(text) <= 20 else "",  # more have no room for it
        textfont={"color": "#FFFFFF", "size": 19},  # white on green has 3.4 : 1, so it is large
        showscale=False,
        xgap=1 if len(text) <= 100 else 0,  # gaps between many would hide them
        ygap=6,
    )
    return card(
        say(
            said,
            in_segment_a=len(text) - int(segments[0].sum()),
            in_segment_b=int(segments[0].sum()),
            differing=differing,
            without_row=without_row,
            typed=", ".join(map(str, typed_out[:5])) + (" …" if len(typed_out) > 5 else ""),
            method="two-segments",
        ),
        name="pair-segments",
        columns={"position": text.position_ids, "token": text.tokens, "token id": text.input_ids}
        | {BY_TEXT: segments[0], BY_COUNT: segments[1]},
        chart=draw(
            [cells],
            height=214,
            xaxis=named(numbered(text.tokens), 40, tickangle=-45),
            yaxis=named_rows([BY_TEXT, BY_COUNT]),
        ),
        alt=f"Segments of {len(text)} tokens by the text they come from and by counting [SEP], "
        f"which gives {differing} of them another one.",
        below=example,
        program=program(SEGMENTS_PROGRAM, bert, typed, name="pair-segments"),
    )


@once
def _padded(encoder: Encoder, typed: InputText, count: int) -> PaddedText:
    return padded_text(encoder, typed.tokenize(encoder.bert), count)


def _room(bert: Bert, typed: InputText) -> int:
    """How many [PAD] can be added."""
    return min(bert.max_position_embeddings, MAX_TOKENS) - len(typed.tokenize(bert))


@view("padding", page="Tokens", rank=50, doing="Running the text alone and padded …", card=True)
def padding(
    encoder: Encoder,
    typed: InputText,
    pads: Annotated[
        int,
        Slider(
            "How many [PAD] are added",
            1,
            lambda page: max(2, _room(page["bert"], page["typed"])),
        ),
    ] = 4,
) -> View:
    """What padding changes: a text alone and padded, with attention_mask and without."""
    bert, count = encoder.bert, min(pads, _room(encoder.bert, typed))
    if count < 1:
        raise UserInputError("The text leaves no room for padding in this section. Shorten it.")
    found = _padded(encoder, typed, count)
    to_padding, tokens, norms = found.to_padding[1], found.text.tokens, bert.tables.word_norms
    masked, unmasked = (
        np.format_float_positional(one.max(), 2, fractional=False, trim="-")
        for one in found.differences
    )
    length = float(norms[found.text.input_ids[-1]])
    return card(
        say(
            "{count} {token} behind {tokens} tokens move the text's vectors by at most "
            "<b>{masked}</b> with <code>attention_mask</code>, and by up to <b>{unmasked}</b> "
            "without it. Without the mask, the text gives {token} {lowest} to <b>{highest}</b> of "
            "its attention, depending on the layer (equal shares: {equal}). With the mask it gives "
            "none.",
            method="padding",
            count=count,
            token=tokens[-1],
            tokens=len(tokens) - count,
            masked=masked,
            unmasked=unmasked,
            lowest=share(float(to_padding.min())),
            highest=share(float(to_padding.max())),
            equal=share(count / len(tokens)),
        ),
        name="padding",
        columns={
            "layer": list(range(len(found.differences[0]))),
            MASKED: Column(found.differences[0], None),
            UNMASKED: Column(found.differences[1], None),
            f"attention to {tokens[-1]} without it": [None, *to_padding.tolist()],
        },
        chart=Chart(
            "curves",
            "largest difference from the text alone",
            {MASKED: SENTENCES[0], UNMASKED: SENTENCES[1]},
            ".1e",
            line=found.rounding,
            axis={"type": "log", "dtick": 1, "exponentformat": "power", "tickformat": ""},
        ),
        below=caption(
            "Below the dotted line a difference is rounding; 0 is not drawn. With the mask, "
            "{token} still attends to the text, most to <b>{most}</b>. The row of {token} in the "
            "token table is "
            + ("not 0: its length is <b>{length:.3f}</b>" if length else "0, as in a fresh BERT")
            + "; the mean of all rows is {mean_length:.3f}.",
            method="padding",
            token=tokens[-1],
            most=tokens[found.from_padding[0].argmax()],
            length=length,
            mean_length=float(norms.mean()),
        ),
        program=program(PADDING_PROGRAM, bert, typed, length=len(tokens), name="padding"),
        made={"pads": count},
    )


SEGMENTS_PROGRAM = '''
"""The segment of each token, and how many [SEP] come before it."""

text = ...
text_pair = ...  # or None
tokenizer = ...
inputs = tokenizer(text, text_pair, truncation=True)
tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"])
for position, token in enumerate(tokens):
    print(token, inputs["token_type_ids"][position], tokens[:position].count("[SEP]"))
'''


PADDING_PROGRAM = '''
"""A text alone and padded: largest difference by layer, and attention to the padding."""

length = ...  # tokens, with the padding
tokenizer, model, inputs = ...
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
'''
