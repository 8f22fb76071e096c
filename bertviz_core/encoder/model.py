"""The loaded model of a checkpoint: hidden states, embedding layer and pooler."""

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from bertviz_core.arrays import Array, Ids, frozen
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.parameters import POOLER, count_parameters
from bertviz_core.checkpoints.weights import read_tensors
from bertviz_core.encoder.devices import chosen_device, on_device, too_little_memory
from bertviz_core.encoder.forward import (
    BATCH_TOKENS,
    ForwardPass,
    batch_tensors,
    batches_by_length,
)
from bertviz_core.errors import ModelUnavailableError, expect, extras_named
from bertviz_core.result import Readable
from bertviz_core.tokens import TokenizedText
from bertviz_core.tokens.tokenized_text import check_each

_log = logging.getLogger(__name__)
Turn = Callable[[], AbstractContextManager[None]]  # the right to use the encoder for a moment
BATCH_BYTES = 24_000_000  # of hidden states: a batch of a large model has fewer tokens
# A GPU needs more. BERT-base's hidden states of such a batch take 0.7 GB of its memory.
GPU_BATCH_TOKENS = 16_384
_LIBRARY_SETTINGS = (
    *("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads"),
    *("intermediate_size", "hidden_act", "max_position_embeddings", "type_vocab_size"),
    *("layer_norm_eps", "pad_token_id"),
)


