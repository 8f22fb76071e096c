"""Errors whose message is a sentence for the person using the app.

The pages show these messages unchanged (`bertviz_core.ui.errors`). Every other exception is a
defect: nothing catches it, and it ends as a traceback in the log.
"""


class BertvizError(Exception):
    """Base of all errors whose text is written for the user."""


class UserInputError(BertvizError):
    """What was typed or chosen cannot be worked with, and the message says what to change."""


class ModelUnavailableError(BertvizError):
    """A checkpoint is missing, incomplete or not a BERT; the message names the file at fault."""


def shortened(text: object, most: int = 100) -> str:
    """A text for a message, with an ellipsis where it is longer than `most` characters."""
    return f"{text}" if len(f"{text}") <= most else f"{text}"[: most - 1] + "…"
