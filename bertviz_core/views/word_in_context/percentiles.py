"""Whether a cosine is high for its layer: its place among the cosines of unrelated words."""

from typing import Annotated

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.calibration.percentiles import column, in_words
from bertviz_core.calibration.word_scales import scale_sentences
from bertviz_core.figures.colors import MUTED, TOKEN
from bertviz_core.senses.occurrences import function_words
from bertviz_core.views.card import Curves, card
from bertviz_core.views.declare import view
from bertviz_core.views.view import View, caption, note, program, rounded, say
from bertviz_core.views.word_in_context.comparison import AGAINST, TARGET, Comparison


@view("is this cosine high for this layer?", page="Word in Context", rank=40)
def percentiles(
    comparison: Comparison,
    layer: int,
    bert: Bert,
    target: Annotated[str, TARGET] = "",
    against: Annotated[str, AGAINST] = "",
) -> View:
    """The percentile of a cosine among unrelated pairs, layer by layer."""
    if comparison.scales is None:
        return View(
            note(
                "Press “Measure the percentile scale” below the picture. It takes some seconds, "
                "once. The percentiles then appear here."
            )
        )
    number, other = comparison.pair(target, against)
    pair = (comparison.all_words[number], comparison.all_words[other])
    alone = [word.alone for word in pair]
    scale = comparison.scales.baseline(alone=any(alone))
    if all(alone) or any(len(word.tokens) > 1 for word in pair):
        scale = None
    cosines = comparison.cosines[number, other]
    cosine = float(cosines[layer])
    made = {"layer": layer, "pooling": comparison.request.pooling}
    finding = say(
        "At layer {layer}, <b>{word}</b> in <i>{sentence}</i> and <b>{other}</b> have "
        "similarity <b>{cosine}</b>: {percentile}.",
        layer=layer,
        word=comparison.words[number].word,
        sentence=comparison.sentence(number),
        other=comparison.names[other],
        cosine=rounded(cosine),
        percentile=in_words(scale, cosine, layer)
        or "no percentile, which only words of one piece have",
        method="percentile-scales",
    )
    if scale is None:
        return View(finding, made=made)
    name = f"{comparison.names[number]} – {comparison.names[other]}"
    percentile = [scale.percentile(one, at) for at, one in enumerate(cosines.tolist())]
    return card(
        finding,
        name="percentile-scale",
        columns={"layer": range(len(cosines)), name: cosines}
        | {"percentile": column(np.array(percentile))}
        | scale.columns(),
        chart=Curves(
            "cosine",
            {name: TOKEN, "mean cosine": MUTED},
            at=layer,
            band=("5% below", "95% below", "middle 90% of unrelated pairs", MUTED),
        ),
        below=caption(
            "For comparison, {pairs} have mean similarity <b>{mean}</b> at layer {layer}. They are "
            "of short sentences, plain and of stories. Two words of one kind are more alike by "
            "that alone: in all-MiniLM-L6-v2, of past verbs 7 to 34%, of people 24 to 56%, of "
            "names, times, numbers and colours 32 to 97% of the pairs are above 95% of these.",
            pairs=f"{scale.pairs:,} {scale.kind}",
            mean=rounded(float(scale.anisotropy[layer])),
            layer=layer,
            method="anisotropy",
        ),
        program=program(
            PROGRAM,
            bert,
            sentences=list(scale_sentences()),
            function_words=" ".join(sorted(function_words())),
            name="percentile-scale",
            alone=any(alone),
            layer=layer,
            cosine=round(cosine, 6),
        ),
        made=made,
    )


PROGRAM = r'''
"""Cosines of different content words at one layer: how many lie below a cosine."""

sentences = ...  # of the page: those that the scale was measured on
function_words = ...
alone = ...  # whether the second word of a pair stands alone between [CLS] and [SEP]
layer = ...
cosine = ...
read, states = ...
tokenizer, model = ...

# Content words of the shorter sentences, each where it first occurs; of one token, drawn at random.
sentences = [one for one in sentences if len(tokenizer(one)["input_ids"]) <= min(limit, 26)]
seen = set(function_words.split())
candidates = []
for number, sentence in enumerate(sentences):
    for match in re.finditer(r"(?<![\w'’-])[^\W\d_]{2,}(?![\w'’-])", sentence):
        if match[0].lower() not in seen:
            seen.add(match[0].lower())
            tokens = tokenizer.tokenize(match[0])
            if tokenizer.unk_token not in tokens:
                candidates.append((len(tokens), (number, sentence, *match.span())))
order = np.random.default_rng(0).permutation(len(candidates))
words = [candidates[i][1] for i in order if candidates[i][0] == 1][:300]

sides = []
for by_itself in [False, alone]:
    vectors = []
    for _, sentence, start, end in words:
        text = (sentence[start:end], 0, end - start) if by_itself else (sentence, start, end)
        ids, positions = read(tokenizer, *text)
        vectors.append(states(model, ids)[layer, positions[0]])
    sides.append(torch.nn.functional.normalize(torch.stack(vectors), dim=1))

origins = torch.tensor([number for number, *_ in words])
counted = origins[:, None] != origins
if not alone:
    counted = counted.triu(1)  # each pair once
cosines = (sides[0] @ sides[1].T)[counted]
below = 100 * (cosines < cosine).double().mean()
print(f"{len(cosines)} pairs, mean {cosines.mean():.4f}, {below:.1f} percent below")
'''
