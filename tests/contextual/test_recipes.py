"""What made a vector: each way as transformers and pooling by hand make it; what is not told."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import BertModel, BertTokenizer

from bertviz_core.bert import load_bert
from bertviz_core.contextual.recipes import (
    BANDS,
    MAX_PAIRS,
    Recipes,
    band_of,
    recipes_of,
    recipes_of_pairs,
)
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.errors import UserInputError
from bertviz_core.tokens import tokenize
from tests.tiny import VOCABULARY, write_checkpoint

OUTSIDE = Path(__file__).parents[2] / "benchmarks" / "outside"
NOTES = (OUTSIDE / "notes.txt").read_text(encoding="utf-8").splitlines()[:6]
LONG = " ".join((OUTSIDE / "notes.txt").read_text(encoding="utf-8").splitlines()[6:60])
WITHOUT = "without [CLS] and [SEP]"


@cache
def library_of(folder: Path) -> tuple[Any, Any]:
    return BertModel.from_pretrained(folder).eval(), BertTokenizer.from_pretrained(folder)


@cache
def made_by_hand(encoder: Encoder, text: str, cut: int | None = None) -> dict[str, Any]:
    """The vectors of a text from `BertModel`, each pooled by hand."""
    model, tokenizer = library_of(encoder.bert.checkpoint.folder)
    most = cut or encoder.bert.max_position_embeddings
    inputs = tokenizer(text, truncation=True, max_length=most, return_tensors="pt")
    with torch.no_grad():
        result = model(**inputs, output_hidden_states=True)
        rows = model.embeddings.word_embeddings(inputs["input_ids"])[0]
    states = [each[0] for each in result.hidden_states]
    last = len(states) - 1
    made = {
        "pooler": result.pooler_output[0],
        "token table": rows.mean(dim=0),
        f"token table {WITHOUT}": rows[1:-1].mean(dim=0),
        f"mean, layers {max(last - 3, 0)} to {last}": sum(each.mean(dim=0) for each in states[-4:]),
        f"mean, layers 0 and {last}": (states[0] + states[-1]).mean(dim=0),
        f"mean, layers 1 and {last}": (states[1] + states[-1]).mean(dim=0),
    }
    for layer, each in enumerate(states):
        made[f"mean, layer {layer}"] = each.mean(dim=0)
        made[f"mean {WITHOUT}, layer {layer}"] = each[1:-1].mean(dim=0)
        made[f"[CLS], layer {layer}"], made[f"[SEP], layer {layer}"] = each[0], each[-1]
        made[f"max, layer {layer}"] = each.amax(dim=0)
    return {name: vector.numpy() for name, vector in made.items()}


@pytest.mark.parametrize("name", ["minilm_encoder", "tiny_encoder"])
def test_every_way_is_that_of_transformers(name: str, request: pytest.FixtureRequest) -> None:
    encoder: Encoder = request.getfixturevalue(name)
    text = "I love my pet python"
    made = made_by_hand(encoder, text)
    for way, vector in made.items():
        found = recipes_of(encoder, text, vector)
        assert set(found.names) == set(made)
        assert found.best == way
        assert found.cosines[0] > 1 - 1e-10
        assert found.largest_difference[0] < 1e-5
        assert found.length == pytest.approx(float(np.linalg.norm(vector)), rel=1e-6)
        assert (found.precision, found.undecided, found.cuts) == ("float32", (), ())
        assert (found.best in found.text_free) == (way in ("[CLS], layer 0", "[SEP], layer 0"))
        assert (np.diff(found.cosines) <= 0).all()
        assert found.columns()["way"] == found.names


def test_every_cut_is_that_of_transformers(minilm_encoder: Encoder) -> None:
    whole = tokenize(minilm_encoder.bert, LONG)
    assert whole.truncated
    ways = ("mean, layer 6", f"mean {WITHOUT}, layer 4", "pooler")
    for cut, way in zip((128, 256, 512), ways, strict=True):
        made = made_by_hand(minilm_encoder, LONG, cut)
        found = recipes_of(minilm_encoder, whole, made[way])
        assert (found.best, found.precision) == (f"{way}, cut at {cut}", "float32")
        assert found.cuts == (128, 256, 512)
        assert len(found.names) == 3 * len(made)
    # One of 256 tokens is not cut there: it has its own name, and one cut less.
    shorter = tokenize(minilm_encoder.bert, " ".join(["the"] * 254))
    found = recipes_of(minilm_encoder, shorter, minilm_encoder.hidden_states(shorter)[6].mean(0))
    assert (found.best, found.cuts, found.tokens) == ("mean, layer 6", (128,), 256)


def in_bfloat16(vector: Any) -> Any:
    return torch.tensor(vector).bfloat16().float().numpy()


def in_int8(vector: Any) -> Any:
    return np.round(vector / np.abs(vector).max() * 127).astype(np.int8)


TYPES: dict[str, Callable[[Any], Any]] = {
    "float32": np.asarray,
    "float16": np.float16,
    "bfloat16": in_bfloat16,
    "int8 stored": in_int8,
}
TWELVE = (
    *("mean, layer 6", f"mean {WITHOUT}, layer 6", "[CLS], layer 6", "[SEP], layer 6"),
    *("max, layer 6", "mean, layer 5", f"mean {WITHOUT}, layer 3", "mean, layer 0", "pooler"),
    *("token table", "mean, layers 3 to 6", "mean, layers 1 and 6"),
)


def test_a_type_does_not_hide_the_way(minilm_encoder: Encoder) -> None:
    made = made_by_hand(minilm_encoder, NOTES[0])
    for way in ("mean, layer 6", f"mean {WITHOUT}, layer 6", "max, layer 4", "pooler"):
        for precision, cast in TYPES.items():
            found = recipes_of(minilm_encoder, NOTES[0], cast(made[way]))
            assert (found.best, found.undecided) == (way, ())
            assert found.precision == precision, way
        assert recipes_of(minilm_encoder, NOTES[0], made[way].round(4)).best == way


def test_whether_it_was_normalized(minilm_encoder: Encoder) -> None:
    vector = made_by_hand(minilm_encoder, NOTES[0])["mean, layer 6"].astype(np.float64)
    unit = vector / np.linalg.norm(vector)
    for given, normalized in ((vector, False), (unit, True), (3 * unit, None)):
        found = recipes_of(minilm_encoder, NOTES[0], given)
        assert (found.best, found.normalized) == ("mean, layer 6", normalized)
    assert recipes_of(minilm_encoder, NOTES[0], 1e30 * unit).best == "mean, layer 6"
    assert recipes_of(minilm_encoder, NOTES[0], -unit).best is None


def test_none_of_these(minilm_encoder: Encoder) -> None:
    other = made_by_hand(minilm_encoder, NOTES[1])
    random = np.random.default_rng(0)
    weights = {name: random.normal(size=384) for name in "abc"}
    for vector in [*(other[way] for way in TWELVE), *weights.values(), np.ones(384)]:
        found = recipes_of(minilm_encoder, NOTES[0], vector)
        assert (found.best, found.precision, found.normalized) == (None, None, None)
        assert (found.undecided, len(found.names)) == ((), 41)
    # That of [CLS] at layer 0 is the same for each text: a way, but no sign of the text.
    found = recipes_of(minilm_encoder, NOTES[0], other["[CLS], layer 0"])
    assert found.best == "[CLS], layer 0"
    assert found.best in found.text_free


def with_error(vector: Any, towards: Any, part: float, distance: float) -> Any:
    """A vector with an error of such a 1 - cosine, of which a part points towards another one."""
    unit, step = (each / np.linalg.norm(each) for each in (vector, towards))
    noise = np.random.default_rng(1).normal(size=len(unit))
    directions: list[Any] = []
    for each in (step, noise):  # at right angles to the vector, and to each other
        for other in (unit, *directions):
            each = each - each @ other * other
        directions.append(each / np.linalg.norm(each))
    error = part * directions[0] + np.sqrt(1 - part**2) * directions[1]
    return unit + np.sqrt(1 / (1 - distance) ** 2 - 1) * error


def test_what_a_coarse_precision_cannot_tell(minilm_encoder: Encoder) -> None:
    made = made_by_hand(minilm_encoder, NOTES[0])
    whole, inner = made["mean, layer 6"], made[f"mean {WITHOUT}, layer 6"]
    apart = 1 - whole @ inner / np.linalg.norm(whole) / np.linalg.norm(inner)
    assert 1e-4 < apart < 2e-2  # the nearest two ways
    coarse = with_error(whole, inner, 0.0, 0.04)
    found = recipes_of(minilm_encoder, NOTES[0], coarse)
    assert found.cosines[0] == pytest.approx(0.96, abs=1e-3)
    assert (found.best, found.precision) == ("mean, layer 6", BANDS[-1].name)
    assert found.undecided == (f"mean {WITHOUT}, layer 6",)
    # An error that points as far to the other makes that one the nearest; the true one is named.
    found = recipes_of(minilm_encoder, NOTES[0], with_error(whole, inner, 0.29, 0.04))
    assert "mean, layer 6" in (found.best, *found.undecided)
    # As small as the other is far away, an error decides nothing else.
    found = recipes_of(minilm_encoder, NOTES[0], with_error(whole, inner, 0.0, apart / 10))
    assert (found.best, found.undecided) == ("mean, layer 6", ())


def test_pairs_are_evidence_together(minilm_encoder: Encoder) -> None:
    texts = [*NOTES, LONG, "hi", ""]
    made = [made_by_hand(minilm_encoder, text, 256)["mean, layer 6"] for text in texts]
    reported: list[tuple[int, int]] = []
    turns: list[str] = []

    @contextmanager
    def turn() -> Iterator[None]:
        turns.append("taken")
        yield
        turns.append("left")

    found = recipes_of_pairs(
        minilm_encoder, texts, made, progress=lambda *each: reported.append(each), turn=turn
    )
    assert (found.best, found.undecided) == ("mean, layer 6, cut at 256", ())
    assert found.by_pair.shape == (len(texts), len(found.names))
    assert found.by_pair.mean(axis=0) == pytest.approx(found.cosines)
    assert reported[-1] == (len(texts), len(texts))
    assert turns == ["taken", "left"] * (len(turns) // 2)
    # The short ones alone cannot tell a cut, the long one can.
    short = recipes_of_pairs(minilm_encoder, texts[:6], made[:6])
    assert short.best == "mean, layer 6"
    named = dict(zip(found.names, found.by_pair[0], strict=True))
    for name, cosine in zip(short.names, short.by_pair[0], strict=True):
        assert named[f"{name}, cut at 256"] == pytest.approx(cosine, abs=1e-6)


@pytest.mark.parametrize("text", ["hi", "", "[UNK]", "the [SEP] the", " ".join(["the"] * 40)])
def test_unusual_texts(tiny_encoder: Encoder, text: str) -> None:
    made = made_by_hand(tiny_encoder, text)
    ways = ["mean, layer 2", "[CLS], layer 2", "pooler"]
    for way in ways if len(text) < 20 else [f"{way}, cut at 16" for way in ways]:
        found = recipes_of(tiny_encoder, text, made[way.removesuffix(", cut at 16")])
        assert way in (found.best, *found.undecided)
        assert found.precision == "float32"


def test_another_checkpoint(tmp_path: Path) -> None:
    """Without a pooler, and with other names for [CLS] and [SEP]."""
    folder = write_checkpoint(tmp_path / "heads", masked_words=True)
    words = [
        "<s>" if word == "[CLS]" else "</s>" if word == "[SEP]" else word for word in VOCABULARY
    ]
    (folder / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(
        '{"tokenizer_class": "BertTokenizer", "cls_token": "<s>", "sep_token": "</s>"}',
        encoding="utf-8",
    )
    for name in ("tokenizer.json", "special_tokens_map.json"):
        (folder / name).unlink(missing_ok=True)
    encoder = load_encoder(load_bert(folder))
    states = encoder.hidden_states(tokenize(encoder.bert, "the cat sat"))
    assert recipes_of(encoder, "the cat sat", states[1, -1]).best == "</s>, layer 1"
    found = recipes_of(encoder, "the cat sat", states[2, 1:-1].mean(axis=0))
    assert found.best == "mean without <s> and </s>, layer 2"
    assert "pooler" not in found.names


def test_what_is_refused(tiny_encoder: Encoder) -> None:
    def error_of(vectors: Any, *texts: str) -> str:
        with pytest.raises(UserInputError) as caught:
            recipes_of_pairs(tiny_encoder, texts or ["the cat"], vectors)
        return str(caught.value)

    good = [0.5] * 8
    for vectors in ([[1.0] * 7], good, [good, good], [["a"] * 8], [[1.0], [2.0, 3.0]], [None], []):
        assert "8 numbers" in error_of(vectors)
    assert f"1 to {MAX_PAIRS}" in error_of([good] * (MAX_PAIRS + 1), *["a"] * (MAX_PAIRS + 1))
    for bad in (0.0, np.nan, np.inf, 1e300):
        assert "Vector 2 is all zeros" in error_of([good, [bad] * 8], "the", "cat")
    with pytest.raises(TypeError, match="texts"):
        recipes_of(tiny_encoder, 5, good)  # type: ignore[arg-type]
    with pytest.raises(UserInputError, match="tokenize it again"):
        recipes_of(tiny_encoder, tokenize(load_bert("all-MiniLM-L6-v2"), "the"), good)


def test_the_bands_touch() -> None:
    assert [band.low for band in BANDS] == [0, *(band.high for band in BANDS[:-1])]
    assert [band_of(each).name for each in (0, 1e-6, 3e-3, 2)] == [
        *("float32", "bfloat16", "int8"), BANDS[-1].name,
    ]  # fmt: skip
    found = Recipes.__dataclass_fields__
    assert {"names", "cosines", "largest_difference", "length", "best", "undecided"} < set(found)
