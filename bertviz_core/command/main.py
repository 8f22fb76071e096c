"""`bertviz SUBCOMMAND`: run, check, occurrences, nearest, shift."""

import argparse
import runpy
import sys

import bertviz_core
from bertviz_core import check
from bertviz_core.app_folder import APP_FOLDER
from bertviz_core.command import export, nearest, occurrences, shift
from bertviz_core.command.asking import printable
from bertviz_core.errors import BertvizError


def main(arguments: list[str] | None = None) -> int:
    """Run a subcommand; returns what the shell gets: 0, 1 after an error, 2 for a wrong option."""
    parser = argparse.ArgumentParser(
        prog="bertviz", description="BERT's embedding layer, in the browser and over a corpus."
    )
    parser.add_argument(
        "--version", action="version", version=f"%(prog)s {bertviz_core.__version__}"
    )
    kinds = parser.add_subparsers(dest="subcommand", required=True, metavar="SUBCOMMAND")

    def add(name: str, description: str) -> argparse.ArgumentParser:
        return kinds.add_parser(name, help=description, description=description)

    app = add("run", "Start the app and open it in the browser.")
    app.usage = "bertviz run [OPTIONS of `streamlit run`, such as --server.port 8502]"
    app.set_defaults(run=_run_app)
    add("check", "Is this machine ready to run the app?").set_defaults(run=lambda _: check.main())
    for module in (occurrences, nearest, shift, export):
        own = add(module.__name__.rpartition(".")[2], (module.__doc__ or "").splitlines()[0])
        module.add_arguments(own)
        own.set_defaults(run=module.run)
    options, further = parser.parse_known_args(arguments)
    options.further = further
    if further and options.subcommand != "run":
        kinds.choices[options.subcommand].error(f"unknown: {' '.join(further)}")
    try:
        return int(options.run(options))
    except BertvizError as error:
        print(printable(str(error)), file=sys.stderr)
        return 1


def _run_app(options: argparse.Namespace) -> int:
    """Become Streamlit's server, in this process: what stops it, a container say, stops the app.

    The app's settings are in force wherever it is started: Streamlit reads `.streamlit/config.toml`
    beside the script as well, and after the one of the working folder.
    """
    further = [option for option in options.further if option != "--"]
    sys.argv = ["streamlit", "run", str(APP_FOLDER / "app.py"), *further]
    runpy.run_module("streamlit", run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
