"""Every claim, judged for the embedded model and for a random BERT; the numbers by other ways."""

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from string import Formatter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bertviz_core import claims
from bertviz_core.bert import Bert
from bertviz_core.calibration import Scales
from bertviz_core.calibration.percentiles import percent
from bertviz_core.claims import Claim, Verdict, layers
from bertviz_core.embeddings.embedding_layer import PART_NAMES
from bertviz_core.encoder import Encoder
from bertviz_core.positions.table import sinusoidal_table
from bertviz_core.showable import filled

CLAIMS = {
    name: claim
    for module in iter_modules(claims.__path__, f"{claims.__name__}.")
    for name, claim in vars(import_module(module.name)).items()
    if isinstance(claim, Claim)
}
assert len(CLAIMS) >= 14
# Where the sentence for "holds" is shown; the other one elsewhere.
HOLDS = {
    "all-MiniLM-L6-v2": {*CLAIMS},
    "tiny-bert": {
        *("FIRST_VECTOR", "ONE_SUM", "POSITIONS", "PARAMETERS", "POOLED", "ONE_STEP"),
    },
}
Judge = Callable[[Claim, Bert], Verdict]


def said_of(claim: Claim, verdict: Verdict) -> str:
    """What a page says of a model."""
    return filled(claim.template(verdict), verdict.numbers, lambda text, name: text)


@pytest.fixture(scope="module")
def judge(minilm_encoder: Encoder, tiny_encoder: Encoder, scales: Scales) -> Judge:
    """The verdict of a claim; of the embedded model's cosines as they were measured."""

    @cache
    def judged(claim: Claim, bert: Bert) -> Verdict:
        encoder, scale = minilm_encoder, scales
        if bert is tiny_encoder.bert:
            encoder, scale = tiny_encoder, Scales({})
        given = {"tables": bert, "layers": encoder, "calibration": scale}
        return claim.condition(given[claim.needs])

    return judged


@pytest.mark.parametrize("name", CLAIMS)
def test_which_hold_and_what_is_said(name: str, judge: Judge, minilm: Bert, tiny: Bert) -> None:
    """Both sentences can be filled in with the numbers of either model."""
    claim = CLAIMS[name]
    for bert in (minilm, tiny):
        verdict = judge(claim, bert)
        assert bool(verdict.holds) == (name in HOLDS[bert.name])
        said = [claim.absent] if verdict.holds is None else [claim.holds, claim.otherwise]
        for template in said:
            names = {name for _, name, _, _ in Formatter().parse(template) if name}
            assert names <= set(verdict.numbers)
        sentence = said_of(claim, verdict)
        assert "nan" not in re.split(r"\W", sentence)
        assert sentence.startswith(claim.template(verdict)[:8])


def numbers(judge: Judge, name: str, bert: Bert) -> dict[str, Any]:
    return dict(judge(CLAIMS[name], bert).numbers)


def test_the_tables_numbers(judge: Judge, minilm: Bert) -> None:
    found = numbers(judge, "FIRST_VECTOR", minilm)
    # 70%: what Input Embeddings says of [CLS], held to the weights in tests of shares.
    assert found["of_position"] == pytest.approx(0.7026, abs=1e-4)
    assert sum(found[f"of_{part}"] for part in PART_NAMES) == pytest.approx(1)
    assert numbers(judge, "UNKNOWN_WORD", minilm) == {
        "pieces": "awesome ##sau ##ce", "longest": 100,
    }  # fmt: skip
    found = numbers(judge, "PARAMETERS", minilm)
    assert (found["total"], found["matrices"]) == (109_482_240, 109_360_128)
    assert found["counted"] == 22_713_216
    assert numbers(judge, "NEAREST", minilm) == {
        "dog": "dogs", "left": "right", "monday": "tuesday",
        "closest": "dogs canine puppy",
    }  # fmt: skip
    found = numbers(judge, "LOW_IDS", minilm)
    assert found["often"] < 3_000 < 10_000 < found["middle"]
    found = numbers(judge, "ONE_STEP", minilm)
    # [CLS] the king spoke to queen [SEP], on 8 positions and in one segment
    assert found == {
        "still": 30522 - 7, "token_rows": 30522, "token_moved": 7, "position_rows": 512,
        "position_moved": 8, "segment_rows": 2, "segment_moved": 1,
    }  # fmt: skip


def test_learned_positions_are_not_sinusoids(judge: Judge, minilm: Bert) -> None:
    assert numbers(judge, "POSITIONS", minilm) == {"correlation": pytest.approx(0.43, abs=0.005)}
    waves = SimpleNamespace(tables=SimpleNamespace(position_embeddings=sinusoidal_table(64, 32)))
    verdict = CLAIMS["POSITIONS"].condition(waves)
    assert not verdict.holds
    assert verdict.numbers["correlation"] == pytest.approx(1)


def test_what_a_model_lacks_is_said_without_numbers() -> None:
    short = SimpleNamespace(tables=SimpleNamespace(position_embeddings=np.ones((2, 8))))
    verdict = CLAIMS["POSITIONS"].condition(short)
    assert verdict.holds is None
    assert "2 positions" in said_of(CLAIMS["POSITIONS"], verdict)
    claim = CLAIMS["POOLED"]
    without_pooler = claim.condition(SimpleNamespace(has_pooler=False))
    assert said_of(claim, without_pooler) == claim.absent != ""


def test_python_is_further_apart_than_other_nouns(judge: Judge, minilm: Bert) -> None:
    """And than sentences of one meaning; two words' leans of two sentences add up to 0."""
    found = numbers(judge, "TWO_MEANINGS", minilm)
    assert (found["first"], found["layers"]) == (1, 6)
    assert found["count"] == 64
    assert (found["furthest"], round(found["most"], 3)) == ("fox", 0.245)
    assert found["nouns"] == pytest.approx(0.18, abs=0.02)
    assert found["same_sense"] == pytest.approx(0.14, abs=5e-3)
    assert found["apart"] == pytest.approx(2 * found["lean"], abs=1e-6)
    assert found["apart"] == pytest.approx(0.383, abs=1e-3)


@pytest.mark.parametrize("word", ["peach", "planet", "hamster"])
def test_a_word_with_one_meaning_does_not_mean_two_things(
    word: str, minilm_encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each leans to snake as a pet and to programming in coding, as python does."""
    monkeypatch.setattr(layers, "WORD", word)
    found = CLAIMS["TWO_MEANINGS"].condition(minilm_encoder)
    assert found.numbers["lean"] > 0
    assert not found.holds


def test_a_cosine_of_06(judge: Judge, minilm: Bert, scales: Scales) -> None:
    """It is read on both scales of the model, at every layer."""
    found = numbers(judge, "HIGH_COSINE", minilm)
    every = [own.percentile(0.6, at) for own in scales.by_kind.values() for at in range(7)]
    assert len(every) == 14
    assert found["worth_low"] == percent(min(every)) == "99.9"
    for holds, worth in ((True, 96.2), (False, 30)):
        scale = SimpleNamespace(quantiles=range(3), percentile=lambda *_, worth=worth: worth)
        verdict = CLAIMS["HIGH_COSINE"].condition(Scales({False: scale}))
        assert verdict.holds is holds
        assert verdict.numbers["worth_low"] == verdict.numbers["worth_high"] == percent(worth)
