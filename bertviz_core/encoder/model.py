"""The model of a checkpoint, loaded: hidden states, embedding layer and pooler."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.errors import ModelUnavailableError, UserInputError

if TYPE_CHECKING:
    import torch

    from bertviz_core.bert import Bert
    from bertviz_core.tokens import TokenizedText

Array = NDArray[np.float32]
BATCH = 32


class Encoder:
    """The model of a checkpoint, ready to run; safe to share between threads.

    Attributes:
        bert: The checkpoint it belongs to.
        model: `transformers.BertModel` in eval mode.
        has_pooler: Whether the checkpoint holds a trained pooler.
    """

    def __init__(self, bert: "Bert", model: Any, has_pooler: bool) -> None:
        self.bert = bert
        self.model = model
        self.has_pooler = has_pooler

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
        self._check(texts)
        found: list[Array] = [np.empty(0, np.float32)] * len(texts)
        by_length = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        for start in range(0, len(by_length), BATCH):
            places = by_length[start : start + BATCH]
            for place, states in zip(places, self._run([texts[i] for i in places]), strict=True):
                found[place] = states
        return found

    def embedding_layer(self, text: "TokenizedText") -> Array:
        """What the model's own embedding module returns, in eval mode.

        Returns:
            float32 (seq_len, hidden_size), from `BertModel.embeddings(...)`.
        """
        import torch

        self._check([text])
        with torch.inference_mode():
            output = self.model.embeddings(
                input_ids=_row(text.input_ids),
                token_type_ids=_row(text.token_type_ids),
                position_ids=_row(text.position_ids),
            )
        return _leave(output[0])

    def pooled(self, text: "TokenizedText") -> Array:
        """The pooler's output: tanh of a dense layer over the last [CLS] vector.

        Returns:
            float32 (hidden_size,), in (-1, 1); `BertModel(...).pooler_output`.

        Raises:
            ModelUnavailableError: The checkpoint holds no trained pooler.
        """
        import torch

        if not self.has_pooler:
            raise ModelUnavailableError(
                f"{self.bert.checkpoint.weights.name} of {self.bert.name} has no pooler."
            )
        self._check([text])
        with torch.inference_mode():
            output = self.model(**_batch([text]))
        return _leave(output.pooler_output[0])

    def _check(self, texts: Sequence["TokenizedText"]) -> None:
        for text in texts:
            if text.checkpoint != self.bert.name:
                raise UserInputError(
                    f"The text was cut into tokens for {text.checkpoint}, not for "
                    f"{self.bert.name}; tokenize it again."
                )

    def _run(self, texts: list["TokenizedText"]) -> list[Array]:
        import torch

        with torch.inference_mode():
            output = self.model(**_batch(texts), output_hidden_states=True)
        layers = torch.stack(output.hidden_states)  # (layers + 1, batch, longest, hidden)
        return [_leave(layers[:, i, : len(text)]) for i, text in enumerate(texts)]


def load_encoder(bert: "Bert") -> Encoder:
    """Load the model of a checkpoint from its safetensors file, in eval mode.

    Args:
        bert: An opened checkpoint.

    Returns:
        The encoder; its weights are float32 and mapped from the file where it stores float32.

    Raises:
        ModelUnavailableError: The file lacks weights of the encoder, or transformers refuses it.
    """
    import torch
    from transformers import BertModel
    from transformers.utils import logging

    # The library reports unused heads (cls.*) on every load; missing weights are checked below.
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    load: Any = BertModel.from_pretrained  # its annotation leaves out output_loading_info
    try:
        model, report = load(
            bert.checkpoint.folder,
            local_files_only=True,
            use_safetensors=True,
            trust_remote_code=False,
            dtype=torch.float32,
            output_loading_info=True,
        )
    except (OSError, ValueError, RuntimeError) as error:
        raise ModelUnavailableError(
            f"The encoder of {bert.name} cannot be loaded from "
            f"{bert.checkpoint.weights.name}: {str(error).splitlines()[0]}"
        ) from error
    missing = sorted(report["missing_keys"])
    if lacking := [name for name in missing if not name.startswith("pooler.")]:
        raise ModelUnavailableError(
            f"{bert.checkpoint.weights.name} of {bert.name} lacks {len(lacking)} tensors of the "
            f"encoder, {lacking[0]} first; expected a complete BertModel."
        )
    return Encoder(bert, model.eval(), has_pooler=not missing)


def _batch(texts: list["TokenizedText"]) -> dict[str, "torch.Tensor"]:
    import torch

    longest = max(len(text) for text in texts)
    batch = {}
    for name in ("input_ids", "token_type_ids", "position_ids", "attention_mask"):
        # Padding is [PAD] = 0 in every tensor; the mask keeps it out of attention.
        rows = np.zeros((len(texts), longest), dtype=np.int64)
        for row, text in zip(rows, texts, strict=True):
            row[: len(text)] = getattr(text, name)
        batch[name] = torch.from_numpy(rows)
    return batch


def _row(values: NDArray[np.int64]) -> "torch.Tensor":
    import torch

    return torch.from_numpy(values.copy()).unsqueeze(0)


def _leave(tensor: "torch.Tensor") -> Array:
    array: Array = tensor.contiguous().numpy().copy()
    array.setflags(write=False)
    return array
