"""How often the way that made a vector is found: pooling, layer and precision, on outside texts.

The constants of `contextual/recipes.py` were made on shipped sentences (the column "made"); what
counts is the share on texts that did not make them. Vectors are cast here; other software runs in
an environment of its own in a temporary folder (`--python` names one that has been made).
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from random import Random
from shutil import copytree
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save_file

from benchmarks import recipe_makers, report
from benchmarks.app_server import EMBEDDED
from bertviz_core.arrays import Array
from bertviz_core.bert import load_bert
from bertviz_core.contextual.recipes import BANDS, Recipes, recipes_of, recipes_of_pairs
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.tokens import TokenizedText, tokenize

ROOT = Path(__file__).parents[1]
PACKAGES = (  # torch first: others ask for a build with gigabytes of CUDA
    ["torch==2.13.0"],
    ["transformers==5.23.0", "onnx==1.23.2", "onnxscript==0.7.2", "onnxruntime==1.32.0"],
    ["ctranslate2==4.8.0", "gguf==0.19.0", "xllamacpp==2026.10.11549"],
    ["model2vec==0.10.0", "skeletoken==0.6.1", "scikit-learn==1.9.1"],
)
WITHOUT = "without [CLS] and [SEP]"
FIVE = ("mean", f"mean {WITHOUT}", "[CLS]", "[SEP]", "max")  # of recipe_makers
TWELVE = (
    *(f"{way}, layer 6" for way in FIVE),
    *("mean, layer 5", f"mean {WITHOUT}, layer 3", "mean, layer 0", "pooler", "token table"),
    *("mean, layers 3 to 6", "mean, layers 1 and 6"),
)
SHORT = "hi|dog|Yes.|No!|Paris|42|thank you|good morning|What?|embedding".split("|")
# Computed so coarsely that "right or undecided" is asked for, in 95 of 100.
COARSE = ("onnxruntime default", "onnxruntime default, batches of 8")
GROUP = 5  # vectors of one maker that are judged together


def texts() -> dict[str, list[str]]:
    """Texts by kind: "made" are shipped, all others are outside."""
    random = Random(3)

    def drawn(path: str, count: int) -> list[str]:
        lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
        if path.endswith(".tsv"):
            column = lines[0].split("\t").index("sentence")
            lines = [re.sub(r"[][]", "", line.split("\t")[column]) for line in lines[1:]]
        return random.sample([line for line in lines if line.strip()], count)

    data, outside = "bertviz_core/data", "benchmarks/outside"
    shipped = (
        "calibration.txt",
        *(f"texts/{name}.txt" for name in ("news", "stories", "questions")),
    )
    notes = drawn(f"{outside}/notes.txt", 130)
    return {
        "made": [line for name in shipped for line in drawn(f"{data}/{name}", 15)],
        "notes": notes[:30],
        "other": [
            line
            for name in ("talk", "prose", "words")
            for line in drawn(f"{outside}/{name}.tsv", 10)
        ],
        "short": SHORT,
        "long": [" ".join(notes[30 + at : 30 + at + 8 + at]) for at in range(0, 40, 5)],
    }


class Memory:
    """An encoder whose hidden states are kept, so that each text runs once."""

    def __init__(self, encoder: Encoder) -> None:
        self._run = encoder.iter_batches
        self._kept: dict[bytes, Array] = {}
        encoder.iter_batches = self.iter_batches  # type: ignore[method-assign]

    def iter_batches(
        self,
        texts: Sequence[TokenizedText],
        words: Sequence[Sequence[int]],
        turn: Any = nullcontext,
    ) -> Iterator[tuple[list[int], Any, Array]]:
        new = {text.input_ids.tobytes(): text for text in texts}
        new = {key: text for key, text in new.items() if key not in self._kept}
        keys = list(new)
        every = [range(len(text)) for text in new.values()]
        for at, ends, states in self._run(list(new.values()), every, turn):
            parts = np.split(states, ends[:-1], axis=1)
            self._kept |= {keys[i]: part for i, part in zip(at, parts, strict=True)}
        for index, text in enumerate(texts):
            yield [index], np.array([len(text)]), self._kept[text.input_ids.tobytes()]


def in_bfloat16(vectors: Any) -> Any:
    bits = vectors.astype(np.float32).view(np.uint32)
    return (bits + 0x7FFF + (bits >> 16 & 1) & 0xFFFF0000).astype(np.uint32).view(np.float32)


def in_int8(vectors: Any) -> Any:
    return np.round(vectors / np.abs(vectors).max() * 127)


CASTS: Mapping[str, Callable[[Any], Any]] = {
    "float32": lambda vectors: vectors.astype(np.float32),
    "float16": lambda vectors: vectors.astype(np.float16),
    "bfloat16": in_bfloat16,
    "int8 stored": in_int8,
    "4 decimals": lambda vectors: np.round(vectors, 4),
}


def vectors_of(encoder: Encoder, text: str) -> dict[str, Any]:
    """What the twelve ways make of a text, pooled here from the hidden states."""
    tokens = tokenize(encoder.bert, text)
    states = encoder.hidden_states(tokens).astype(np.float64)
    rows = encoder.bert.tables.word_embeddings[tokens.input_ids].astype(np.float64)
    by_layer = recipe_makers.pooled(states)
    means = states.mean(axis=1)
    made = {f"{way}, layer {n}": by_layer[n, w] for n in range(7) for w, way in enumerate(FIVE)}
    made |= {"pooler": encoder.pooler_output(by_layer[-1:, 2])[0], "token table": rows.mean(axis=0)}
    made |= {"mean, layers 3 to 6": means[3:].mean(axis=0)}
    made |= {"mean, layers 1 and 6": means[[1, 6]].mean(axis=0)}
    return {way: made[way] for way in TWELVE}


def judged(found: Recipes, way: str) -> str:
    """Whether the way was found."""
    if found.best is None:
        return "none"
    if found.undecided:
        return "undecided" if way in (found.best, *found.undecided) else "wrong"
    return "right" if found.best == way else "wrong"


def casts(encoder: Encoder, kinds: Mapping[str, list[str]]) -> None:
    """Twelve ways of 30 outside sentences in each type, and how often its band is named."""
    report.heading(f"Twelve ways of {len(kinds['notes'])} outside sentences")
    for name, cast in CASTS.items():
        results, bands = Counter[str](), Counter[str | None]()
        for text in kinds["notes"]:
            for way, vector in vectors_of(encoder, text).items():
                found = recipes_of(encoder, text, cast(vector))
                results[judged(found, way)] += 1
                bands[found.precision] += 1
        share = results["right"] / results.total()
        report.figure(f"{name}: right", share, "", least=0.99)
        print(f"      {dict(results)}; bands {dict(bands)}")


def elsewhere(encoder: Encoder, kinds: Mapping[str, list[str]], made: Mapping[str, Any]) -> None:
    """Vectors of other software: right, undecided, wrong or none, one by one and by five."""
    report.heading("Vectors of other software, last layer")
    spans, first = {}, 0
    for kind, each in kinds.items():
        spans[kind] = slice(first, first := first + len(each))
    every = [text for each in kinds.values() for text in each]
    for maker, by_layer in made.items():
        if maker == "model2vec":
            continue
        for kind in kinds:
            results, five, distances, bands = Counter[str](), Counter[str](), [], Counter[Any]()
            for number, way in enumerate(FIVE):
                vectors = by_layer[-1, number, spans[kind]]
                pairs = list(zip(every[spans[kind]], vectors, strict=True))
                pairs = [(text, vector) for text, vector in pairs if np.isfinite(vector).all()]
                whole = [cut_name(encoder, text, f"{way}, layer 6") for text, _ in pairs]
                for (text, vector), name in zip(pairs, whole, strict=True):
                    found = recipes_of(encoder, text, vector)
                    results[judged(found, name)] += 1
                    bands[found.precision] += 1
                    distances.append(1 - found.cosines[found.names.index(name)])
                for at in range(0, len(pairs) - GROUP + 1, GROUP) if kind != "long" else ():
                    some = recipes_of_pairs(encoder, *zip(*pairs[at : at + GROUP], strict=True))
                    five[judged(some, f"{way}, layer 6")] += 1
            if not results:
                continue
            total, tested = results.total(), kind in ("notes", "other")
            fine = (results["right"] + results["undecided"]) / total
            least = 0.95 if maker in COARSE and tested else None
            report.figure(f"{maker}, {kind}: right or undecided", fine, "", least=least)
            if five:
                share = (five["right"] + five["undecided"]) / five.total()
                report.figure("    by five together", share, "", least=1.0 if tested else None)
            low, high = np.percentile(distances, (5, 95))
            print(
                f"      {dict(results)}; by five {dict(five)}; 1 - cosine {low:.1e} to {high:.1e}; "
                f"bands {dict(bands)}", flush=True,
            )  # fmt: skip


def cut_name(encoder: Encoder, text: str, way: str) -> str:
    """The name of a way for a text that is cut at the model's last position."""
    truncated = tokenize(encoder.bert, text).truncated
    return f"{way}, cut at {encoder.bert.max_position_embeddings}" if truncated else way


