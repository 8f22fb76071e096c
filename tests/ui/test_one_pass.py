"""A text that was changed is cut into tokens once, and goes through the model once."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from bertviz_core.bert import Bert
from bertviz_core.encoder import Encoder
from bertviz_core.shared.models import models
from bertviz_core.tokens import TokenizedText, tokenize
from bertviz_core.ui.draw import NAMED_AFTER
from bertviz_core.ui.page import PAGES
from tests.headless import open_page

# Whether the model runs. The other pages run it at the press of a button alone.
RUN = {
    "Home": 1,
    "Tokens": 0,
    "Input Embeddings": 0,
    "Nearest Neighbors": 0,
    "Word in Context": 1,
    "Sentence Vectors": 1,
    "Word Senses": 1,
}
QUERY = {"Word Senses": {"from": "my own lines", "senseword": "crane"}}
FIELDS = NAMED_AFTER | {"Word Senses": "lines"}
CHANGED = {
    "Word in Context": ["a [crane] by the lake"],  # Home has run the other one
    "Word Senses": ["a crane by the shore", "the crane lifted steel", "one crane flew"],
}
SCRIPTS = {entry.title: entry.script for entry in PAGES}


class CountingTokenizer:
    """A tokenizer that counts what it cuts into tokens."""

    def __init__(self, tokenizer: Any, cut: Counter[str]) -> None:
        self._tokenizer, self._cut = tokenizer, cut

    def encode(self, text: str, **how: Any) -> Any:
        self._cut[text] += 1
        return self._tokenizer.encode(text, **how)

    def encode_batch(self, texts: list[str]) -> Any:
        self._cut.update(texts)
        return self._tokenizer.encode_batch(texts)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tokenizer, name)


@pytest.mark.parametrize("page", RUN)
def test_one_tokenization_and_one_pass(
    page: str, minilm: Bert, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut: Counter[str] = Counter()
    passed: Counter[tuple[str, ...]] = Counter()

    def counted(run: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
        def counting(self: Encoder, texts: Sequence[TokenizedText], *more: Any) -> Iterator[Any]:
            passed.update(text.tokens for text in texts)
            return run(self, texts, *more)

        return counting

    models.encoder(minilm.name)
    app = open_page(SCRIPTS[page], **QUERY.get(page, {}))
    bert: Bert = models.bert(minilm.name)
    counting = CountingTokenizer(bert.tokenizer, cut)
    monkeypatch.setitem(bert.__dict__, "tokenizer", counting)
    monkeypatch.setattr(Encoder, "iter_batches", counted(Encoder.iter_batches))
    texts = CHANGED.get(page, ["a crane by the shore"])
    fields = [*app.text_input, *app.text_area]
    field = next(one for one in fields if one.key == FIELDS[page])
    field.set_value("\n".join(texts)).run()
    assert not app.exception
    read = [text.replace("[", "").replace("]", "") for text in texts]
    assert [cut[text] for text in read] == [1] * len(texts)
    tokens = [tokenize(models.bert(minilm.name), text).tokens for text in read]
    assert [passed[text] for text in tokens] == [RUN[page]] * len(texts)
    assert set(passed.values()) <= {1}, "nor are other texts, such as anchors, run twice"
