"""Every parameter, the pooler, and what one step of training changes."""

from bertviz_core.ui import frame, slots
from bertviz_core.ui.inside_the_model.look_inside import look_inside

bert = frame.page(
    "Inside the Model",
    "What is a BERT made of?",
    "Tables, matrices and vectors of numbers, all found by training. Count them, look into one, "
    "see what the pooler adds, and which of them move when the model learns.",
    icon=":material/account_tree:",
)

with slots.part("inside"):
    look_inside(bert)
