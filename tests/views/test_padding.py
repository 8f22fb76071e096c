"""Padding: the numbers of the section, by transformers' own model on a padded batch."""

from typing import Any

import numpy as np
import pytest

from bertviz_core.arrays import cosine
from bertviz_core.calibration import calibration_sentences
from bertviz_core.contextual.padding import _padded
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.tokens import InputText, tokenize
from bertviz_core.views.tokens.padding import padding


def of_the_library(encoder: Encoder, ids: list[int], pads: int, *, masked: bool) -> Any:
    """Largest difference from the ids alone, by layer; attention (layers, asking, asked)."""
    import torch
    from transformers import BertModel

    folder = encoder.bert.checkpoint.folder
    model = BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    alone, padded = torch.tensor([ids]), torch.tensor([ids + [0] * pads])
    mask = {"attention_mask": (torch.arange(len(ids) + pads) < len(ids)).long()[None]}
    with torch.no_grad():
        expected = torch.stack(model(alone, output_hidden_states=True).hidden_states)
        found = model(
            padded, output_hidden_states=True, output_attentions=True, **(mask if masked else {})
        )
    states = torch.stack(found.hidden_states)[:, 0, : len(ids)]
    differences = (states - expected[:, 0]).abs().amax(dim=(1, 2)).numpy()
    return differences, torch.stack(found.attentions)[:, 0].mean(dim=1).numpy()


@pytest.mark.parametrize("name", ["minilm_encoder", "tiny_encoder"])
def test_it_is_what_transformers_gives(name: str, request: pytest.FixtureRequest) -> None:
    encoder: Encoder = request.getfixturevalue(name)
    view = padding(encoder, "the cat sat on the mat", 3)
    layers = view.to_frame()
    ids = tokenize(encoder.bert, "the cat sat on the mat").input_ids.tolist()
    for masked, number in ((True, 1), (False, 2)):
        differences, attention = of_the_library(encoder, ids, 3, masked=masked)
        assert np.abs(layers.iloc[:, number] - differences).max() < 1e-5
        if masked:
            most = attention[:, 8:].mean(axis=(0, 1)).argmax()
            assert ids[most] == encoder.bert.vocabulary.ids[str(view.values["most"])]
    given = attention[:, :8, 8:].sum(axis=2).mean(axis=1)
    assert np.abs(layers.iloc[1:, 3].astype(float) - given).max() < 1e-5
    assert float(str(view.values["masked"])) < 1e-5 < 0.01 < float(str(view.values["unmasked"]))


def test_a_text_without_room_is_refused_and_one_with_little_gets_less(
    tiny_encoder: Encoder, minilm_encoder: Encoder
) -> None:
    assert padding(tiny_encoder, "cat " * 12, 9).values["count"] == 2  # of 16 positions
    assert padding(minilm_encoder, InputText("cat", "dog"), 64).values["tokens"] == 5
    for encoder in (tiny_encoder, minilm_encoder):
        with pytest.raises(UserInputError):
            padding(encoder, "cat " * 600)


def test_of_many_sentences_without_the_mask(minilm_encoder: Encoder) -> None:
    """What docs/questions.md says of them: one text is one case."""
    sentences = calibration_sentences()[::3]
    texts = [tokenize(minilm_encoder.bert, sentence) for sentence in sentences]
    padded = [_padded(minilm_encoder, text, 4, mask=1) for text in texts]
    both = map(minilm_encoder.hidden_states_many, (texts, padded))
    means = [
        [states[-1][: len(text)].mean(axis=0) for states, text in zip(one, texts, strict=True)]
        for one in both
    ]
    cosines = cosine(*map(np.stack, means))
    assert (len(texts), cosines.min().round(2), np.median(cosines).round(2)) == (144, 0.93, 0.97)


def test_the_row_of_padding_has_a_gradient_only_as_an_output(headed_encoder: Encoder) -> None:
    """`padding_idx` stops that of the look-up; the head for masked words shares the table."""
    import torch
    from transformers import BertForMaskedLM

    model = BertForMaskedLM.from_pretrained(headed_encoder.bert.checkpoint.folder)
    table = model.bert.embeddings.word_embeddings
    assert table.padding_idx == 0
    assert model.cls.predictions.decoder.weight is table.weight
    ids = torch.tensor([[4, 8, 5, 0, 0]])
    gradients = [
        torch.autograd.grad(loss, table.weight)[0][0]
        for loss in (model.bert(ids).last_hidden_state.square().sum(), model(ids, labels=ids).loss)
    ]
    assert [bool(gradient.any()) for gradient in gradients] == [False, True]
