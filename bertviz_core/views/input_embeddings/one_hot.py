"""What an embedding is: a row of a table, and what the embedding layer is made of, as code."""

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.embeddings.embedding_layer import one_hot_product
from bertviz_core.figures.stack import saturation_limit, signed_rows
from bertviz_core.tokens import InputText
from bertviz_core.views.card import card
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, program, say, table
from bertviz_core.views.sentences import share
from bertviz_core.views.view import Links, View

DIMENSIONS = 4  # that the program prints
NORMS, POSITIONS, SEGMENTS = "norms of the token table", "Positions_and_Segments", "segment table"
WAYS = ("one-hot × table", "row of the table")


@view("one-hot times a matrix?", page="Input Embeddings", rank=12, card=True)
def one_hot(bert: Bert, typed: InputText, position: int) -> View:
    """What an embedding is: the token's one-hot vector times the table is one row of the table."""
    text, words = typed.tokenize(bert), bert.tables.word_embeddings
    token_id = int(text.input_ids[position])
    product, row = rows = np.stack([one_hot_product(words, token_id), words[token_id]])
    return card(
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
        name="one-hot",
        columns={"dimension": np.arange(len(row)), **dict(zip(WAYS, rows, strict=True))},
        chart=signed_rows(rows, WAYS, saturation_limit(rows)),
        alt=f"Heatmap of two equal rows of {len(row)} numbers: the one-hot vector with its 1 at id "
        f"{token_id} times the token table, and row {token_id} of the table.",
        below=caption(
            "Each row of the table is multiplied by its number in the one-hot vector, which is "
            "{count} long with a 1 at {place}; then all rows are added: a row times 0 adds "
            "nothing. Segment and position are looked up in the same way, each in its own table.",
            count=f"{len(words):,}",
            place=f"{token_id:,}",
        ),
        decimals=6,
        program=program(
            ONE_HOT_PROGRAM, bert, typed, position=position, shown=DIMENSIONS, name="one_hot"
        ),
    )


@view("the layer as code", page="Input Embeddings", rank=14, card=True)
def layer_as_code(bert: Bert) -> View:
    """What `print(model.embeddings)` shows, line by line, and the views of its modules."""
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
        f"A row for each token.{skipped}",
        "A row for each position.",
        "A row for each segment.",
        "Sum minus mean, divided by √(variance + eps), × weight + bias.",
        "In training sets a share p of the numbers to 0. Off here, so no view shows it.",
    )
    return View(
        say(
            "<code>print(model.embeddings)</code> shows {modules} modules. Of their {numbers} "
            "numbers <b>{share}</b> are in the token table; dropout has none.",
            modules=len(code),
            numbers=f"{sum(numbers):,}",
            share=share(numbers[0] / sum(numbers)),
            method="one-hot-times-a-matrix",
        ),
        table(
            {"BertEmbeddings": code, "what it does": remarks, "numbers": numbers},
            name="modules",
            presented=True,
        ),
        Links("Look at", {"LayerNorm": {"section": "what LayerNorm does"}}),
        Links("or at the", {"token table": {"section": NORMS}}, "Inside_the_Model"),
        Links("or the", {"positions": {}, "segments": {"section": SEGMENTS}}, POSITIONS),
        program(MODULES_PROGRAM, bert, name="modules"),
    )


ONE_HOT_PROGRAM = '''
"""One token: its one-hot vector times the token table, and the row that is looked up."""

position = ...  # of the token
shown = ...  # dimensions
tokenizer, model, inputs = ...
table = model.embeddings.word_embeddings.weight.detach()
token_id = inputs["input_ids"][0, position]
product = torch.nn.functional.one_hot(token_id, len(table)).float() @ table
for name, numbers in {"one-hot x table": product, "row": table[token_id]}.items():
    print(name, *(f"{number:.4f}" for number in numbers[:shown].tolist()))
print("largest difference", (product - table[token_id]).abs().max().item())
'''


MODULES_PROGRAM = '''
"""The modules of the embedding layer, and how many numbers each tensor of it holds."""

model = ...
print(model.embeddings)
for name, parameter in model.embeddings.named_parameters():
    print(name, parameter.numel())
'''
