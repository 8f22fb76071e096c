"""The proof: the library's own embedding layer, its numbers against ours."""

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.embeddings import input_embeddings
from bertviz_core.encoder import Encoder
from bertviz_core.figures.matrices import Panel, embedding_stack, saturation_limit
from bertviz_core.shared.models import AnyEncoder
from bertviz_core.shared.results import once_in_turn
from bertviz_core.tokens import InputText
from bertviz_core.views.card import card
from bertviz_core.views.declare import view
from bertviz_core.views.view import View, program, say


@once_in_turn
def _library_output(encoder: Encoder, typed: InputText) -> Array:
    return encoder.embedding_layer(typed.tokenize(encoder.bert))


@view("the proof", page="Input Embeddings", rank=20, doing="Running the model's own layer …")
def proof(encoder: AnyEncoder, typed: InputText, position: int, large: bool = False) -> View:
    """The library's own embedding layer: its numbers against ours."""
    text = typed.tokenize(encoder.bert)
    ours = input_embeddings(encoder.bert, text).output
    theirs = _library_output(encoder, typed)
    limit = saturation_limit(theirs)
    panels = [Panel("our sum", ours, limit), Panel("the library", theirs, limit)]
    differences = np.abs(theirs - ours).max(axis=1)
    difference = float(differences.max())
    return card(
        say(
            "LayerNorm(token + segment + position), as drawn above, against "
            "<code>model.embeddings</code> of the transformers library: "
            "the largest difference over {count} numbers up to {largest} "
            "is <b>{difference}</b>. Ours is computed in 64 bits, the model's in 32, so the last "
            "digits are rounded differently.",
            count=f"{theirs.size:,}",
            difference=f"{difference:.1e}",
            largest=f"{np.abs(theirs).max():.2f}",
            method="the-proof",
        ),
        name="proof",
        columns={
            "position": text.position_ids,
            "token": text.tokens,
            "largest difference, in 10⁻⁷": differences * 1e7,
        },
        chart=embedding_stack(panels, text.tokens, chosen=position, large=large),
        alt=f"Two heatmaps of {len(text)} tokens by {theirs.shape[1]} dimensions that agree: our "
        f"sum after LayerNorm, and the library's. The largest difference is {difference:.1e}.",
        program=program(PROOF_PROGRAM, encoder.bert, typed, name="proof"),
    )


PROOF_PROGRAM = '''
"""The modules of the embedding layer, and the sum by hand beside what the layer returns."""

embedding_parts = ...
tokenizer, model, inputs = ...
print(model.embeddings)
with torch.no_grad():
    own = model.embeddings(inputs["input_ids"], inputs["token_type_ids"])[0]
    norm = model.embeddings.LayerNorm
    # float64: the library rounds at every step, the sum by hand only at the end.
    by_hand = norm.double()(embedding_parts(model, inputs).double().sum(dim=0)).float()
print(f"{own.numel():,} numbers up to {own.abs().max():.2f}")
for token, difference in zip(inputs.tokens(), (own - by_hand).abs().amax(dim=1), strict=True):
    print(token, f"{1e7 * difference:.3f} in 10^-7")
'''
