"""The page Inside the Model below its title: it asks for nothing but examples."""

from bertviz_core.bert import Bert
from bertviz_core.ui import links, slots, views
from bertviz_core.ui.errors import errors_shown
from bertviz_core.views.inside_the_model.parameters import parameters

TENSOR, TRAINING = {"section": "one tensor"}, {"section": "what training changes"}
EXAMPLES: dict[str, dict[str, str | int]] = {
    "the segment table": {**TENSOR, "tensor": "embeddings.token_type_embeddings.weight"},
    "[unused] rows against words": {"section": "norms of the token table"},
    "the pooler": {"section": "pooler", "pooled": "I am Sinan"},
    "king and queen": {**TRAINING},
    "both segments": {
        **TRAINING,
        "alike": "My [dog] sleeps beside the [cat]",
        "beside": "They are friends",
    },
}


def inside(bert: Bert) -> None:
    """Show examples, every parameter, and the sections below."""
    with errors_shown():
        with slots.part("try"):
            links.examples("Inside_the_Model", EXAMPLES)
        views.show(parameters, bert, {})
    views.sections("Inside the Model", bert, {})
