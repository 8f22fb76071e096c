"""What an embedding is: a row of a table, and what the embedding layer is made of, as code."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.bert import Bert
from bertviz_core.embeddings.embedding_layer import one_hot_product
from bertviz_core.figures.axes import label, named
from bertviz_core.figures.colors import DIVERGING_SCALE, TOKEN, faint
from bertviz_core.figures.drawing import Figure, draw, frame, heatmap, marks
from bertviz_core.tokens import InputText
from bertviz_core.views.declare import view
from bertviz_core.views.parts import beside, caption, picture, program, say, table
from bertviz_core.views.sentences import share
from bertviz_core.views.view import Listing, View

DIMENSIONS = 4  # that are drawn: on a phone there is room for the digits of so many
AROUND = 2  # rows of the table that are drawn on each side of the token's own
ROW = 24  # pixels
PALE = 1.6  # times the largest number drawn, where the colours end: digits stay readable
HOT = [[0, faint(TOKEN, 0)], [0.5, faint(TOKEN, 0.06)], [1, faint(TOKEN, 0.5)]]
# Where it is, its head, words or numbers by row, and for numbers colours and where these end.
Column = tuple[float, str, list[str] | NDArray[Any], Any, float]


@view("one-hot times a matrix?", page="Input Embeddings", rank=12)
def one_hot(bert: Bert, typed: InputText, position: int) -> View:
    """What an embedding is: the token's one-hot vector times the table is one row of the table."""
    text, words = typed.tokenize(bert), bert.tables.word_embeddings
    token_id = int(text.input_ids[position])
    product, row = one_hot_product(words, token_id), words[token_id]
    columns, own = _columns(bert, token_id, product)
    first = ", ".join(f"{number:.2f}" for number in row[:DIMENSIONS])
    return View(
        say(
            "The one-hot vector of <b>{token}</b> times the token table gives row <b>{id}</b>: "
            "their {size} numbers differ by at most <b>{difference:g}</b>. The product takes "
            "<b>{multiplications}</b> multiplications, a look-up takes none.",
            token=text.tokens[position],
            id=f"{token_id:,}",
            size=words.shape[1],
            difference=float(np.abs(product - row).max()),
            multiplications=f"{words.size:,}",
            method="one-hot-times-a-matrix",
        ),
        beside(
            picture(
                _side_by_side(columns[:5], own),
                alt=f"Tokens, their ids, the one-hot vector with its 1 at id {token_id}, and the "
                f"first numbers of their rows of the token table: {first} for the token's own.",
                name="one-hot",
            ),
            picture(
                _side_by_side(columns[5:], own),
                alt=f"The product and row {token_id}, at the same height: {first} in both.",
                name="product",
            ),
        ),
        caption(
            "Each row of the table is multiplied by its number in the one-hot vector, then all "
            "rows are added: a row times 0 adds nothing. Drawn are {shown} of {size} dimensions. "
            "Segment and position are looked up in the same way, each in its own table.",
            shown=min(DIMENSIONS, words.shape[1]),
            size=words.shape[1],
        ),
        table(
            {"dimension": np.arange(len(row)), "one-hot × table": product, "row of the table": row},
            name="one-hot",
            decimals=6,
            fold="Table",
        ),
        program("embeddings/one_hot", bert, typed, position=position, shown=DIMENSIONS),
    )


@view("the layer as code", page="Input Embeddings", rank=14)
def layer_as_code(bert: Bert) -> View:
    """What `print(model.embeddings)` shows; each line leads to the view of its module."""
    size, padding = bert.hidden_size, bert.padding_row
    rows = [bert.vocab_size, bert.max_position_embeddings, bert.type_vocab_size]
    numbers = [count * size for count in (*rows, 2, 0)]  # LayerNorm: weights and biases
    skipped = at = ""
    if padding is not None:
        skipped = f" Row {padding}, {bert.vocabulary.tokens[padding]}, gets no gradient here."
        at = f", padding_idx={padding}"
    normed = f"({size},), eps={bert.layer_norm_eps}, elementwise_affine=True, bias=True"
    dropped = bert.settings.get("hidden_dropout_prob", 0.1)
    code = (
        f"(word_embeddings): Embedding({rows[0]}, {size}{at})",
        f"(position_embeddings): Embedding({rows[1]}, {size})",
        f"(token_type_embeddings): Embedding({rows[2]}, {size})",
        f"(LayerNorm): LayerNorm({normed})",
        f"(dropout): Dropout(p={dropped}, inplace=False)",
    )
    remarks = (
        (f"A row for each token.{skipped}", "Inside_the_Model", "norms of the token table"),
        ("A row for each position.", "Positions_and_Segments", ""),
        ("A row for each segment.", "Positions_and_Segments", "segment table"),
        (
            "Sum minus mean, divided by √(variance + eps), × weight + bias.",
            "",
            "what LayerNorm does",
        ),
        ("In training sets a share p of the numbers to 0. Off here, so no view shows it.", "", ""),
    )
    lines = [(line, *remark) for line, remark in zip(code, remarks, strict=True)]
    return View(
        say(
            "<code>print(model.embeddings)</code> shows {modules} modules. Of their {numbers} "
            "numbers <b>{share}</b> are in the token table; dropout has none.",
            modules=len(code),
            numbers=f"{sum(numbers):,}",
            share=share(numbers[0] / sum(numbers)),
            method="one-hot-times-a-matrix",
        ),
        Listing((("BertEmbeddings(", "", "", ""), *lines, (")", "", "", ""))),
        table({"module": code, "numbers": numbers}, name="modules", fold="Table"),
        program("embeddings/modules", bert),
    )


