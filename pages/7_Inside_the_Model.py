"""Every parameter, the pooler, and what one step of training changes."""

from bertviz_core.ui import frame, inputs, links, slots
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.inside_the_model import parameters as census_views
from bertviz_core.ui.inside_the_model import pooler as pooler_views
from bertviz_core.ui.inside_the_model import tensors as tensor_views
from bertviz_core.ui.inside_the_model import training as training_views
from bertviz_core.ui.slots import slot_for

bert = frame.page(
    "Inside the Model",
    "What is a BERT made of?",
    "Tables, matrices and vectors of numbers, all found by training. Count them, look into one, "
    "see what the pooler adds, and which of them move when the model learns.",
    icon=":material/account_tree:",
)

with slots.panel("view"), errors_shown():
    view = inputs.choice("Look at", census_views.VIEWS, key="inside")
    if view == "one tensor":
        tensor = tensor_views.choose_tensor(bert)
    if view == "pooler":
        sentence = inputs.sentence("Sentence", "Sinan loves a beautiful day", key="pooled")
    if view == "what training changes":
        left, right = slots.row("marked", [3, 2])
        with left:
            marked = inputs.sentence(
                "A sentence with two words in [brackets], to be made more alike",
                "The [king] spoke to the [queen]",
                key="alike",
            )
        with right:
            second = inputs.sentence("Sentence B (optional)", "", key="beside", placeholder="none")
    links.examples(
        "Inside_the_Model",
        "Try",
        {
            "the segment table": {
                "inside": "one tensor",
                "tensor": "embeddings.token_type_embeddings.weight",
            },
            "[unused] rows against words": {"inside": "norms of the token table"},
            "the pooler": {"inside": "pooler", "pooled": "I am Sinan"},
            "king and queen": {"inside": "what training changes"},
            "both segments": {
                "inside": "what training changes",
                "alike": "My [dog] sleeps beside the [cat]",
                "beside": "They are friends",
            },
        },
    )

with slot_for(view, census_views.VIEWS), errors_shown():
    if view == "parameters":
        census_views.parameters(bert)
    elif view == "one tensor":
        tensor_views.one_tensor(bert, tensor)
    elif view == "norms of the token table":
        tensor_views.token_norms(bert)
    elif view == "pooler":
        pooler_views.pooler(bert, sentence)
    else:
        training_views.training(bert, marked, second if second.strip() else None)
