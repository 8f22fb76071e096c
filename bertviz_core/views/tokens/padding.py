"""What padding changes: the [PAD] behind the shorter texts of a batch, and their attention_mask."""

from dataclasses import replace
from typing import Annotated, NamedTuple

import numpy as np

from bertviz_core.arrays import Array, frozen
from bertviz_core.bert import Bert
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.figures.colors import SENTENCE_COLORS
from bertviz_core.saved_files import Column
from bertviz_core.shared.models import AnyEncoder
from bertviz_core.shared.results import once_in_turn
from bertviz_core.tokens import InputText, TokenizedText
from bertviz_core.views.card import Curves, card
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Slider
from bertviz_core.views.view import View, caption, program, say, share

MASKED, UNMASKED = "with attention_mask", "without attention_mask"
MAX_TOKENS = 128  # with the padding: the attention of all tokens grows with their square
ROUNDING = 1e-5  # numbers around 1 differ by less where only the rounding of float32 does


class PaddedText(NamedTuple):
    """A padded text beside the text alone; float32 (2, ...), with attention_mask and without."""

    text: TokenizedText  # with padding, whose attention_mask is 0
    rounding: float  # a smaller difference is rounding
    differences: Array  # (2, num_hidden_layers + 1), the largest between the two texts
    to_padding: Array  # (2, num_hidden_layers), the attention of the text's tokens to [PAD]
    from_padding: Array  # (2, seq_len), the attention of [PAD], mean over layers, heads and [PAD]


def padded_text(encoder: Encoder, text: TokenizedText, count: int) -> PaddedText:
    """Run a text alone, then with `count` padding tokens, with attention_mask and without."""
    alone = encoder.hidden_states(text)
    real = len(text)
    both = [_padded(encoder, text, count, mask) for mask in (0, 1)]
    differences = []
    to_padding = []
    from_padding = []
    for padded in both:
        states = encoder.hidden_states(padded)[:, :real]
        differences.append(np.abs(states - alone).max(axis=(1, 2)))
        # (num_hidden_layers, tokens that ask, seq_len), mean over heads
        weights = encoder.attention(padded, range(real + count)).mean(axis=1, dtype=np.float64)
        to_padding.append(weights[:, :real, real:].sum(axis=2).mean(axis=1))
        from_padding.append(weights[:, real:].mean(axis=(0, 1)))
    rounding = ROUNDING * max(float(np.abs(alone).max()), 1.0)
    return PaddedText(both[0], rounding, *map(frozen, (differences, to_padding, from_padding)))


def _padded(encoder: Encoder, text: TokenizedText, count: int, mask: int) -> TokenizedText:
    """The text with padding: segment 0, the next positions, `mask` as its attention_mask."""
    row = encoder.bert.padding_row or 0
    none = np.zeros(count, np.int64)
    return replace(
        text,
        tokens=(*text.tokens, *[encoder.bert.vocabulary.tokens[row]] * count),
        input_ids=np.append(text.input_ids, none + row),
        token_type_ids=np.append(text.token_type_ids, none),
        position_ids=np.arange(len(text) + count),
        attention_mask=np.append(text.attention_mask, none + mask),
        offsets=np.pad(text.offsets, ((0, count), (0, 0))),
        word_ids=(*text.word_ids, *[None] * count),
    )


@once_in_turn
def _compared(encoder: Encoder, typed: InputText, count: int) -> PaddedText:
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
    padded = _compared(encoder, typed, count)
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
