"""A model's positions against the sinusoids of the original Transformer."""

from bertviz_core.bert import Bert
from bertviz_core.figures.matrices import signed_png, table_picture
from bertviz_core.figures.stack import saturation_limit
from bertviz_core.positions.likeness import (
    COVARIANCES,
    SPECTRUM,
    LikenessWithBaselines,
    Verdict,
    likeness_with_baselines,
)
from bertviz_core.shared import once
from bertviz_core.views.declare import view
from bertviz_core.views.parts import beside, caption, heading, picture, program, say, table
from bertviz_core.views.positions_and_segments.analyses import (
    MODEL,
    SINUSOIDS,
    all_cosines,
    analysis_of,
    percent_range,
    table_of,
)
from bertviz_core.views.view import Part, View

ANSWERS: dict[Verdict, str] = {
    "the same": "Yes, row by row.",
    "the same, rotated": "Yes, after a rotation of the axes.",
    "alike in part": "No, but they are nearer to them than smooth random tables are.",
    "smooth": "No. They are smooth, but {more} more like sinusoids than smooth random tables are.",
    "not alike": "No. They are not smooth.",
}
BOTH = (("This model", MODEL), ("Sinusoids", SINUSOIDS))


@once
def _likeness(bert: Bert) -> LikenessWithBaselines:
    return likeness_with_baselines(table_of(bert, MODEL), table_of(bert, SINUSOIDS))


@once
def _png(bert: Bert, which: str) -> tuple[str, float]:
    """A table as a picture, and where its colours end."""
    values = table_of(bert, which)
    return signed_png(values, limit := saturation_limit(values)), limit


@view("against sinusoids", page="Positions and Segments", rank=40, doing="Comparing both tables …")
def against_sinusoids(bert: Bert) -> View:
    """Whether the positions are the sinusoids of the original Transformer."""
    likeness = _likeness(bert)
    found = likeness.table
    answer = ANSWERS[likeness.verdict]
    low = float(min(analysis_of(bert, which).similarity.min() for _, which in BOTH))
    cosines: list[list[Part]] = [
        [caption(title), all_cosines(bert, which, low)] for title, which in BOTH
    ]
    return View(
        say(
            "Are these positions sinusoids? <b>{answer}</b> The best rotation explains "
            "<b>{rotation}</b> of the table, <b>{rotation_covariances}</b> of random tables with "
            "its spectrum and covariances, and {rotation_spectrum} of those with its spectrum "
            "alone.",
            method="are-they-sinusoids",
            answer=answer.format(more="no" if found.rotation <= likeness.best else "hardly"),
            rotation=f"{found.rotation:.0%}",
            rotation_covariances=percent_range(likeness.baselines[COVARIANCES].rotation),
            rotation_spectrum=percent_range(likeness.baselines[SPECTRUM].rotation),
        ),
        beside(*position_tables(bert)),
        caption(
            "Rows are positions, columns dimensions. The sinusoids are ordered from fast waves on "
            "the left to slow ones on the right. Other tables may have another order."
        ),
        table(likeness.columns(), name="likeness"),
        heading("Which positions are similar"),
        beside(*cosines),
        program(
            "positions/sinusoids",
            bert,
            arrays=lambda: {
                "position embeddings": table_of(bert, MODEL),
                "sinusoids": table_of(bert, SINUSOIDS),
                "cosines of sinusoids": analysis_of(bert, SINUSOIDS).similarity,
            },
        ),
    )


def position_tables(bert: Bert) -> list[list[Part]]:
    """Both tables as pictures, each with its title."""
    return [_table(bert, title, which) for title, which in BOTH]


def _table(bert: Bert, title: str, which: str) -> list[Part]:
    values, (png, limit) = table_of(bert, which), _png(bert, which)
    positions, dimensions = values.shape
    return [
        caption(title),
        picture(
            table_picture(values, limit, png),
            alt=f"{title}: picture of {positions} positions by {dimensions} dimensions, red above "
            f"zero, blue below; colours end at ±{limit:.2g}.",
            name=f"table-{which}",
            typed=False,
        ),
    ]