def altered(encoder: Encoder, folder: Path, change: Callable[[Any], Any]) -> Encoder:
    """The same model with other matrices."""
    copytree(encoder.bert.checkpoint.folder, folder)
    weights = load_file(folder / "model.safetensors")
    changed = {name: change(each) if each.ndim == 2 else each for name, each in weights.items()}
    save_file(changed, folder / "model.safetensors")
    return load_encoder(load_bert(folder))


def none_of_these(
    encoder: Encoder, kinds: Mapping[str, list[str]], made: Mapping[str, Any]
) -> None:
    """What no way made: other texts, other models, random numbers."""
    report.heading("None of these")
    random = np.random.default_rng(0)

    def noisy(part: float) -> Callable[[Any], Any]:
        def change(each: Any) -> Any:
            return (each + part * each.std() * random.normal(size=each.shape)).astype(each.dtype)

        return change

    notes = kinds["notes"]
    own = [vectors_of(encoder, text) for text in notes]
    sources: dict[str, Callable[[int, str], Any]] = {
        "another sentence": lambda at, way: own[(at + 1) % len(own)][way],
        "random numbers": lambda at, way: random.normal(size=encoder.bert.hidden_size),
    }
    with tempfile.TemporaryDirectory() as folder:
        changes: dict[str, Callable[[Any], Any]] = {
            "random weights": lambda each: (0.02 * random.normal(size=each.shape)).astype(
                each.dtype
            ),
            "its weights, and noise as large": noisy(1),
            "its weights, and a third of that": noisy(1 / 3),
        }
        for name, change in changes.items():
            other = altered(encoder, Path(folder) / name.replace(" ", "-"), change)
            theirs = [vectors_of(other, text) for text in notes]
            sources[name] = lambda at, way, theirs=theirs: theirs[at][way]  # type: ignore[misc]
    if "model2vec" in made:
        first = len(kinds["made"])
        sources["model2vec"] = lambda at, _: made["model2vec"][0, 0, first + at]
    for name, source in sources.items():
        results = Counter[str]()
        for at, text in enumerate(notes):
            for way in TWELVE if name not in ("random numbers", "model2vec") else TWELVE[:1]:
                found = recipes_of(encoder, text, source(at, way))
                if found.best not in found.text_free:
                    results[found.best or "none"] += 1
        report.figure(f"{name}: none", results["none"] / results.total(), "", least=0.98)
        print(f"      {dict(results.most_common(4))}")