class Encoder(Readable):
    """The model of a checkpoint, ready to run; safe to share between threads.

    Attributes:
        bert: The checkpoint it belongs to.
        has_pooler: Whether the checkpoint holds a pooler.
        device: Where hidden states are computed: "cpu", "cuda:0".
        batch_tokens: How many tokens run at once on its device at most, with padding.
    """

    def __init__(self, bert: Bert, device: str) -> None:
        """Read the parameters in float32 to the CPU; another device gets a copy."""
        shapes = {one.name: one.shape for one in count_parameters(bert.checkpoint).parameters}
        self.bert, self.device = bert, device
        self.has_pooler = POOLER[0] in shapes
        self._parameters = read_tensors(bert.checkpoint, shapes, "pt")
        self._running = ForwardPass(bert, on_device(self._parameters, device))
        self._model: Any = None
        self._one_loads = threading.Lock()
        token_bytes = 4 * bert.hidden_size * (bert.num_hidden_layers + 1)
        fitting = min(BATCH_TOKENS, BATCH_BYTES // token_bytes)
        self.batch_tokens = fitting if device == "cpu" else GPU_BATCH_TOKENS

    @property
    def model(self) -> Any:
        """The library's own model, `transformers.BertModel` in eval mode, loaded when first used.

        Hidden states do not need it. It shares the tensors, so nothing is in memory twice.
        """
        with self._one_loads:
            if self._model is None:
                self._model = _library_model(self.bert, self._parameters)
        return self._model

    def hidden_states(self, text: TokenizedText) -> Array:
        """Run one text through the model.

        Args:
            text: seq_len tokens, from `tokenize` for the same checkpoint.

        Returns:
            float32 (num_hidden_layers + 1, seq_len, hidden_size), read-only; [0] is the input
            embedding, [n] the output of layer n.

        Raises:
            UserInputError: `text` was tokenized for another checkpoint.

        References:
            `BertModel(..., output_hidden_states=True).hidden_states`.

        Example:
            >>> from bertviz_core.tokens import tokenize
            >>> encoder.hidden_states(tokenize(bert, "I love pythons")).shape
            (7, 6, 384)
        """
        text = expect(text, TokenizedText, "a TokenizedText, from tokenize")
        return self.hidden_states_many([text])[0]

    def hidden_states_many(self, texts: Sequence[TokenizedText]) -> list[Array]:
        """`hidden_states` of many texts, in batches; they differ by rounding, up to about 1e-6."""
        texts = check_each(texts, self.bert)
        return self.piece_vectors_many(texts, [range(len(text)) for text in texts])

    def piece_vectors_many(
        self, texts: Sequence[TokenizedText], words: Sequence[Sequence[int]]
    ) -> list[Array]:
        """The vectors of one word's pieces in each text: (layers + 1, pieces, hidden_size) each."""
        vectors = {index: frozen(pieces) for index, pieces in self.iter_texts(texts, words)}
        return [vectors[index] for index in range(len(texts))]

    def iter_texts(
        self,
        texts: Sequence[TokenizedText],
        words: Sequence[Sequence[int]] | None = None,
        turn: Turn = nullcontext,
    ) -> Iterator[tuple[int, Array]]:
        """`piece_vectors_many` as they come: index of the text, vectors; of all tokens for None."""
        positions = [range(len(text)) for text in texts] if words is None else words
        for indices, ends, states in self.iter_batches(texts, positions, turn):
            yield from zip(indices, np.split(states, ends[:-1], axis=1), strict=True)

    def iter_batches(
        self,
        texts: Sequence[TokenizedText],
        words: Sequence[Sequence[int]],
        turn: Turn = nullcontext,
    ) -> Iterator[tuple[list[int], Ids, Array]]:
        """`piece_vectors_many` one batch at a time: indices, ends of the words, vectors.

        The vectors, (layers + 1, all pieces, hidden_size), are one word's after the other's; for
        each word alone take `numpy.split(vectors, ends[:-1], axis=1)`. `turn` is entered for each
        batch, so that others may use the model between two.
        """
        import torch

        texts = check_each(texts, self.bert)
        same: dict[int, list[int]] = {}  # the same object is run once
        for index, text in enumerate(texts):
            same.setdefault(id(text), []).append(index)
        indices = list(same.values())
        once = [texts[first] for first, *_ in indices]
        size = self.batch_tokens
        waiting = deque(batches_by_length(once, size))
        while waiting:
            batch = waiting.popleft()
            of_batch = [(row, index) for row, i in enumerate(batch) for index in indices[i]]
            rows = [row for row, index in of_batch for _ in words[index]]
            positions = [position for _, index in of_batch for position in words[index]]
            tensors = batch_tensors([once[i] for i in batch])
            tokens = torch.tensor(rows), torch.tensor(positions)
            try:
                with turn(), torch.inference_mode():
                    states = self._finite(self._running.states(tensors, *tokens))
            except torch.cuda.OutOfMemoryError as error:
                if size < GPU_BATCH_TOKENS:  # halved before
                    raise too_little_memory(self.device, f"{size:,} tokens at once") from error
                size = self.batch_tokens = GPU_BATCH_TOKENS // 2
                _log.warning("%s has too little memory: now %s tokens at once", self.device, size)
                halves = (half for each in (batch, *waiting) for half in (each[::2], each[1::2]))
                waiting = deque(filter(None, halves))
                continue
            ends = np.cumsum([len(words[index]) for _, index in of_batch])
            yield [index for _, index in of_batch], ends, states

    def attention(self, text: TokenizedText, positions: Sequence[int]) -> Array:
        """The attention of p positions, (layers, heads, p, seq_len): `output_attentions=True`."""
        import torch

        check_each([text], self.bert)
        with torch.inference_mode():
            weights = self._running.attention(batch_tensors([text]), positions)
        return self._finite(weights[:, 0])

    def pooler_output(self, cls: Array) -> Array:
        """What `BertPooler` makes of vectors of [CLS], (n, hidden_size); only if `has_pooler`."""
        weight, bias = (self._parameters[name].numpy() for name in POOLER)
        return frozen(np.tanh(cls @ weight.T + bias))

    def embedding_layer(self, text: TokenizedText) -> Array:
        """What `BertModel.embeddings(...)` returns in eval mode: float32 (seq_len, hidden_size)."""
        import torch

        check_each([text], self.bert)
        tensors = batch_tensors([text])
        del tensors["attention_mask"]
        with torch.inference_mode():
            output = self.model.embeddings(**tensors)
        return self._finite(output[0])

    def _finite(self, tensor: Any) -> Array:
        """A new tensor as a read-only float32 array; one of the CPU in float32 is not copied."""
        states: Array = tensor.cpu().float().numpy()
        states.setflags(write=False)
        # The ends tell it without another array of this size.
        if not np.isfinite([states.min(), states.max()]).all():
            raise ModelUnavailableError(
                f"{self.bert.name} gives numbers that are not finite: the weights in "
                f"{self.bert.checkpoint.weights.name} are not of a trained BERT."
            )
        return states

    def _summary(self) -> str:
        return (
            f"{self.bert.name}, {self.bert.num_hidden_layers} layers x {self.bert.hidden_size:,}, "
            f"on {self.device}"
        )


def load_encoder(bert: Bert, device: str | None = None) -> Encoder:
    """Load the layers of a checkpoint from its safetensors file.

    Args:
        bert: An opened checkpoint.
        device: Where its hidden states are computed, as torch names it: "cpu", "cuda", "cuda:1".
            None takes the first GPU that torch can use, and the CPU where none can be used.

    Returns:
        The encoder; on the CPU its weights are mapped from the file where it stores float32.

    Raises:
        ModelUnavailableError: The file lacks weights of the encoder, or holds some of another
            shape than `config.json` says; or the GPU has too little memory for them.
        UserInputError: The device does not exist.
        MissingPackageError: torch is not installed; the extra `encoder` brings it.

    Example:
        >>> load_encoder(bert, "cpu")
        Encoder(all-MiniLM-L6-v2, 6 layers x 384, on cpu)
    """
    expect(bert, Bert, "a Bert, from load_bert")
    with extras_named():
        return Encoder(bert, chosen_device(device))


def _library_model(bert: Bert, parameters: dict[str, Any]) -> Any:
    import torch
    from transformers import BertConfig, BertModel
    from transformers.utils import logging

    logging.disable_progress_bar()
    # From config.json the library gets what makes up the model, and nothing that could name other
    # files or ways to load them.
    config = BertConfig(**{name: bert.settings[name] for name in _LIBRARY_SETTINGS})
    # The caller may be in inference mode, in which tensors are made that never have a gradient.
    with torch.inference_mode(False):
        model = BertModel.from_pretrained(
            None, config=config, state_dict=dict(parameters), dtype=torch.float32
        )
    return model.eval()
