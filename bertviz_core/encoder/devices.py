"""Where the model runs, in which numbers, and in which threads."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Literal

from bertviz_core.errors import ModelUnavailableError, UserInputError

if TYPE_CHECKING:
    import torch

# Half the bits are twice as fast and more on a GPU. A test bounds what they cost: of the embedded
# model, a vector in float16 has a cosine of at least 0.99999 with that in float32, in bfloat16 of
# at least 0.9995; the cosine of two vectors changes by at most 0.002 and 0.01.
Dtype = Literal["float32", "bfloat16", "float16"]
DTYPES: tuple[Dtype, ...] = ("float32", "bfloat16", "float16")


def chosen_device(device: str | None = None) -> str:
    """The device as torch names it; None takes the first GPU that torch can use, else the CPU."""
    import torch

    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if device is None:
        device = "cuda" if gpus else "cpu"
    if device == "cpu":
        return device
    known = ["cuda", *(f"cuda:{number}" for number in range(gpus))] if gpus else []
    if device not in known:
        raise UserInputError(
            f"There is no device “{device}” for torch on this machine; choose "
            f"{', '.join(['cpu', *known])}."
        )
    return "cuda:0" if device == "cuda" else device


def known_dtype(dtype: Dtype) -> Dtype:
    """The dtype, if it is one of `DTYPES`; else a UserInputError."""
    if dtype not in DTYPES:
        raise UserInputError(f"There is no dtype “{dtype}”; choose {', '.join(DTYPES)}.")
    return dtype


def moved(
    parameters: "Mapping[str, torch.Tensor]", device: str, dtype: Dtype
) -> "dict[str, torch.Tensor]":
    """Tensors on a device, in a dtype; those that are there in it already are not copied."""
    import torch

    try:
        return {
            name: tensor.to(device, getattr(torch, dtype)) for name, tensor in parameters.items()
        }
    except torch.cuda.OutOfMemoryError as error:
        raise ModelUnavailableError(
            f"{device} has too little memory left for the model; stop what else runs on it, or "
            "run the model on the CPU."
        ) from error


def one_thread_each(count: int | None = None) -> ThreadPoolExecutor:
    """Threads in each of which torch uses no other, so that the bits are always the same."""
    import torch

    return ThreadPoolExecutor(
        count or torch.get_num_threads(),
        thread_name_prefix="model",
        initializer=torch.set_num_threads,  # of the thread that calls it
        initargs=(1,),
    )
