"""`make check`: what it says of a machine that is ready, and of one that is not."""

import importlib.metadata
import re

import pytest

from bertviz_core.bert import Bert
from bertviz_core.command import check
from bertviz_core.encoder import Encoder


@pytest.fixture(autouse=True)
def no_settings(hub_cache: object) -> None:
    """No model of this machine's own."""


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, minilm: Bert, minilm_encoder: Encoder) -> None:
    """The embedded model is opened already."""
    monkeypatch.setattr(check, "load_bert", lambda _: minilm)
    monkeypatch.setattr(check, "load_encoder", lambda _: minilm_encoder)


def test_a_machine_that_is_ready(capsys: pytest.CaptureFixture[str]) -> None:
    assert check.main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "ready"
    assert not [line for line in lines if line.startswith("!!")]
    assert any("all-MiniLM-L6-v2: ready (the one to start with)" in line for line in lines)
    assert any(
        re.search(r"runs on \S+, up to [\d,]+ tokens in a batch; torch has ", s) for s in lines
    )
    assert any("bert-base-uncased: bert-base-uncased is not on this machine" in s for s in lines)


@pytest.mark.usefixtures("opened")
def test_a_wrong_number_is_marked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(check, "COSINE", 0.6)
    assert check.main() == 1
    (marked,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("!!"))
    assert "at the last layer" in marked


@pytest.mark.usefixtures("opened")
def test_a_broken_floor_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    installed = importlib.metadata.version
    monkeypatch.setattr(
        importlib.metadata, "version", lambda name: {"numpy": "1.26.4"}.get(name) or installed(name)
    )
    assert check.main() == 1
    printed = capsys.readouterr().out
    (marked,) = (line for line in printed.splitlines() if line.startswith("!!"))
    assert "numpy 1.26.4, expected numpy<3,>=" in marked
    assert '   pip install ".[app]" from the folder' in printed


@pytest.mark.usefixtures("opened")
@pytest.mark.parametrize(
    ("setting", "named", "told"),
    [
        ("BERTVIZ_MODEL", "bert-base-uncased", "bert-base-uncased"),
        ("BERTVIZ_MODEL", "nothing", "nothing"),
        ("BERTVIZ_MODELS", "mine=/nowhere", "mine: The folder set for mine does not exist."),
    ],
)
def test_a_model_of_the_settings_that_is_not_there(
    setting: str, named: str, told: str, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv(setting, named)
    assert check.main() == 1
    assert told in "".join(s for s in capsys.readouterr().out.splitlines() if s[:2] == "!!")
