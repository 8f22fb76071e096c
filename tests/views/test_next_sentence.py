"""The head for the next sentence, as a view: its numbers are transformers'."""

from pathlib import Path

import numpy as np
import pytest

from bertviz_core.bert import load_bert
from bertviz_core.checkpoints.catalog import BUILT_IN, RANDOM, with_both_heads
from bertviz_core.checkpoints.checkpoint import SETTINGS
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.encoder.next_sentence import lacking
from bertviz_core.errors import UserInputError
from bertviz_core.shared import results
from bertviz_core.views.positions_and_segments.segments import next_sentence, segments
from tests.data.damage import change_weights, remove_tensors
from tests.data.odd_checkpoints import as_numbers, both, file, named
from tests.tiny import write_checkpoint
from tests.views.test_programs import compare_programs

TEXTS = ("the cat sat on", "a mat.", "i love code")
WEIGHT, BIAS = "cls.seq_relationship.weight", "cls.seq_relationship.bias"


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A checkpoint with both heads that a test may change."""
    results.forget()
    return write_checkpoint(tmp_path / "mine", all_heads=True)


def test_equals_the_library(headed_encoder: Encoder) -> None:
    import torch
    from transformers import BertForNextSentencePrediction, BertForPreTraining, BertTokenizer

    folder = headed_encoder.bert.checkpoint.folder
    tokenizer = BertTokenizer.from_pretrained(folder)
    a, b, c = TEXTS
    pair, turned, other = (tokenizer(*two, return_tensors="pt") for two in ((a, b), (b, a), (a, c)))
    segments = pair["token_type_ids"]
    runs = [pair, turned, *({**pair, "token_type_ids": s} for s in (1 - segments, 0 * segments))]
    view = next_sentence(headed_encoder, *TEXTS)
    compare_programs(view, headed_encoder)
    frame = view.to_frame()
    for kind in (BertForNextSentencePrediction, BertForPreTraining):
        model = kind.from_pretrained(folder).eval()
        with torch.no_grad():
            given = [model(**inputs) for inputs in (*runs, other)]
        logits = torch.cat([g.get("logits", g.get("seq_relationship_logits")) for g in given])
        np.testing.assert_allclose(frame.iloc[:, 2:4], logits.numpy(), atol=1e-5)
        likely = logits.softmax(dim=1)[:, 0].numpy()
        np.testing.assert_allclose(frame["probability that it follows"], likely, atol=1e-5)
    said = str(BertForNextSentencePrediction.forward.__doc__)
    assert "- 0 indicates sequence B is a continuation of sequence A" in said


def test_the_program_reads_a_wrapped_model(mine: Path) -> None:
    both(as_numbers("float16"), file(SETTINGS, dtype="float16"), named("module."))(mine)
    encoder = load_encoder(load_bert(mine))
    compare_programs(next_sentence(encoder, *TEXTS), encoder)


def test_label_0_says_that_it_follows(mine: Path) -> None:
    """By hand: without weights the biases are the logits, and e to the ln 3 is 3 to 1."""
    three = np.float32([np.log(3), 0])
    change_weights(mine, lambda t: t | {WEIGHT: 0 * t[WEIGHT], BIAS: three})
    view = next_sentence(load_encoder(load_bert(mine)), *TEXTS)
    assert view.to_frame()["probability that it follows"].to_numpy() == pytest.approx(0.75)
    names = ("pair", "tells", "by_text", "counts")
    assert [view.values[name] for name in names] == ["75%", "does not tell", 0, "segments"]


def test_texts_told_apart(mine: Path) -> None:
    """With one half between the scores of both texts, the one with the higher score follows."""
    a, b, c = TEXTS
    scores = next_sentence(load_encoder(load_bert(mine)), *TEXTS).to_frame()["score"]
    middle = np.float32([scores.iloc[[0, -1]].mean(), 0])
    change_weights(mine, lambda t: t | {BIAS: t[BIAS] - middle})
    encoder = load_encoder(load_bert(mine))
    tells = [next_sentence(encoder, a, *two).values["tells"] for two in ((b, c), (c, b))]
    assert tells == ["tells", "does not tell"][:: 1 if scores[0] > scores[4] else -1]


def test_what_is_missing(mine: Path, minilm_encoder: Encoder) -> None:
    names = [name for name in BUILT_IN if name.startswith("bert-")]
    assert with_both_heads({}) == names
    assert with_both_heads({"BERTVIZ_MODELS": f"{names[0]}=/mine"}) == names[1:], "unknown files"
    assert not next_sentence.when({"bert": minilm_encoder.bert})
    view = segments(minilm_encoder.bert)
    assert (view.values["missing_tensors"], RANDOM in str(view.values["having"])) == (2, False)
    assert all(name in str(view.values["having"]) for name in names)
    with pytest.raises(UserInputError, match="another text"):
        next_sentence(load_encoder(load_bert(mine)), "the cat", " ", "a")
    remove_tensors(mine, "bert.pooler.dense.bias")
    damaged = next_sentence(load_encoder(load_bert(mine)), *TEXTS)
    assert "no pooler.dense.bias" in str(damaged.values["problem"])
    remove_tensors(mine, BIAS)
    assert lacking(load_bert(mine)) == (BIAS,)
