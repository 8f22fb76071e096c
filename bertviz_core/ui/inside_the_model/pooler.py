"""The section "pooler": the [CLS] vector, step by step through the pooler."""

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.encoder.pooler import PoolerSteps
from bertviz_core.errors import ModelUnavailableError
from bertviz_core.figures.inside.training import pooler_scatter
from bertviz_core.tokens import InputText
from bertviz_core.ui import inputs
from bertviz_core.ui.chips import say_truncated
from bertviz_core.ui.html import finding, note
from bertviz_core.ui.inside_the_model.results import census_of, pooler_steps
from bertviz_core.ui.models import trained_for
from bertviz_core.ui.results import library_doing, ready_or_asked
from bertviz_core.ui.show import chart, code, folded_table
from bertviz_core.ui.waiting import waiting

SATURATED = 0.99


def pooler(bert: Bert) -> None:
    """Ask for a sentence, and follow its [CLS] vector through the pooler.

    Raises:
        ModelUnavailableError: The file of the model has no pooler.
    """
    if not census_of(bert.name).by_group["pooler"]:
        raise ModelUnavailableError(
            f"The file of {bert.name} has no pooler: it was trained or saved without one. "
            "Choose another model in the sidebar, or another section above."
        )
    sentence = inputs.sentence("Sentence", "Sinan loves a beautiful day", key="pooled")
    text = InputText(sentence)
    say_truncated(text.tokenize(bert))
    if not ready_or_asked(bert, "Run the model and its pooler", key="run_pooler"):
        return
    with waiting(library_doing(bert.name, "Running the sentence through the model …"), height=420):
        steps = pooler_steps(bert.name, text)
    _say_pooler(steps)
    trained_for(bert)
    left, right = st.columns(2, gap="medium")
    with left:
        st.text("What tanh does: dense layer → pooler_output")
        chart(
            pooler_scatter(
                steps.dense, steps.output, before_name="after the dense layer", curve=True
            ),
            alt=f"All {steps.dense.size} dimensions lie on the curve of tanh; the dense layer "
            f"gives {steps.dense.min():.2f} to {steps.dense.max():.2f}, the output "
            f"{steps.output.min():.3f} to {steps.output.max():.3f}.",
            name="pooler-tanh",
        )
    with right:
        st.text("How different the two are: [CLS] → pooler_output")
        chart(
            pooler_scatter(steps.cls, steps.output, before_name="[CLS], last layer", curve=False),
            alt=f"Each dimension of the [CLS] vector against the same one of pooler_output: no "
            f"line to be seen, cosine similarity {steps.cosine:.3f}.",
            name="pooler-cls",
        )
    folded_table(
        "Table",
        steps.columns,
        key="pooler-table",
        name="pooler",
        decimals=4,
    )
    code("inside/pooler", bert, text=sentence)
    with st.expander("What is the pooler for?", icon=":material/help:"):
        st.markdown(
            "In the pre-training of the first BERT one more task was to tell whether the second "
            "sentence really followed the first. The pooler was trained for it: a dense layer "
            "mixes all dimensions of the [CLS] vector, tanh squeezes each into −1 to 1, and a "
            "classifier reads the result. So `pooler_output` is another vector than the one of "
            "[CLS], and dimensions of the same number have nothing to do with each other. Models "
            "tuned for sentence similarity often average the vectors of all tokens and never use "
            "the pooler, though their files still hold one."
        )


def _say_pooler(steps: PoolerSteps) -> None:
    finding(
        "The [CLS] vector and <code>pooler_output</code> have cosine similarity <b>{cosine}</b>. "
        "By hand, tanh(W·[CLS] + b) gives the same {count} numbers <b>{difference}</b>.",
        cosine=f"{steps.cosine:.3f}",
        count=steps.output.size,
        difference=f"within {steps.difference:.1e}" if steps.difference else "exactly",
        method="the-pooler",
    )
    lengths = [float(np.linalg.norm(vector)) for vector in (steps.cls, steps.output)]
    st.caption(
        f"Their lengths are {lengths[0]:.2f} and {lengths[1]:.2f}; "
        f"{np.mean(np.abs(steps.output) > SATURATED):.1%} of the outputs lie beyond ±{SATURATED}."
    )
    if steps.zero_bias:
        note(
            "All {count} numbers of this pooler's bias are exactly 0, where a fresh model starts: "
            "most likely it was never trained. The steps are the same in a trained one.",
            count=steps.dense.size,
        )
