"""Is this machine ready to run the app?"""

import argparse

from bertviz_core import check


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """There is nothing to choose."""


def run(_: argparse.Namespace) -> int:
    """Print all checks; 1 if one of them failed."""
    return check.main()
