import numpy as np
import pytest

from bertviz_core.arrays import cosine
from bertviz_core.bert import Bert
from bertviz_core.contextual import WordInContext, word_in_context
from bertviz_core.contextual.another_row import (
    STARTS,
    OneToken,
    as_one_token,
    new_token,
    row_of,
    vectors_with_rows,
)
from bertviz_core.encoder import Encoder
from bertviz_core.views.word_in_context.another_row import another_row
from tests.views.reading import Typed, drawn, made

CAT = "the [cat] sat on the mat"
AS_DOG = Typed((CAT,), ("dog",))


def one_token(encoder: Encoder, marked: str) -> tuple[WordInContext, OneToken]:
    word = word_in_context(encoder, marked)
    return word, as_one_token(encoder.bert, word.text, word.token_positions)


@pytest.fixture(params=["minilm_encoder", "headed_encoder"])
def encoder(request: pytest.FixtureRequest) -> Encoder:
    return request.getfixturevalue(request.param)


def test_its_own_row_changes_nothing(encoder: Encoder) -> None:
    """To the last bit."""
    word, one = one_token(encoder, CAT)
    (unchanged,) = encoder.piece_vectors_many([word.text], [[one.position]])
    again = vectors_with_rows(encoder, one, one.row[None])[0]
    assert np.array_equal(again, unchanged[:, 0])


def test_equals_transformers_with_the_same_edit(encoder: Encoder) -> None:
    """The library's own table, with another row of "cat" in it."""
    import torch
    from transformers import BertModel

    bert = encoder.bert
    library = BertModel.from_pretrained(bert.checkpoint.folder).eval()
    table = library.embeddings.word_embeddings.weight.data
    cat, dog = (bert.vocabulary.ids[word] for word in ("cat", "dog"))
    half = (table[cat] + table[dog]) / 2
    word, one = one_token(encoder, CAT)
    ids = torch.tensor(word.text.input_ids)[None]
    for row in (half, table[dog].clone()):
        table[cat] = row
        with torch.no_grad():
            states = library(ids, output_hidden_states=True).hidden_states
        ours = vectors_with_rows(encoder, one, row.numpy()[None])[0]
        for theirs, mine in zip(states, ours, strict=True):
            assert mine == pytest.approx(theirs[0, one.position].numpy(), abs=1e-5)


def test_by_hand(tiny: Bert, tiny_encoder: Encoder) -> None:
    """A word in pieces, and where it stands as one token."""
    table, ids = tiny.tables.word_embeddings, tiny.vocabulary.ids
    pieces, row = row_of(tiny, "cats")
    assert pieces == ("cat", "##s")
    assert row == pytest.approx((table[ids["cat"]] + table[ids["##s"]]) / 2)
    _, one = one_token(tiny_encoder, "the [cats] sat")
    assert one.text.tokens == ("[CLS]", "the", "cat", "sat", "[SEP]")
    assert (one.position, one.text.position_ids.tolist()) == (2, [0, 1, 2, 3, 4])
    assert one.row.tolist() == row.tolist()


def test_the_view_shows_them(minilm_encoder: Encoder) -> None:
    view = made(another_row, minilm_encoder, AS_DOG, 3)
    word, dogs = (word_in_context(minilm_encoder, one) for one in (CAT, "the [dog] sat on the mat"))
    to_dog = cosine(word.vectors, dogs.vectors)
    assert drawn(view, "another-row") == pytest.approx(to_dog, abs=1e-5)
    assert view.values["kept"] == f"{to_dog[3]:.2f}"
    alone = cosine(word_in_context(minilm_encoder, "cat").vectors[3], word.vectors[3])
    assert (view.values["alone"], view.values["stronger"]) == (f"{alone:.2f}", "row")


@pytest.mark.parametrize("start", ["mean of all rows", "mean of its pieces"])
def test_equals_a_token_that_transformers_adds(minilm_encoder: Encoder, start: str) -> None:
    """The tokenizer gets the word, the table a row; what it was is read from the library too."""
    import torch
    from transformers import BertModel, BertTokenizer

    folder = minilm_encoder.bert.checkpoint.folder
    tokenizer = BertTokenizer.from_pretrained(folder)
    library = BertModel.from_pretrained(folder).eval()
    pieces = tokenizer.convert_tokens_to_ids(["chat", "##bot"])

    def run(kept: list[int]) -> np.ndarray:
        with torch.no_grad():
            ids = tokenizer("I love my chatbot", return_tensors="pt")["input_ids"]
            found = library(ids, output_hidden_states=True).hidden_states
        return torch.stack(found)[:, 0, kept].mean(dim=1).numpy()

    before = run([4, 5])
    table = library.embeddings.word_embeddings.weight.data
    ordinary = minilm_encoder.bert.vocabulary.is_ordinary
    row = table[pieces].mean(dim=0) if "pieces" in start else table[ordinary].mean(dim=0)
    tokenizer.add_tokens(["chatbot"])
    library.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    library.embeddings.word_embeddings.weight.data[-1] = row
    found = new_token(minilm_encoder, word_in_context(minilm_encoder, "I love my [chatbot]"))
    assert found[STARTS.index(start)] == pytest.approx(cosine(run([4]), before), abs=1e-5)


def test_a_word_of_one_piece_keeps_its_row(minilm_encoder: Encoder) -> None:
    """The mean of its pieces is its own row: nothing changes."""
    found = new_token(minilm_encoder, word_in_context(minilm_encoder, "I love my [dog]"))
    assert found[-1] == pytest.approx(1, abs=1e-6)
