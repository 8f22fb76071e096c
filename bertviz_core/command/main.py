"""`bertviz SUBCOMMAND`: occurrences, nearest, shift, check, run."""

import argparse
import sys
from types import ModuleType

import bertviz_core
from bertviz_core.command import check, nearest, occurrences, run, shift
from bertviz_core.errors import BertvizError

SUBCOMMANDS: dict[str, ModuleType] = {
    "run": run,
    "check": check,
    "occurrences": occurrences,
    "nearest": nearest,
    "shift": shift,
}


def main(arguments: list[str] | None = None) -> int:
    """Run a subcommand; returns what the shell gets: 0, 1 after an error, 2 for a wrong option."""
    parser = argparse.ArgumentParser(
        prog="bertviz", description="BERT's embedding layer, in the browser and over a corpus."
    )
    parser.add_argument(
        "--version", action="version", version=f"%(prog)s {bertviz_core.__version__}"
    )
    kinds = parser.add_subparsers(dest="subcommand", required=True, metavar="SUBCOMMAND")
    for name, module in SUBCOMMANDS.items():
        summary = (module.__doc__ or "").strip().splitlines()[0]
        own = kinds.add_parser(
            name,
            help=summary,
            description=summary,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(own)
    options, further = parser.parse_known_args(arguments)
    options.further = further
    if further and options.subcommand != "run":
        kinds.choices[options.subcommand].error(f"unknown: {' '.join(options.further)}")
    try:
        return int(SUBCOMMANDS[options.subcommand].run(options))
    except BertvizError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
