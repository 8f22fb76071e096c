"""`bert-explorer SUBCOMMAND`: run, check, occurrences, nearest, shift, export, recipe."""

import argparse
import io
import os
import runpy
import sys
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

import bertviz_core
from bertviz_core.command import check, export, nearest, occurrences, recipe, shift
from bertviz_core.errors import BertvizError, extras_named
from bertviz_core.process import APP_FOLDER
from bertviz_core.showable import showable

NAME = "bert-explorer"
EXIT_CODES = {
    0: "done",
    1: "an error, said in one sentence; `check`: not ready; `occurrences`: a part was set aside",
    2: "a wrong or missing argument",
    130: "stopped by Ctrl+C",
    141: "whoever read the output had enough, as `head` has",
}
EXAMPLES = {
    "run": ("run", "run --server.port 8502"),
    "check": ("check",),
    "occurrences": (
        "occurrences mouse cell --corpus texts.jsonl --out found --layers 0,3,6",
        "occurrences go=go,goes,went,gone --corpus books/ --out found",
    ),
    "nearest": (
        'nearest "He clicked with the [mouse]." --in found -k 5 --layer 6',
        'nearest "a [mouse] in the barn" --in found --where "year<1950"',
        "nearest - --in found --format json",
    ),
    "shift": (
        'shift mouse --in found --by "year<1950"',
        'shift mouse --in found --by "year<1950" --format csv',
    ),
    "export": (
        "export found --word mouse --most 2000 --out mouse.npz",
        "export found --word mouse --layer 6 --unit --out mouse.parquet",
    ),
    "recipe": ("recipe vectors.npz", 'recipe vector.npy --text "How old are you?"'),
}


class _Parser(argparse.ArgumentParser):
    """Says in one line what is wrong with an argument."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {showable(message)}\n{self.prog} --help says what it takes.\n")


def main(arguments: list[str] | None = None) -> int:
    """Run a subcommand; returns what the shell gets, see `EXIT_CODES`."""
    closed = io.TextIOWrapper(io.BytesIO())  # in place of what the shell has closed
    sys.stdin, sys.stdout = sys.stdin or closed, sys.stdout or closed
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr] # not all are UTF-8
    try:
        try:
            return _run(arguments)
        finally:
            sys.stdout.flush()  # what cannot be written is noticed here, not at the very end
    except BertvizError as error:
        print(showable(str(error)), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        # Python flushes once more when it ends; as its documentation of SIGPIPE advises.
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 141
        print(showable(f"Reading or writing failed: {error}."), file=sys.stderr)
        return 1


def _run(arguments: list[str] | None) -> int:
    options, further = parser().parse_known_args(arguments)
    options.further = further
    if further and options.run is not _run_app:
        options.parser.error(f"unrecognized arguments: {' '.join(further)}")
    with extras_named():
        return int(options.run(options))


def parser() -> argparse.ArgumentParser:
    """All that the command takes; docs/command.md is made of it."""
    whole = _Parser(
        prog=NAME, description="BERT's embedding layer, in the browser and over a corpus."
    )
    whole.add_argument("--version", action="version", version=f"{NAME} {bertviz_core.__version__}")
    kinds = whole.add_subparsers(dest="subcommand", required=True, metavar="SUBCOMMAND")

    def add(name: str, about: str) -> argparse.ArgumentParser:
        first, _, rest = about.partition("\n")
        examples = "".join(f"\n  {NAME} {example}" for example in EXAMPLES.get(name, ()))
        codes = "".join(f"\n  {code:>3}  {meaning}" for code, meaning in EXIT_CODES.items())
        of_kind = kinds.add_parser(
            name, help=first, description=first,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            epilog=f"{rest.strip()}\n\nexamples:{examples}\n\nexit codes:{codes}".lstrip(),
        )  # fmt: skip
        of_kind.set_defaults(parser=of_kind)
        return of_kind

    app = add("run", "Start the app and open it in the browser.")
    app.usage = f"{NAME} run [OPTIONS of `streamlit run`, such as --server.port 8502]"
    app.set_defaults(run=_run_app)
    checking = add("check", (check.__doc__ or "").partition(": ")[2])
    checking.set_defaults(run=lambda _: check.main())
    for module in (occurrences, nearest, shift, export, recipe):
        of_module = add(module.__name__.rpartition(".")[2], module.__doc__ or "")
        module.add_arguments(of_module)
        of_module.set_defaults(run=module.run)
    return whole


def _run_app(options: argparse.Namespace) -> int:
    """Become Streamlit's server, in this process: what stops it, a container say, stops the app.

    The app's settings are in force wherever it is started: Streamlit reads `.streamlit/config.toml`
    beside the script as well, and after the one of the working folder.
    """
    import_module("streamlit")  # its absence is said in a sentence
    further = [option for option in options.further if option != "--"]
    sys.argv = ["streamlit", "run", str(APP_FOLDER / "app.py"), *further]
    runpy.run_module("streamlit", run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
