"""The devices and threads that torch runs in."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from bertviz_core.errors import ModelUnavailableError, UserInputError, expect

if TYPE_CHECKING:
    import torch


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
