"""Start the app and open it in the browser."""

import argparse
import subprocess
import sys
from pathlib import Path

import bertviz_core
from bertviz_core.errors import UserInputError

APP = Path(bertviz_core.__file__).parents[1] / "app.py"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What follows is Streamlit's."""
    parser.add_argument(
        "streamlit",
        nargs=argparse.REMAINDER,
        metavar="-- OPTIONS",
        help="of `streamlit run`, such as `-- --server.port 8502`",
    )


def run(options: argparse.Namespace) -> int:
    """Run until it is stopped; its settings lie beside the script."""
    if not APP.is_file():
        raise UserInputError(f"There is no {APP}; install the project from its clone.")
    further = [option for option in options.streamlit if option != "--"]
    command = [sys.executable, "-m", "streamlit", "run", str(APP), *further]
    return subprocess.run(command, cwd=APP.parent, check=False).returncode
