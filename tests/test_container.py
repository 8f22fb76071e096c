"""Dockerfile, .dockerignore and compose.yaml; tests/container.py tries the steps."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from benchmarks.proxy import CONFIG, PORTS
from tests.container import Bare, copy_context
from tests.dockerfile import assigned, read

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "Dockerfile").read_text(encoding="utf-8")
SHARED, STAGES = read(TEXT)
IMAGE = STAGES[-1]
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
REPLICAS = [COMPOSE["services"][name] for name in ("a", "b")]


def environment() -> dict[str, str]:
    found: dict[str, str] = {}
    for step in IMAGE.instructions:
        if step.name == "ENV":
            found |= assigned(step.text, found)
    return found


def test_two_stages_of_one_base_and_only_the_environment_goes_over() -> None:
    assert [stage.name for stage in STAGES] == ["build", ""]
    assert len({stage.base for stage in STAGES}) == 1  # the environment points to its Python
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    least = re.match(r">=(\d+)\.(\d+)", project["requires-python"])
    assert least is not None
    assert tuple(map(int, SHARED["PYTHON"].split("."))) >= tuple(map(int, least.groups()))
    copied = [step for step in IMAGE.instructions if step.name == "COPY"]
    assert [(step.flags, step.text) for step in copied] == [({"from": "build"}, "/venv /venv")]


def test_torch_is_the_cpu_build_of_the_pinned_version() -> None:
    torch, rest, own = [step.text for step in STAGES[0].instructions if "pip install" in step.text]
    assert "\"$(grep '^torch==' requirements.txt)\"" in torch
    (index,) = [step.text for step in STAGES[0].instructions if step.name == "ARG"]
    assert index == "TORCH_INDEX=https://download.pytorch.org/whl/cpu"
    assert rest.endswith("--no-deps --require-hashes -r requirements.lock")
    assert own.endswith("--no-deps --no-build-isolation .")  # hatchling is in the lock


def test_it_runs_as_a_user_without_rights() -> None:
    names = [step.name for step in IMAGE.instructions]
    user, group = IMAGE.last("USER").text.split(":")
    assert int(user) >= 1000 <= int(group)  # by number: Kubernetes can see that it is not root
    assert "RUN" not in names[names.index("USER") :]
    assert f"chown {user}:{group} /cache" in IMAGE.last("RUN").text
    assert IMAGE.last("VOLUME").text == environment()["HF_HOME"] == "/cache"
    assert environment()["HOME"] == IMAGE.last("WORKDIR").text == "/tmp"


def test_its_health_is_asked_by_python_at_the_port_in_use() -> None:
    check = IMAGE.last("HEALTHCHECK")
    program, option, code = json.loads(check.text.removeprefix("CMD "))
    assert (program, option) == ("python", "-c")
    compile(code, "HEALTHCHECK", "exec")
    assert "/_stcore/health" in code
    assert "STREAMLIT_SERVER_PORT" in code
    assert {"interval", "timeout", "start-period"} <= set(check.flags)
    assert environment()["STREAMLIT_SERVER_PORT"] == IMAGE.last("EXPOSE").text
    assert json.loads(IMAGE.last("CMD").text) == ["bertviz", "run"]


def test_the_context_holds_what_the_package_is_built_of(tmp_path: Path) -> None:
    """And nothing else: no tests, no pictures, no history."""
    copy_context(["."], tmp_path)
    found = {path.relative_to(tmp_path).parts[0] for path in tmp_path.rglob("*")}
    assert {"app.py", "bertviz_core", "pages", ".streamlit", "pyproject.toml"} <= found
    assert not found & {"tests", "benchmarks", ".git", ".venv"}
    assert not list(tmp_path.rglob("__pycache__"))
    assert sum(path.stat().st_size for path in tmp_path.rglob("*")) < 5_000_000
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    for path in (project["project"]["readme"], *wheel.get("force-include", {})):
        assert (tmp_path / path).exists(), f".dockerignore keeps {path} out"


def test_the_steps_without_docker_touch_no_folder_of_the_machine(tmp_path: Path) -> None:
    bare = Bare(tmp_path, sys.executable, {})
    for step in [step for stage in STAGES for step in stage.instructions]:
        assert "/venv" not in bare.here(step.text).replace(f"{tmp_path}/venv", "")
    with pytest.raises(ValueError, match="/etc"):
        bare.here("RUN touch /etc/passwd")


def test_an_instruction_that_is_not_known_is_not_passed_over() -> None:
    with pytest.raises(ValueError, match="ADD"):
        read("FROM python\nADD https://example.org/x /x\n")


def test_two_replicas_that_differ_only_in_their_port() -> None:
    ports = [replica["environment"].pop("STREAMLIT_SERVER_PORT") for replica in REPLICAS]
    assert REPLICAS[0] == REPLICAS[1]
    assert tuple(ports) == PORTS  # as docs/nginx.conf has them
    replica = REPLICAS[0]
    assert replica["environment"] == {"STREAMLIT_SERVER_ADDRESS": "127.0.0.1"}
    assert replica["network_mode"] == "service:proxy"
    assert replica["read_only"] is True
    assert replica["tmpfs"] == ["/tmp"]
    (mounted,) = replica["volumes"]
    assert mounted == f"{next(iter(COMPOSE['volumes']))}:{IMAGE.last('VOLUME').text}"
    assert replica["cap_drop"] == ["ALL"]
    assert "ports" not in replica


def test_the_proxy_has_the_one_configuration_with_sticky_sessions() -> None:
    proxy = COMPOSE["services"]["proxy"]
    (mounted,) = proxy["volumes"]
    source, target, mode = mounted.split(":")
    assert (ROOT / source).resolve() == CONFIG
    assert (target, mode) == ("/etc/nginx/nginx.conf", "ro")
    listens = re.search(r"listen (\d+) default_server;", CONFIG.read_text(encoding="utf-8"))
    assert listens is not None
    assert proxy["ports"] == [f"8080:{listens[1]}"]
    assert set(COMPOSE["services"]) == {"proxy", "a", "b"}


@pytest.mark.slow
def test_the_steps_in_a_bare_folder() -> None:
    # Compiling all packages would take longer than all else, and a minute of a processor.
    done = subprocess.run(
        [sys.executable, "-m", "tests.container"], cwd=ROOT, capture_output=True, text=True,
        check=False, env=os.environ | {"PIP_COMPILE": "0"},
    )  # fmt: skip
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    assert done.stdout.startswith("NO IMAGE IS BUILT")
    assert "healthy after" in done.stdout
    assert done.stdout.endswith("No image was built.\n")
