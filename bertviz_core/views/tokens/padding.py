"""What padding changes: the [PAD] behind the shorter texts of a batch, and their attention_mask."""

from typing import Annotated

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.contextual.padding import PaddedText, padded_text
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.figures.colors import SENTENCE_COLORS
from bertviz_core.saved_files import Column
from bertviz_core.shared.models import AnyEncoder
from bertviz_core.shared.results import once_in_turn
from bertviz_core.tokens import InputText
from bertviz_core.views.card import Curves, card
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Slider
from bertviz_core.views.view import View, caption, program, say, share

MASKED, UNMASKED = "with attention_mask", "without attention_mask"
MAX_TOKENS = 128  # with the padding: the attention of all tokens grows with their square


@once_in_turn
def _padded(encoder: Encoder, typed: InputText, count: int) -> PaddedText:
    return padded_text(encoder, typed.tokenize(encoder.bert), count)


def _room(bert: Bert, typed: InputText) -> int:
    """How many [PAD] can be added."""
    return min(bert.max_position_embeddings, MAX_TOKENS) - len(typed.tokenize(bert))


@view("padding", page="Tokens", rank=50, doing="Running the text alone and padded …")
def padding(
    encoder: AnyEncoder,
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
    bert = encoder.bert
    count = min(pads, _room(bert, typed))
    if count < 1:
        raise UserInputError("The text leaves no room for padding in this section. Shorten it.")
    padded = _padded(encoder, typed, count)
    tokens = padded.text.tokens
    to_padding = padded.to_padding[1]
    masked, unmasked = (
        np.format_float_positional(by_layer.max(), 2, fractional=False, trim="-")
        for by_layer in padded.differences
    )
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
            "layer": list(range(len(padded.differences[0]))),
            MASKED: Column(padded.differences[0], None),
            UNMASKED: Column(padded.differences[1], None),
            f"attention to {tokens[-1]} without it": [None, *to_padding.tolist()],
        },
        chart=Curves(
            "largest difference from the text alone",
            {MASKED: SENTENCE_COLORS[0], UNMASKED: SENTENCE_COLORS[1]},
            ".1e",
            line=padded.rounding,
            axis={"type": "log", "dtick": 1, "exponentformat": "power", "tickformat": ""},
        ),
        below=caption(
            "Below the dotted line a difference is rounding; 0 is not drawn. With the mask, "
            "{token} still attends to the text, most to <b>{most}</b>.",
            method="padding",
            token=tokens[-1],
            most=tokens[padded.from_padding[0].argmax()],
        ),
        program=program(PROGRAM, bert, typed, length=len(tokens), name="padding"),
        made={"pads": count},
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
'''
