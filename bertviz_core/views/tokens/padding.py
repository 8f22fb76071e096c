"""Padding: a text alone and with [PAD] behind it, with attention_mask and without."""

from typing import Annotated

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.contextual.padding import PaddedText, padded_text
from bertviz_core.csv_files import Column
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.figures.colors import SENTENCES
from bertviz_core.shared import once
from bertviz_core.tokens import InputText
from bertviz_core.views.card import Chart, card
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Slider
from bertviz_core.views.parts import caption, program, say
from bertviz_core.views.sentences import share
from bertviz_core.views.view import Sentence, View

WAYS = ("with attention_mask", "without attention_mask")
MOST_TOKENS = 128  # with the padding: the attention of all tokens grows with their square


@once
def _padded(encoder: Encoder, typed: InputText, count: int) -> PaddedText:
    return padded_text(encoder, typed.tokenize(encoder.bert), count)


def _room(bert: Bert, typed: InputText) -> int:
    """How many [PAD] can be added."""
    return min(bert.max_position_embeddings, MOST_TOKENS) - len(typed.tokenize(bert))


@view("padding", page="Tokens", rank=50, doing="Running the text alone and padded …", card=True)
def padding(
    encoder: Encoder,
    typed: InputText,
    pads: Annotated[
        int,
        Slider("How many [PAD] are added", 1, lambda bert, typed: max(2, _room(bert, typed))),
    ] = 4,
) -> View:
    """What padding changes: a text alone and padded, with attention_mask and without."""
    bert, count = encoder.bert, min(pads, _room(encoder.bert, typed))
    if count < 1:
        raise UserInputError("The text leaves no room for padding in this section. Shorten it.")
    found = _padded(encoder, typed, count)
    to_padding = found.to_padding[1]
    token, tokens, most = found.text.tokens[-1], found.text.tokens, found.from_padding[0].argmax()
    return card(
        [
            _finding(found, count),
            say(
                "Without the mask, the text gives {token} {lowest} to <b>{highest}</b> of its "
                "attention, depending on the layer (equal shares: {equal}). With the mask it gives "
                "none. {token} still attends to the text, most to <b>{most}</b>; the text does not "
                "attend to {token}.",
                method="padding",
                token=token,
                lowest=share(float(to_padding.min())),
                highest=share(float(to_padding.max())),
                equal=share(count / len(tokens)),
                most=tokens[most],
            ),
        ],
        name="padding",
        columns={
            "layer": list(range(len(found.differences[0]))),
            WAYS[0]: Column(found.differences[0], None),
            WAYS[1]: Column(found.differences[1], None),
            f"attention to {token} without it": [None, *to_padding.tolist()],
        },
        chart=Chart(
            "curves",
            "largest difference from the text alone",
            dict(zip(WAYS, SENTENCES, strict=False)),
            ".1e",
            line=found.rounding,
            axis={"type": "log", "dtick": 1, "exponentformat": "power", "tickformat": ""},
        ),
        below=[
            caption("Below the dotted line a difference is rounding; 0 is not drawn."),
            _row(bert, token, int(found.text.input_ids[-1])),
        ],
        program=program(PROGRAM, bert, typed, length=len(tokens), name="padding"),
        made={"pads": count},
    )


def _finding(found: PaddedText, count: int) -> Sentence:
    """Whether the mask keeps the text's vectors as they are, and what happens without it."""
    masked, unmasked = found.differences.max(axis=1).tolist()
    kept = [difference < found.rounding for difference in (masked, unmasked)]
    return say(
        "{count} {token} behind {tokens} tokens. With <code>attention_mask</code> the text's "
        + ("vectors stay as they are without padding" if kept[0] else "vectors change")
        + ": largest difference <b>{masked}</b>"
        + (", which is rounding. " if kept[0] and masked else ". ")
        + ("Without the mask they stay, too: " if kept[1] else "Without the mask they change: ")
        + "largest difference <b>{unmasked}</b>.",
        method="padding",
        count=count,
        token=found.text.tokens[-1],
        tokens=len(found.text) - count,
        masked=np.format_float_positional(masked, 2, fractional=False, trim="-"),
        unmasked=np.format_float_positional(unmasked, 2, fractional=False, trim="-"),
    )


def _row(bert: Bert, token: str, row: int) -> Sentence:
    """How long the padding's row of the token table is."""
    norms = bert.tables.word_norms
    return caption(
        "The row of {token} in the token table is "
        + ("not 0: its length is <b>{length:.3f}</b>" if norms[row] else "0, as in a fresh BERT")
        + "; the mean of all rows is {mean_length:.3f}. Where the row is looked up, it gets no "
        "gradient (<code>padding_idx</code>). It gets one where the table is also the output "
        "matrix of a head for masked words.",
        method="padding",
        token=token,
        length=float(norms[row]),
        mean_length=float(norms.mean()),
    )


PROGRAM = '''
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