def _columns(bert: Bert, token_id: int, product: NDArray[Any]) -> tuple[list[Column], int]:
    """The six columns, and which of their rows is the token's; "⋮" where rows are left out."""
    words, tokens = bert.tables.word_embeddings, bert.vocabulary.tokens
    count, size = (f"{side:,}" for side in words.shape)
    around = range(max(token_id - AROUND, 0), min(token_id + AROUND + 1, len(words)))
    rows = list[int]()
    for one in sorted({0, *around, len(words) - 1}):
        rows += [-1, one] if rows and one - 1 != rows[-1] else [one]
    own, left_out = rows.index(token_id), np.array(rows) < 0
    cells = np.where(left_out[:, None], np.nan, words[rows, :DIMENSIONS])
    hot = np.where(left_out, np.nan, np.array(rows) == token_id)[:, None]
    alone = np.full_like(cells, np.nan), np.full_like(cells, np.nan)
    alone[0][own], alone[1][own] = product[:DIMENSIONS], words[token_id, :DIMENSIONS]
    signed = DIVERGING_SCALE, PALE * float(np.nanmax(np.abs(cells))) or 1.0
    names = ["⋮" if one < 0 else label(tokens[one], 14) for one in rows]
    ids = ["⋮" if one < 0 else f"{one:,}" for one in rows]
    times, equals = [""] * own + ["×"], [""] * own + ["="]
    return [
        (1.4, "1 token<br>a category", names, None, 0),
        (3.5, "2 id<br>", ids, None, 0),
        (5.1, f"3 one-hot<br>{count} long", hot, HOT, 1),
        (6.2, "", times, None, 0),
        (7.0, f"4 token table<br>{count} × {size}", cells, *signed),
        (0.1, "", equals, None, 0),
        (1.0, f"5 one-hot × table<br>{words.size:,} multiplications", alone[0], *signed),
        (5.4, "", equals, None, 0),
        (6.3, f"6 the row, looked up<br>{size} numbers copied", alone[1], *signed),
    ], own


def _side_by_side(columns: Sequence[Column], own: int) -> Figure:
    """Columns under their heads, words and numbers in their rows; the token's row is framed."""
    traces, heads, texts = [], {}, []
    for at, head, cells, scale, end in columns:
        wide = 1 if isinstance(cells, list) else cells.shape[1]
        heads[at + (wide - 1) / 2] = head
        if isinstance(cells, list):
            texts += [(at, y, f"<b>{one}</b>" if y == own else one) for y, one in enumerate(cells)]
            continue
        look = {"x0": at, "showscale": False, "xgap": 1, "ygap": 1}
        traces.append(heatmap(cells, "%{z:.6g}", scale, (-end, end), **look))
        for y, x in np.argwhere(~np.isnan(cells)).tolist():
            digits = f"{round(cells[y, x], 2) + 0.0:.{0 if scale is HOT else 2}f}"
            texts.append((at + x, y, digits.replace("-", "−")))
    across, down, words = zip(*texts, strict=True)
    count, right = len(columns[-1][2]), at + wide - 0.5
    upper = {"tickvals": list(heads), "side": "top", "tickangle": 0, "fixedrange": True}
    return draw(
        [*traces, marks(across, down, {}, mode="text", text=words)],
        height=ROW * count + 70,
        shapes=[frame((0.2, right - 0.5), (own, own))],
        xaxis=named(list(heads.values())) | upper | {"range": [-0.4, right + 0.3]},
        yaxis={"visible": False, "range": [count - 0.4, -0.6], "fixedrange": True},
        margin={"l": 0, "r": 0, "t": 44, "b": 8},
    )
