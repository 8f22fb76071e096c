"""The batches in which texts run, their tensors, and the device and threads they run in."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Literal

import numpy as np

from bertviz_core.arrays import Array, read_only
from bertviz_core.errors import ModelUnavailableError, UserInputError, expect
from bertviz_core.tokens import TokenizedText

if TYPE_CHECKING:
    import torch

    Batch = dict[str, torch.Tensor]

Pooling = Literal["mean", "first", "last", "max"]
POOLINGS: tuple[Pooling, ...] = ("mean", "first", "last", "max")

BATCH = 128  # texts at most
# Tokens at most, with padding: fewer leave the processor idle, more only take memory.
BATCH_TOKENS = 2048
BATCH_BYTES = 24_000_000  # of hidden states: a batch of a large model has fewer tokens
# A GPU needs more. BERT-base's hidden states of such a batch take 0.7 GB of its memory.
GPU_BATCH_TOKENS = 16_384
SHORT = 16  # tokens: of texts as short, a batch of more tokens may have more than BATCH
_TENSORS = ("input_ids", "token_type_ids", "position_ids", "attention_mask")


def check_pooling(pooling: str) -> None:
    """Raise a UserInputError for a pooling that is not one of `POOLINGS`."""
    if expect(pooling, str, "a pooling as a str") not in POOLINGS:
        raise UserInputError(f"There is no pooling “{pooling}”; choose {', '.join(POOLINGS)}.")


def batches_by_length(
    texts: Sequence[TokenizedText], max_tokens: int = BATCH_TOKENS
) -> Iterator[list[int]]:
    """Indices of texts of similar length, so that little is padded; the longest texts first."""
    max_texts = max(BATCH, max_tokens // SHORT)
    group: list[int] = []
    for index in sorted(range(len(texts)), key=lambda i: -len(texts[i])):
        # The first of a group is its longest: all others are padded to it.
        if group and (
            len(group) == max_texts or (len(group) + 1) * len(texts[group[0]]) > max_tokens
        ):
            yield group
            group = []
        group.append(index)
    if group:
        yield group


def batch_tensors(texts: Sequence[TokenizedText]) -> "Batch":
    """Texts padded to one length, as arguments of `BertModel`: int64 (batch, longest) each."""
    import torch

    lengths = np.array([len(text) for text in texts])
    real = np.arange(lengths.max()) < lengths[:, None]
    batch: Batch = {}
    for name in _TENSORS:
        # Padding is [PAD] = 0 in every tensor; the mask keeps it out of attention.
        rows = np.zeros(real.shape, dtype=np.int64)
        rows[real] = np.concatenate([getattr(text, name) for text in texts])
        batch[name] = torch.from_numpy(rows)
    return batch


def to_numpy(tensor: "torch.Tensor") -> Array:
    """A new tensor as a read-only float32 array; one of the CPU in float32 is not copied."""
    return read_only(tensor.cpu().float().numpy())


def devices() -> list[str]:
    """Where torch can run a model on this machine, the best first: "cuda:0", ..., "cpu"."""
    import torch

    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    return [*(f"cuda:{number}" for number in range(gpus)), "cpu"]


def chosen_device(device: str | None = None) -> str:
    """The device as torch names it; None is the first GPU that torch can use, else the CPU."""
    best, *_ = there = devices()
    if device is None:
        return best
    known = {one: one for one in there} | ({"cuda": best} if len(there) > 1 else {})
    if expect(device, str, "a device as a str") not in known:
        raise UserInputError(
            f"There is no device “{device}” for torch on this machine; choose "
            f"{', '.join(sorted(known))}."
        )
    return known[device]


def on_device(parameters: "Mapping[str, torch.Tensor]", device: str) -> "dict[str, torch.Tensor]":
    """Tensors on a device in float32; what is so already is not copied."""
    import torch

    try:
        return {name: tensor.to(device, torch.float32) for name, tensor in parameters.items()}
    except torch.cuda.OutOfMemoryError as error:
        raise too_little_memory(device, "the model") from error


def too_little_memory(device: str, what: str) -> ModelUnavailableError:
    """The error of a GPU whose memory is full."""
    return ModelUnavailableError(
        f"{device} has too little memory left for {what}; stop what else runs on it, or run the "
        "model on the CPU (CUDA_VISIBLE_DEVICES=)."
    )


def one_thread_each(count: int | None = None) -> ThreadPoolExecutor:
    """A pool in whose threads torch starts no others, so that results are equal to the last bit."""
    import torch

    return ThreadPoolExecutor(
        count or torch.get_num_threads(),
        thread_name_prefix="model",
        initializer=torch.set_num_threads,  # sets it for the thread that calls it
        initargs=(1,),
    )
