"""Every parameter, the pooler, and what one step of training changes."""

from bertviz_core.ui import frame
from bertviz_core.ui.forms.inside_the_model import inside

bert = frame.page(
    "Inside the Model",
    "What is a BERT made of?",
    "Tables, matrices and vectors of numbers: count them, then look inside.",
    icon=":material/account_tree:",
)

inside(bert)
