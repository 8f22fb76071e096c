import re
from pathlib import Path

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.contextual import explained
from bertviz_core.contextual.explained import explained_variance, most_tokens
from bertviz_core.encoder import Encoder
from tests.snippets.running import run_filled
from tests.tiny import SENTENCES


def test_explained(
    tiny: Bert, tiny_encoder: Encoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two files of sentences; more tokens than may be used."""
    plain = [f"{a} {b}" for a in SENTENCES for b in SENTENCES]
    labelled = [f"{a} [dog] {b}" for a in SENTENCES for b in SENTENCES[:2]]
    (tmp_path / "plain.txt").write_text("\n".join(plain) + "\n\n", encoding="utf-8")
    rows = "\n".join(f"animal\t{sentence}" for sentence in labelled)
    (tmp_path / "dog.tsv").write_text(f"sense\tsentence\n{rows}\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(explained, "MOST_BYTES", 300 * 4 * 8 * 3)
    unmarked = [re.sub(r"[\[\]]", "", sentence) for sentence in labelled]
    found = explained_variance(tiny_encoder, [*plain, *unmarked])
    printed, _ = run_filled(
        "contextual/explained", tiny, files=["plain.txt", "dog.tsv"], most=most_tokens(tiny)
    )
    shares = np.array([line.split()[1:] for line in printed.splitlines()], dtype=float).T
    assert 250 < found.tokens <= 300
    assert shares[:3] == pytest.approx(found.together, abs=1e-4)
    assert shares[3:] == pytest.approx(found.alone, abs=1e-4)
