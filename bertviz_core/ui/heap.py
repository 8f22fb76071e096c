"""What has been loaded for good, kept away from Python's garbage collector."""

import gc
import sys

_GREW = 50  # modules; some pages import a few, torch and scikit-learn hundreds
_modules = 0


def freeze() -> None:
    """Tell the garbage collector to leave alone what exists now, if much has been imported.

    Streamlit has garbage collected after every run of a page, and meanwhile no other viewer's page
    can run. It looks at every object: 0.1 s for the libraries of a page, as much again for torch.
    Call it at the start of a run, soon after a collection: what is no longer used by then goes
    anyway, but for objects that hold each other.
    """
    global _modules
    if len(sys.modules) >= _modules + _GREW:
        _modules = len(sys.modules)
        gc.freeze()
