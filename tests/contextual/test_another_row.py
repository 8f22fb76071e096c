from typing import Any

import numpy as np
import pytest

from bertviz_core.arrays import cosine
from bertviz_core.bert import Bert
from bertviz_core.contextual import WordInContext, word_in_context
from bertviz_core.contextual.another_row import (
    OneToken,
    as_one_token,
    row_of,
    rows_between,
    vectors_with_rows,
)
from bertviz_core.encoder import Encoder
from bertviz_core.views.word_in_context.another_row import PERCENT, another_row
from bertviz_core.views.word_in_context.words import Comparison

CAT = "the [cat] sat on the mat"
AS_DOG = Comparison((CAT,), ("dog",))


def one_token(encoder: Encoder, marked: str) -> tuple[WordInContext, OneToken]:
    word = word_in_context(encoder, marked)
    return word, as_one_token(encoder.bert, word.text, word.token_positions)


@pytest.fixture(params=["minilm_encoder", "headed_encoder"])
def encoder(request: pytest.FixtureRequest) -> Encoder:
    return request.getfixturevalue(request.param)


def test_its_own_row_changes_nothing(encoder: Encoder) -> None:
    """To the last bit."""
    word, one = one_token(encoder, CAT)
    unchanged = encoder.hidden_states(word.text)
    others = [i for i in range(len(word.text)) if i != one.position]
    again = vectors_with_rows(encoder, one, one.row[None], others)[0]
    assert np.array_equal(again, unchanged[:, [one.position, *others]])


@pytest.mark.parametrize("share", [0.5, 1])
def test_equals_transformers_with_the_same_edit(encoder: Encoder, share: float) -> None:
    """The library's own table, with another row of "cat" in it."""
    import torch
    from transformers import BertModel

    bert = encoder.bert
    library = BertModel.from_pretrained(bert.checkpoint.folder).eval()
    table = library.embeddings.word_embeddings.weight.data
    cat, dog = (bert.vocabulary.ids[word] for word in ("cat", "dog"))
    table[cat] = (1 - share) * table[cat] + share * table[dog]
    word, one = one_token(encoder, CAT)
    with torch.no_grad():
        ids = torch.tensor(word.text.input_ids)[None]
        states = library(ids, output_hidden_states=True).hidden_states
    rows = rows_between(one.row, row_of(bert, "dog")[1], 3)
    ours = vectors_with_rows(encoder, one, rows, [0])[:, :, 0]
    for theirs, mine in zip(states, ours[round(2 * share)], strict=True):
        assert mine == pytest.approx(theirs[0, one.position].numpy(), abs=1e-5)


def test_by_hand(tiny: Bert, tiny_encoder: Encoder) -> None:
    """A row half-way, a word in pieces, and where it stands as one token."""
    rows = rows_between(np.float32([1, 0.1]), np.float32([3, 0.3]), 3)
    assert np.array_equal(rows[[0, 2]], np.float32([[1, 0.1], [3, 0.3]]))
    assert rows[1] == pytest.approx([2, 0.2])
    table, ids = tiny.tables.word_embeddings, tiny.vocabulary.ids
    pieces, row = row_of(tiny, "cats")
    assert pieces == ("cat", "##s")
    assert row == pytest.approx((table[ids["cat"]] + table[ids["##s"]]) / 2)
    _, one = one_token(tiny_encoder, "the [cats] sat")
    assert one.text.tokens == ("[CLS]", "the", "cat", "sat", "[SEP]")
    assert (one.position, one.text.position_ids.tolist()) == (2, [0, 1, 2, 3, 4])
    assert one.row.tolist() == row.tolist()


def test_the_view_shows_them(minilm_encoder: Encoder) -> None:
    view = another_row(minilm_encoder, AS_DOG, 3)
    word, dogs = (word_in_context(minilm_encoder, one) for one in (CAT, "the [dog] sat on the mat"))
    to_dog = cosine(word.vectors, dogs.vectors)
    to_itself, to_other = (
        view.to_frame()[f"similarity to {what}"].to_numpy().reshape(len(PERCENT), -1)
        for what in ("itself", "the other")
    )
    assert np.stack([to_itself[0], to_other[-1]]) == pytest.approx(1, abs=1e-6)
    assert np.stack([to_itself[-1], to_other[0]]) == pytest.approx(np.stack([to_dog] * 2), abs=1e-5)
    assert view.values["kept"] == f"{to_dog[3]:.2f}"
    alone = cosine(word_in_context(minilm_encoder, "cat").vectors[3], word.vectors[3])
    assert (view.values["alone"], view.values["stronger"]) == (f"{alone:.2f}", "row")
    figure = view.pictures["another-row"].figure
    assert [frame["name"] for frame in figure.played] == [str(at) for at in range(len(PERCENT))]
    assert figure.played[-1]["data"][2]["x"].tolist() == figure._data[2]["x"].tolist()


def test_what_else_is_said(minilm_encoder: Encoder) -> None:
    same = another_row(minilm_encoder, AS_DOG, 3, other="cat")
    assert same.values["change"] == "0"
    buried = Comparison(("dog " * 60 + "[dog]",))
    assert another_row(minilm_encoder, buried, 6, other="canine").values["stronger"] == "sentence"
    split = another_row(minilm_encoder, Comparison(("[awesomesauce]",)), 6, other="sauce")
    assert split.values["count"] == 3
    assert "alone" not in split.values


def test_the_head_predicts_from_the_other_row(headed_encoder: Encoder) -> None:
    import torch
    from transformers import BertForMaskedLM

    bert = headed_encoder.bert
    model: Any = BertForMaskedLM.from_pretrained(bert.checkpoint.folder).eval()
    view = another_row(headed_encoder, AS_DOG, 2)
    word, one = one_token(headed_encoder, CAT)
    with torch.no_grad():
        rows = model.bert.embeddings.word_embeddings(torch.tensor(word.text.input_ids))
        rows[one.position] = torch.tensor(row_of(bert, "dog")[1])
        likely = model(inputs_embeds=rows[None]).logits[0, one.position].softmax(dim=0)
    assert view.values["other_token"] == bert.vocabulary.tokens[int(likely.argmax())]
    drawn = view.pictures["another-row"].figure._data[4]["x"]
    assert drawn == pytest.approx(likely.sort(descending=True).values[:5].numpy(), abs=1e-5)
