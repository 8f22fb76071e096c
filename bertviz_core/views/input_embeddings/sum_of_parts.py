"""The headline: the five matrices of the embedding layer, as heatmaps."""

from typing import Annotated

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.embeddings import InputEmbeddings, input_embeddings
from bertviz_core.embeddings.embedding_layer import PART_NAMES, part_shares
from bertviz_core.figures import colors
from bertviz_core.figures.drawing import MAX_CELLS
from bertviz_core.figures.matrices import Panel, embedding_stack, saturation_limit
from bertviz_core.saved_files import Columns
from bertviz_core.tokens import InputText, TokenizedText
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Span
from bertviz_core.views.parts import Chips
from bertviz_core.views.view import View, beside, caption, picture, program, say, table, truncated

PANELS = {
    "word": ("token", colors.TOKEN),
    "token_type": ("+ segment", colors.SEGMENT),
    "position": ("+ position", colors.POSITION),
    "summed": ("= sum", colors.OUTPUT),
    "output": ("→ LayerNorm", colors.OUTPUT),
}
WINDOW = 48  # dimensions: columns that a hall can tell apart
MAX_TOKENS = 48  # that are drawn at first
KEY = "Red is above zero, blue below; colours end at the number beside each heatmap. "
HOVER = "Point at a column for its five numbers; drag to move."
TOO_MANY = "{drawn} cells are drawn as a picture; up to {most} show their values under the pointer."


@view("token + segment + position", page="Input Embeddings", rank=0)
def sum_of_parts(
    bert: Bert,
    typed: InputText,
    position: int | None = None,
    large: bool = False,
    tokens: Annotated[
        tuple[int, int],
        Span(
            "From token to token",
            lambda page: page["length"],
            when=lambda page: page["length"] > MAX_TOKENS,
            about="first and last token that is drawn",
        ),
    ] = (0, MAX_TOKENS - 1),
) -> View:
    """The token, segment and position embedding of each token, their sum, and LayerNorm of it."""
    text = typed.tokenize(bert)
    parts = input_embeddings(bert, text)
    rows = slice(tokens[0], tokens[1] + 1)
    names = text.tokens[rows]
    row = -1 if position is None else position - tokens[0]
    framed = () if position is None else (position,)
    *added, output = (getattr(parts, name)[rows] for name in PANELS)
    limit = max(map(saturation_limit, added))
    output_limit = saturation_limit(output)
    panels = [
        Panel(title, values, output_limit if values is output else limit, color)
        for (title, color), values in zip(PANELS.values(), (*added, output), strict=True)
    ]
    cells = len(PANELS) * output.size
    shares = part_shares(bert, parts).shares
    first = shares[:, 0]
    others = shares[:, 1:].mean(axis=1)
    largest = int(first.argmax())
    usual = int(others.argmax())
    return View(
        beside(
            say(
                "<b>{first}</b> is <b>{share}</b> {part}; the others are mostly <b>{usual}</b> "
                "(mean <b>{usual_share}</b>).",
                method="contribution-of-each-part",
                first=text.tokens[0],
                share=f"{first[largest]:.0%}",
                part=PART_NAMES[largest],
                usual=PART_NAMES[usual],
                usual_share=f"{others[usual]:.0%}",
            ),
            [Chips(text, framed, "token", typed=typed), *truncated(text)],
        ),
        picture(
            embedding_stack(
                panels,
                names,
                first_token=tokens[0],
                chosen=row if row in range(len(names)) else None,
                window=WINDOW,
                large=large,
            ),
            alt=f"Five heatmaps of {len(names)} tokens by {output.shape[1]} dimensions: token, "
            "segment and position embedding, their sum, and the sum after LayerNorm. Colours end "
            f"at ±{limit:.3g} in the first four and at ±{output_limit:.3g} after LayerNorm.",
            name="input-embeddings",
        ),
        caption(
            KEY + (HOVER if cells <= MAX_CELLS else TOO_MANY),
            drawn=f"{cells:,}",
            most=f"{MAX_CELLS:,}",
        ),
        caption(
            "Drawn are tokens {first} to {last} of {count}; choose others under Options.",
            first=tokens[0],
            last=min(tokens[1], len(text) - 1),
            count=len(text),
        )
        if len(names) < len(text)
        else [],
        table(
            lambda: _all_numbers(text, parts),
            name="input-embeddings",
            decimals=4,
            fold="Table of all numbers",
        ),
        program(
            PROGRAM,
            bert,
            typed,
            name="embeddings",
            arrays=lambda: {
                "tokens": list(text.tokens),
                "input_ids": text.input_ids,
                "token_type_ids": text.token_type_ids,
                "position_ids": text.position_ids,
                **parts.arrays(),
            },
        ),
    )


def _all_numbers(text: TokenizedText, parts: InputEmbeddings) -> Columns:
    """Every number of the five matrices, one a token and dimension."""
    size = parts.word.shape[1]
    columns = parts.columns()
    return {
        "position": columns["position"],
        "token": np.repeat(np.array(text.tokens, dtype=object), size),
        "token_id": np.repeat(text.input_ids, size),
        "segment": np.repeat(text.token_type_ids, size),
        **columns,
    }


PROGRAM = '''
"""The embedding layer, added up by hand and compared with the model's own."""

embedding_parts = ...
tokenizer, model, inputs = ...
word, segment, position = embedding_parts(model, inputs)
with torch.no_grad():
    output = model.embeddings.LayerNorm(word + segment + position)
    own = model.embeddings(inputs["input_ids"], inputs["token_type_ids"])[0]
print(output)
print("largest difference:", (output - own).abs().max().item())
'''
