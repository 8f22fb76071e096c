"""`python -m bertviz_core.senses WORD FILE --out FOLDER`: a corpus of any size."""

import argparse
import sys
from pathlib import Path

from bertviz_core.bert import load_bert
from bertviz_core.checkpoints.catalog import EMBEDDED, offered_models
from bertviz_core.encoder import POOLINGS, load_encoder
from bertviz_core.errors import BertvizError
from bertviz_core.senses.corpus import map_corpus
from bertviz_core.senses.occurrences import MOST
from bertviz_core.senses.state import SAMPLE, State


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns what the shell gets: 0, or 1 after an error."""
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except BertvizError as error:
        print(error, file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bertviz_core.senses",
        description="Write the vectors of every occurrence of a word in a corpus, at all layers, "
        "as Parquet files that the page Word Senses opens. An interrupted run is continued.",
    )
    parser.add_argument("word", metavar="WORD", help="found whole, in upper or lower case")
    parser.add_argument("file", metavar="FILE", type=Path, help="UTF-8 text, one sentence a line")
    parser.add_argument("--out", metavar="FOLDER", type=Path, required=True, help="for the files")
    parser.add_argument("--model", default=EMBEDDED, help=f"{EMBEDDED} if left out, or a folder")
    parser.add_argument("--pooling", choices=POOLINGS, default="mean", help="of a word's pieces")
    parser.add_argument("--part", metavar="N", type=int, default=MOST, help="occurrences a file")
    return parser


def _run(options: argparse.Namespace) -> int:
    from tqdm import tqdm

    name = options.model if options.model in offered_models() else Path(options.model)
    encoder = load_encoder(load_bert(name))
    size = options.file.stat().st_size if options.file.exists() else 0
    with tqdm(total=size, unit="B", unit_scale=True, desc=options.word) as bar:

        def show(read: int, occurrences: int) -> None:
            bar.set_postfix(occurrences=f"{occurrences:,}", refresh=False)
            bar.update(read - bar.n)
            bar.refresh()

        state = map_corpus(
            encoder,
            options.word,
            options.file,
            options.out,
            pooling=options.pooling,
            part_size=options.part,
            progress=show,
        )
        show(state.read, state.occurrences)
    print(_summary(state, options.out))
    return 0


def _summary(state: State, folder: Path) -> str:
    if not state.occurrences:
        return f"“{state.word}” does not occur in the {state.lines:,} lines of the file."
    summary = (
        f"{state.occurrences:,} occurrences of “{state.word}” in {len(state.parts):,} parts; "
        f"the page opens {folder / SAMPLE} or any part of up to 50 MB."
    )
    if state.left_out:
        summary += f" {state.left_out:,} more lie beyond the tokens the model takes."
    return summary


if __name__ == "__main__":
    sys.exit(main())
