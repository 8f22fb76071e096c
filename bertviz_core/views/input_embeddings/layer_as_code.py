"""The embedding layer as the library prints it; each line leads to what shows its numbers."""

from bertviz_core.bert import Bert
from bertviz_core.views.declare import view
from bertviz_core.views.parts import program, say, table
from bertviz_core.views.sentences import share
from bertviz_core.views.view import Line, Listing, View

NORMS, SEGMENTS = "norms of the token table", "segment table"
LAYER_NORM = "what LayerNorm does"


def module_lines(bert: Bert) -> dict[str, str]:
    """What `print(model.embeddings)` says of each module, by its name; no torch is imported."""
    size, padding = bert.hidden_size, bert.padding_row
    skipped = "" if padding is None else f", padding_idx={padding}"
    normed = f"({size},), eps={bert.layer_norm_eps}, elementwise_affine=True, bias=True"
    dropout = bert.settings.get("hidden_dropout_prob", 0.1)
    return {
        "word_embeddings": f"Embedding({bert.vocab_size}, {size}{skipped})",
        "position_embeddings": f"Embedding({bert.max_position_embeddings}, {size})",
        "token_type_embeddings": f"Embedding({bert.type_vocab_size}, {size})",
        "LayerNorm": f"LayerNorm({normed})",
        "dropout": f"Dropout(p={dropout}, inplace=False)",
    }


@view("the layer as code", page="Input Embeddings", rank=14)
def layer_as_code(bert: Bert) -> View:
    """What `print(model.embeddings)` shows; each line leads to the view of its module."""
    printed, names, padding = module_lines(bert), bert.vocabulary.tokens, bert.padding_row
    skipped = "" if padding is None else f"Training skips row {padding}, {names[padding]}. "
    rows = (bert.vocab_size, bert.max_position_embeddings, bert.type_vocab_size, 2, 0)
    numbers = [count * bert.hidden_size for count in rows]  # LayerNorm: weights and biases
    remarks: tuple[tuple[str, str, dict[str, str | int] | None], ...] = (
        (f"A row for each token. {skipped}→ {NORMS}", "Inside_the_Model", {"section": NORMS}),
        ("A row for each position. → the position table", "Positions_and_Segments", {}),
        (f"A row for each segment. → {SEGMENTS}", "Positions_and_Segments", {"section": SEGMENTS}),
        (
            "Brings each sum to mean 0 and deviation 1 (eps is added to the variance); then a "
            f"weight and a bias for each dimension. → {LAYER_NORM}",
            *("", {"section": LAYER_NORM}),
        ),
        ("In training sets a share p of the numbers to 0. It is off here: no view", "", None),
    )
    lines: list[Line] = [
        (f"({name}): {line}", *remark)
        for (name, line), remark in zip(printed.items(), remarks, strict=True)
    ]
    return View(
        say(
            "<code>print(model.embeddings)</code> shows {modules} modules. Of their {numbers} "
            "numbers <b>{share}</b> are in the token table; dropout has none.",
            modules=len(printed),
            numbers=f"{sum(numbers):,}",
            share=share(numbers[0] / sum(numbers)),
            method="one-hot-times-a-matrix",
        ),
        Listing((("BertEmbeddings(", "", "", None), *lines, (")", "", "", None))),
        table(
            {"module": list(printed), "as printed": list(printed.values()), "numbers": numbers},
            name="modules",
            fold="Table",
        ),
        program("one_hot/modules", bert),
    )
