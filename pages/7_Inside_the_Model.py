"""Every parameter, the pooler, and what one step of training changes."""

from bertviz_core.ui import frame, sections
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.inside_the_model.parameters import parameters
from bertviz_core.ui.inside_the_model.pooler import pooler
from bertviz_core.ui.inside_the_model.tensors import one_tensor, token_norms
from bertviz_core.ui.inside_the_model.training import training

bert = frame.page(
    "Inside the Model",
    "What is a BERT made of?",
    "Tables, matrices and vectors of numbers: count them, then look inside.",
    icon=":material/account_tree:",
)

with errors_shown():
    parameters(bert)

sections.below(
    {
        sections.TENSOR: lambda: one_tensor(bert),
        sections.NORMS: lambda: token_norms(bert),
        sections.POOLER: lambda: pooler(bert),
        sections.TRAINING: lambda: training(bert),
    },
    key="inside",
)
