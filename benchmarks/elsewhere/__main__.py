"""Other software on the embedded model, beside this project.

python -m benchmarks.elsewhere NAME [--only WORD] [--folder FOLDER]

NAME is ids, vectors, cuts or stores. What is needed is installed on the way, into environments of
its own that are kept for later runs. Needs pip, for some rows npm, and a package index.
"""

import argparse
from importlib import import_module
from pathlib import Path

from benchmarks.elsewhere import environment

NAMES = "ids", "vectors", "cuts", "stores"


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.elsewhere")
    add = parser.add_argument
    add("name", choices=NAMES)
    add("--only", default="", help="software whose name has this in it")
    add("--folder", type=Path, default=environment.CACHE, help="where environments are kept")
    options = parser.parse_args()
    environment.CHOSEN = environment.Chosen(options.folder.absolute(), options.only.casefold())
    import_module(f"benchmarks.elsewhere.{options.name}").main()


if __name__ == "__main__":
    main()
