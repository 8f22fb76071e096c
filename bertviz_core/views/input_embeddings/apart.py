"""Whether token and position can be told apart again from the sum, and the angles of the tables."""

from bertviz_core.bert import Bert
from bertviz_core.calibration import calibration_sentences
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.apart import LATE, SAMPLE, nearest_rows, table_angles, told_apart
from bertviz_core.figures.axes import numbered
from bertviz_core.figures.colors import POSITION, TOKEN
from bertviz_core.shared import once
from bertviz_core.tokens import InputText, tokenize
from bertviz_core.views.card import Chart, card
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, program, say
from bertviz_core.views.view import View

angles_of = once(table_angles)


def shipped_sentences() -> list[str]:
    """All English sentences that ship with the project, each once."""
    from bertviz_core.senses import prepared_set, prepared_words  # not for the page's headline

    prepared = [found for word in prepared_words() for found in prepared_set(word).occurrences]
    return list(dict.fromkeys([*calibration_sentences(), *(found.sentence for found in prepared)]))


@once
def _shipped(bert: Bert) -> tuple[int, list[list[float]]]:
    return told_apart(bert, [tokenize(bert, sentence) for sentence in shipped_sentences()])


@view(
    "can they be told apart again?",
    page="Input Embeddings",
    rank=32,
    doing="Searching all rows for the sum of each token, once …",
    card=True,
)
def apart(bert: Bert, typed: InputText) -> View:
    """How often the sum alone gives back token and position, and the angles between the tables."""
    text, tables = typed.tokenize(bert), bert.tables
    summed = input_embeddings(bert, text).summed
    token, next_token = nearest_rows(summed, tables.word_embeddings, text.input_ids)
    at, next_at = nearest_rows(summed, tables.position_embeddings, text.position_ids)
    count, (sums, normed, random, undone, late) = _shipped(bert)
    far = bert.max_position_embeddings > LATE
    own, drawn = angles_of(bert)
    return card(
        say(
            "The rows nearest to the sum are the right token for <b>{token}</b> and the right "
            "position for <b>{position}</b> of {tokens} tokens of the project's sentences. "
            + (
                "Random tables do as well: {size} dimensions have room for all rows."
                if min(*sums, *random) > 0.99
                else "With random tables it is {random_token} and {random_position}."
            )
            + " The main directions of the two tables are <b>{angle:.1f}°</b> apart on average, "
            "{verdict} than by chance ({random_angle:.1f}°).",
            method="telling-the-parts-apart",
            tokens=f"{count:,}",
            token=f"{sums[0]:.1%}",
            position=f"{sums[1]:.1%}",
            random_token=f"{random[0]:.1%}",
            random_position=f"{random[1]:.1%}",
            size=bert.hidden_size,
            angle=own.mean(),
            random_angle=drawn.mean(),
            verdict="more" if own.mean() > drawn.mean(axis=1).max() else "not more",
        ),
        name="apart",
        columns={
            "position": text.position_ids,
            "token": text.tokens,
            "lead of the right token": token - next_token,
            "lead of the right position": at - next_at,
            "cosine with its token row": token,
            "with another": next_token,
            "cosine with its position row": at,
            "with another position": next_at,
        },
        chart=Chart(
            "columns",
            "lead of the right row",
            {"lead of the right token": TOKEN, "lead of the right position": POSITION},
            names=numbered(text.tokens),
        ),
        below=[
            caption(
                "Your text: cosine with the right row minus the highest one with another row. "
                "Above 0 it is found: for {tokens_found} of {count} tokens and {positions_found} "
                "positions.",
                tokens_found=int((token > next_token).sum()),
                positions_found=int((at > next_at).sum()),
                count=len(text),
            ),
            caption(
                "After LayerNorm, the nearest rows of {sample} of these tokens are the right token "
                "for {token_normed} and the right position for {position_normed}. Without its "
                "weight and bias, the position is right for <b>{position_undone}</b>."
                + " At positions from 128 on, the sum gives it for <b>{position_late}</b>."
                * far,
                token_normed=f"{normed[0]:.1%}",
                position_normed=f"{normed[1]:.1%}",
                sample=f"{SAMPLE:,}",
                position_undone=f"{undone[1]:.1%}",
                **({"position_late": f"{late[1]:.1%}"} if far else {}),
            ),
        ],
        program=program(PROGRAM, bert, typed, sentences=shipped_sentences(), name="apart"),
    )


PROGRAM = '''
"""Which rows are nearest to the sum of three, and the angles between the tables."""

sentences = ...
embedding_parts = ...
tokenizer, model, inputs = ...
names = ["word_embeddings", "token_type_embeddings", "position_embeddings"]
tables = [getattr(model.embeddings, name).weight.detach() for name in names]
unit = torch.nn.functional.normalize
rows = [unit(tables[0], dim=-1), unit(tables[2], dim=-1)]


def nearest(vectors: torch.Tensor, *ids: torch.Tensor) -> torch.Tensor:
    """Cosine with the own row, and the highest with another, by table: (2, 2, tokens)."""
    found = []
    for table, own in zip(rows, ids, strict=True):
        cosines = unit(vectors, dim=-1) @ table.T
        others = cosines.scatter(1, own[:, None], -2).max(dim=1).values
        found.append(torch.stack([cosines.gather(1, own[:, None])[:, 0], others]))
    return torch.stack(found)


def right(title: str, vectors: torch.Tensor, ids: torch.Tensor) -> None:
    parts = zip(vectors.split(512), *(one.split(512) for one in ids), strict=True)
    own, other = torch.cat([nearest(*part) for part in parts], dim=-1).unbind(dim=1)
    shares = (100 * (own > other).double().mean(dim=1)).tolist()
    print(f"{title}: token {shares[0]:.1f}%, position {shares[1]:.1f}%")


def summed(ids: torch.Tensor) -> torch.Tensor:
    return tables[0][ids[0]] + tables[1][0] + tables[2][ids[1]]


own, positions = inputs["input_ids"][0], torch.arange(len(tables[2]))
cosines = nearest(embedding_parts(model, inputs).sum(dim=0), own, positions[: len(own)])
for token, one in zip(inputs.tokens(), cosines.flatten(0, 1).T, strict=True):
    print(token, *(f"{cosine:.3f}" for cosine in one.tolist()))

read = [torch.tensor(tokenizer(s, truncation=True)["input_ids"]) for s in sentences]
every = torch.stack([torch.cat(read), torch.cat([positions[: len(one)] for one in read])])
generator = np.random.default_rng(0)
some = every[:, generator.integers(every.shape[1], size=1000)]
normed = model.embeddings.LayerNorm(summed(some)).detach()
undone = torch.nn.functional.layer_norm(summed(some), tables[0].shape[1:])
right("right rows", summed(every), every)
right("after LayerNorm", normed, some)
right("its weight and bias undone", undone, some)
if len(positions) > 128:
    some[1] = torch.tensor(generator.integers(128, len(positions), size=1000))
    right("positions from 128 on, before LayerNorm", summed(some), some)

spans = []
for table in (tables[0], tables[2]):
    count = min(10, len(table) - 1, table.shape[1] // 2)
    centred = table.double() - table.double().mean(dim=0)
    spans.append(torch.linalg.svd(centred, full_matrices=False).Vh[:count])
angles = torch.linalg.svdvals(spans[0] @ spans[1].T).clamp(max=1).acos().rad2deg()
print(f"angle of token and position table {angles.mean():.1f}")
'''
