"""The model of a checkpoint, loaded: hidden states, embedding layer and pooler."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bertviz_core.arrays import Array, read_only
from bertviz_core.encoder.batches import (
    Pooling,
    batch_tensors,
    batches_by_length,
    embedding_tensors,
    pooled_words,
    to_numpy,
    tokens_a_batch,
    wanted_pieces,
)
from bertviz_core.encoder.forward import ForwardPass
from bertviz_core.encoder.library import library_model
from bertviz_core.encoder.weights import POOLER, forward_pass, read_parameters
from bertviz_core.errors import ModelUnavailableError

if TYPE_CHECKING:
    import torch

    from bertviz_core.bert import Bert
    from bertviz_core.tokens import TokenizedText


class Encoder:
    """The model of a checkpoint, ready to run; safe to share between threads.

    Attributes:
        bert: The checkpoint it belongs to.
        has_pooler: Whether the checkpoint holds a trained pooler.
    """

    def __init__(
        self, bert: "Bert", parameters: "Mapping[str, torch.Tensor]", layers: ForwardPass
    ) -> None:
        self.bert = bert
        self.has_pooler = all(name in parameters for name in POOLER)
        self._parameters = parameters
        self._layers = layers
        self._model: Any = None
        self._one_loads = threading.Lock()
        self._batch_tokens = tokens_a_batch(bert.hidden_size, bert.num_hidden_layers + 1)

    @property
    def model(self) -> Any:
        """The library's own model, `transformers.BertModel` in eval mode, loaded when first used.

        Hidden states do not need it. Both have the same tensors.

        Raises:
            ModelUnavailableError: transformers refuses the checkpoint.
        """
        with self._one_loads:
            if self._model is None:
                self._model = library_model(self.bert, self._parameters)
        return self._model

    @property
    def model_in_memory(self) -> bool:
        """Whether `model` is loaded already, so that nobody has to wait for it."""
        return self._model is not None

    def hidden_states(self, text: "TokenizedText") -> Array:
        """Run one text through the model.

        Args:
            text: seq_len tokens, from `tokenize` for the same checkpoint.

        Returns:
            float32 (num_hidden_layers + 1, seq_len, hidden_size), read-only; [0] is the input
            embedding, [n] stands after layer n.

        Raises:
            UserInputError: `text` was tokenized for another checkpoint.

        References:
            `BertModel(..., output_hidden_states=True).hidden_states`.
        """
        return self.hidden_states_many([text])[0]

    def hidden_states_many(self, texts: Sequence["TokenizedText"]) -> list[Array]:
        """Run many texts, in batches of similar length so that little is padded.

        Args:
            texts: Each as for `hidden_states`.

        Returns:
            One array as of `hidden_states` for each text, in the order given. Texts that share a
            batch differ from lone ones by rounding, up to about 1e-6.
        """
        results: list[Array] = [np.empty(0, np.float32)] * len(texts)
        for index, states in self.iter_hidden_states(texts):
            results[index] = states
        return results

    def iter_hidden_states(self, texts: Sequence["TokenizedText"]) -> Iterator[tuple[int, Array]]:
        """Do `hidden_states_many` one batch at a time, so that memory grows with the batch only.

        Args:
            texts: Each as for `hidden_states`.

        Yields:
            Index in `texts` and array as of `hidden_states`; longest texts first.
        """
        self._check(texts)
        for batch in batches_by_length(texts, self._batch_tokens):
            yield from zip(batch, self._run([texts[index] for index in batch]), strict=True)

    def word_vectors_many(
        self,
        texts: Sequence["TokenizedText"],
        words: Sequence[Sequence[Sequence[int]]],
        pooling: Pooling = "mean",
    ) -> Array:
        """Run many texts and keep the vectors of some of their words only.

        Args:
            texts: Each as for `hidden_states`.
            words: For each text its words, for each word the positions of its pieces.
            pooling: How the pieces of a word become one vector: "mean", "first", "last", "max".

        Returns:
            float32 (n, num_hidden_layers + 1, hidden_size), read-only; one row for each of the n
            words, in the order given.

        Raises:
            UserInputError: A text was tokenized for another checkpoint.
            ValueError: There is not one list of words a text, or a word has no piece in its text.
        """
        count = sum(map(len, words))
        layers, hidden_size = self.bert.num_hidden_layers + 1, self.bert.hidden_size
        results = np.empty((count, layers, hidden_size), np.float32)
        for rows, vectors in self.iter_word_vectors(texts, words, pooling):
            results[rows] = vectors
        return read_only(results)

    def iter_word_vectors(
        self,
        texts: Sequence["TokenizedText"],
        words: Sequence[Sequence[Sequence[int]]],
        pooling: Pooling = "mean",
    ) -> Iterator[tuple[list[int], Array]]:
        """Do `word_vectors_many` one batch at a time.

        Args:
            texts: As for `word_vectors_many`.
            words: As for `word_vectors_many`.
            pooling: As for `word_vectors_many`.

        Yields:
            Rows of its result, and the vectors that belong there: the model runs once for each.

        Raises:
            UserInputError: As for `word_vectors_many`.
            ValueError: As for `word_vectors_many`.
        """
        import torch

        self._check(texts)
        _check_words(texts, words)
        first = np.cumsum([0, *map(len, words)]).tolist()
        with_words = [index for index in range(len(texts)) if words[index]]
        for group in batches_by_length([texts[i] for i in with_words], self._batch_tokens):
            batch_texts = [with_words[i] for i in group]
            result_rows = [row for i in batch_texts for row in range(first[i], first[i + 1])]
            wanted = wanted_pieces(
                [(row, word) for row, i in enumerate(batch_texts) for word in words[i]], pooling
            )
            rows = torch.tensor([row for row, pieces in wanted for _ in pieces])
            positions = torch.tensor([position for _, pieces in wanted for position in pieces])
            lengths = torch.tensor([len(pieces) for _, pieces in wanted])
            with torch.inference_mode():
                batch = batch_tensors([texts[i] for i in batch_texts])
                picked = self._layers.picked_states(batch, rows, positions)
                vectors = pooled_words(picked, lengths, pooling)
            yield result_rows, self._finite(vectors)

    def embedding_layer(self, text: "TokenizedText") -> Array:
        """What the model's own embedding module returns, in eval mode.

        Returns:
            float32 (seq_len, hidden_size), from `BertModel.embeddings(...)`.

        Raises:
            UserInputError: `text` was tokenized for another checkpoint.
            ModelUnavailableError: transformers refuses the checkpoint.
        """
        import torch

        self._check([text])
        with torch.inference_mode():
            output = self.model.embeddings(**embedding_tensors(text))
        return self._finite(to_numpy(output[0]))

    def pooled(self, text: "TokenizedText") -> Array:
        """The pooler's output: tanh of a dense layer over the last [CLS] vector.

        Returns:
            float32 (hidden_size,), in (-1, 1); `BertModel(...).pooler_output`.

        Raises:
            ModelUnavailableError: The checkpoint holds no trained pooler, or transformers refuses
                it.
            UserInputError: `text` was tokenized for another checkpoint.
        """
        import torch

        if not self.has_pooler:
            raise ModelUnavailableError(
                f"{self.bert.checkpoint.weights.name} of {self.bert.name} has no pooler."
            )
        self._check([text])
        with torch.inference_mode():
            output = self.model(**batch_tensors([text]))
        return self._finite(to_numpy(output.pooler_output[0]))

    def _check(self, texts: Sequence["TokenizedText"]) -> None:
        for text in texts:
            text.check_for(self.bert)

    def _finite(self, states: Array) -> Array:
        # The ends tell it without an array of their size.
        if not np.isfinite([states.min(), states.max()]).all():
            raise ModelUnavailableError(
                f"{self.bert.name} gives numbers that are not finite: the weights in "
                f"{self.bert.checkpoint.weights.name} are none of a trained BERT."
            )
        return states

    def _run(self, texts: list["TokenizedText"]) -> list[Array]:
        import torch

        with torch.inference_mode():
            layers = self._layers.all_states(batch_tensors(texts))
            return [
                # (layers + 1, len(text), hidden_size), without the padding: the only copy made
                self._finite(to_numpy(torch.stack([states[row, : len(text)] for states in layers])))
                for row, text in enumerate(texts)
            ]


def load_encoder(bert: "Bert") -> Encoder:
    """Load the layers of a checkpoint from its safetensors file.

    Args:
        bert: An opened checkpoint.

    Returns:
        The encoder; its weights are float32 and mapped from the file where it stores float32.

    Raises:
        ModelUnavailableError: The file lacks weights of the encoder, or holds some of another
            shape than `config.json` says.
    """
    parameters = read_parameters(bert)
    return Encoder(bert, parameters, forward_pass(bert, parameters))


def _check_words(
    texts: Sequence["TokenizedText"], words: Sequence[Sequence[Sequence[int]]]
) -> None:
    if len(texts) != len(words):
        raise ValueError(f"{len(texts)} texts, but words of {len(words)}")
    for text, wanted in zip(texts, words, strict=True):
        for pieces in wanted:
            if not pieces or min(pieces) < 0 or max(pieces) >= len(text):
                raise ValueError(f"pieces at {list(pieces)} of a text of {len(text)} tokens")
