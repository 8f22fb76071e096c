"""Start the app and open it in the browser; further options are those of `streamlit run`."""

import argparse
import runpy
import sys

from bertviz_core.app_folder import APP_FOLDER


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """None of its own: `main` hands on what it does not know, as `options.further`."""
    parser.usage = "bertviz run [OPTIONS of `streamlit run`, such as --server.port 8502]"


def run(options: argparse.Namespace) -> int:
    """Become Streamlit's server, in this process: what stops it, a container say, stops the app.

    The app's settings are in force wherever it is started: Streamlit reads `.streamlit/config.toml`
    beside the script as well, and after the one of the working folder.
    """
    further = [option for option in options.further if option != "--"]
    sys.argv = ["streamlit", "run", str(APP_FOLDER / "app.py"), *further]
    runpy.run_module("streamlit", run_name="__main__")
    return 0
