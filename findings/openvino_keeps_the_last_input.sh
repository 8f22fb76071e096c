#!/usr/bin/env bash
# openvino 2026.4.1: what a compiled model does with inputs that are not what it asks for.
#
# Guess, written down first: numbers of another type than the model's are refused, as onnxruntime
# refuses them.
#
# Seen: everything is made the type that is asked for, without a word. Floats lose their fractions,
# so a soft mask of 0.9 hides all. Beside it, without a guess: an input that is left out is an error
# in the first call only. From then on the one of the call before is taken. Who forgets the
# attention mask gets vectors that depend on the text before, and no error as long as shapes fit.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet openvino==2026.4.1
"$folder/venv/bin/python" - <<'PYTHON'
import numpy as np
import openvino
from openvino import opset13

print("openvino", openvino.__version__)
vectors = opset13.parameter([-1, -1], np.float32, name="vectors")
mask = opset13.parameter([-1, -1], np.int64, name="mask")
masked = opset13.multiply(vectors, opset13.convert(mask, "f32"))
model = openvino.compile_model(openvino.Model([masked], [vectors, mask], "masked"), "CPU")
NUMBERS = np.array([[1, 2, 3], [4, 5, 6]], np.float32)


def result(**inputs: np.ndarray) -> list[list[float]] | str:
    try:
        seen = model(inputs)[0].tolist()
    except RuntimeError:
        seen = "an error"
    print({name: given.tolist() for name, given in inputs.items()}, "->", seen)
    return seen


assert result(vectors=NUMBERS) == "an error"
first = result(vectors=NUMBERS, mask=np.array([[1, 1, 0], [1, 0, 0]]))
assert first == [[1, 2, 0], [4, 0, 0]]
assert result(vectors=NUMBERS) == first, "an input that is left out is no longer the last one"
assert result(vectors=NUMBERS[:, ::-1].copy()) == [[3, 2, 0], [6, 0, 0]]
soft = result(vectors=NUMBERS, mask=np.full((2, 3), 0.9))
assert soft == [[0, 0, 0], [0, 0, 0]], "numbers of another type are not cut any more"
PYTHON