def time_taken(encoder: Encoder, kinds: Mapping[str, list[str]]) -> None:
    """One pass of the model over a text, and the search beside it."""
    report.heading("Time")
    text = tokenize(encoder.bert, kinds["notes"][0])
    vector = encoder.hidden_states(text)[-1].mean(axis=0)

    def taken(run: Callable[[], object]) -> Callable[[], float]:
        """Processor time: it is what counts beside other work."""

        def milliseconds() -> float:
            begun = time.process_time()
            run()
            return 1000 * (time.process_time() - begun)

        return milliseconds

    runs = {
        "one pass of the model": taken(lambda: encoder.hidden_states(text)),
        "all ways": taken(lambda: recipes_of(encoder, text, vector)),
    }
    once, ways = report.in_turn(runs, 20, "ms").values()
    more = [b - a for a, b in zip(once, ways, strict=True)]
    report.figure("more than one pass", float(np.median(more)), "ms", most=30)


def made_elsewhere(
    kinds: Mapping[str, list[str]], folder: Path, python: str | None
) -> dict[str, Any]:
    """The vectors of `recipe_makers`, in an environment that is made for it, or that is named."""
    with tempfile.TemporaryDirectory() as at:
        if python is None:
            subprocess.run([sys.executable, "-m", "venv", f"{at}/venv"], check=True)
            python = f"{at}/venv/bin/python"
            for packages in PACKAGES:
                subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=False)
        given, out = Path(at) / "texts.json", Path(at) / "vectors.npz"
        given.write_text(json.dumps([text for each in kinds.values() for text in each]))
        command = [python, recipe_makers.__file__, str(folder), str(given), str(out)]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        return dict(np.load(out))


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", help="of an environment that has the other software")
    parser.add_argument("--here", action="store_true", help="nothing of other software")
    parser.add_argument("--vectors", help="an NPZ file that recipe_makers wrote of these texts")
    options = parser.parse_args()
    encoder, kinds = load_encoder(load_bert(EMBEDDED)), texts()
    time_taken(encoder, kinds)
    made: dict[str, Any] = dict(np.load(options.vectors)) if options.vectors else {}
    if not options.vectors and not options.here:
        made = made_elsewhere(kinds, encoder.bert.checkpoint.folder, options.python)
    Memory(encoder)
    print("\nBands: " + ", ".join(f"{band.name} below {band.high:g}" for band in BANDS))
    casts(encoder, kinds)
    none_of_these(encoder, kinds, made)
    elsewhere(encoder, kinds, made)


if __name__ == "__main__":
    main()
    report.end()
