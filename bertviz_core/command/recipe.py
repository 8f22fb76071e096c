"""What made a vector: which pooling, layer and cut, and in which precision?

A file has texts with their vectors, all made in one way, or one vector, of the --text.
"""

import argparse
import sys

from bertviz_core.bert import load_bert
from bertviz_core.checkpoints.catalog import EMBEDDED
from bertviz_core.contextual.recipes import recipes_of_pairs
from bertviz_core.corpus.part_files import local
from bertviz_core.encoder import load_encoder
from bertviz_core.senses.text_vectors import text_vectors

SHOWN = 12  # ways that are printed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The file, the text of a vector without one, and the model."""
    add = parser.add_argument
    add("file", metavar="FILE", type=local, help="NPZ with texts and vectors, JSON, or NPY")
    add("--text", default="", help="what the vector of a file without texts is of")
    add("--model", default=EMBEDDED, help="a name on offer, a folder or org/name")


def run(options: argparse.Namespace) -> int:
    """Print which way made the vectors, and the nearest ways."""
    from tqdm import tqdm

    bert = load_bert(options.model)
    given = text_vectors(options.file.read_bytes(), options.text, bert)
    encoder = load_encoder(bert)
    with tqdm(total=len(given.texts), unit="text", file=sys.stderr) as bar:
        found = recipes_of_pairs(
            encoder, *given[:2], progress=lambda done, _: bar.update(done - bar.n)
        )
    scaled = {True: ", normalized", False: ", not normalized", None: ""}[found.normalized]
    made = f"Made by {found.best}{scaled}: {found.about}."
    print(made if found.best else f"None of {len(found.names)} ways made this. The nearest:")
    if found.undecided:
        print(f"At this precision it cannot be told from {', or '.join(found.undecided)}.")
    pairs, worst = f"{len(given.texts):,} of {given.total:,}", found.furthest
    lowest = f"lowest cosine: {found.by_pair[worst, 0]:.6f}, of pair {worst + 1:,}"
    print(f"Compared: {pairs}; alone nearest to it: {found.alone:,}; {lowest}.")
    for name, cosine in zip(found.names[:SHOWN], found.cosines, strict=False):
        print(f"  cosine {cosine:.6f}, 1 - cosine {1 - cosine:.0e}  {name}")
    return 0
