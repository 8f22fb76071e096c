"""Every parameter, the pooler, and what one step of training changes."""

from bertviz_core.ui import frame, links, slots, views
from bertviz_core.ui.errors import errors_shown
from bertviz_core.views.inside_the_model.parameters import parameters

bert = frame.page(
    "Inside the Model",
    "What is a BERT made of?",
    "Tables, matrices and vectors of numbers: count them, then look inside.",
    icon=":material/account_tree:",
)

with slots.part("try"):
    links.examples(
        "Inside_the_Model",
        {
            "[unused] rows against words": {"section": "norms of the token table"},
            "the pooler": {"section": "pooler"},
            "king and queen": {"section": "what training changes"},
            "both segments": {
                "section": "what training changes",
                "alike": "My [dog] sleeps beside the [cat]",
                "beside": "They are friends",
            },
        },
    )

with errors_shown():
    views.show(parameters, bert, {})
    views.sections("Inside the Model", bert, {})
