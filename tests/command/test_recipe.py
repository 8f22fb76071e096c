import re
from pathlib import Path

import numpy as np

from bertviz_core.encoder import Encoder
from tests.command.conftest import Run
from tests.views.recipes import means

TEXTS = ("How old are you?", "My train leaves at noon.", "It rained all day, so we stayed in.")


def test_the_way_and_the_precision(minilm_encoder: Encoder, tmp_path: Path, command: Run) -> None:
    rows = means(minilm_encoder, TEXTS, layer=5)
    np.savez(file := tmp_path / "vectors.npz", text=TEXTS, made=rows.astype(np.float16))
    code, told, errors = command("recipe", file)
    assert code == 0
    assert "3/3" in errors, "a bar"
    assert "Made by mean, layer 5, not normalized: stored in float16" in told
    assert "Compared: 3 of 3; alone nearest to it: 3; lowest cosine: 1.000000, of pair " in told
    cosines = [float(one) for one in re.findall(r"cosine (\d\.\d+),", told)]
    assert len(cosines) == 12
    assert cosines == sorted(cosines, reverse=True)
    assert re.search(r"cosine 1\.000000, 1 - cosine \de-\d+  mean, layer 5\n", told)


def test_one_vector_and_what_is_none(minilm_encoder: Encoder, tmp_path: Path, command: Run) -> None:
    row = means(minilm_encoder, TEXTS)[0]
    np.save(file := tmp_path / "vector.npy", row / np.linalg.norm(row))
    assert "Made by mean, layer 6, normalized" in command("recipe", file, "--text", TEXTS[0])[1]
    code, told, _ = command("recipe", file, "--text", TEXTS[1])
    assert (code, told[:8]) == (0, "None of ")
    code, told, errors = command("recipe", file)
    assert (code, told) == (1, "")
    assert errors.startswith("A vector comes without its text")
    assert command("recipe", tmp_path / "nowhere.npz")[0] == 1
