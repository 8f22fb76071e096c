"""NOTICE, the version, SECURITY.md and compose.yaml: what they say is so."""

import re
from pathlib import Path

import yaml
from packaging.version import Version

import bertviz_core
from benchmarks.proxy import CONFIG, PORTS

ROOT = Path(__file__).parents[1]
NOTICE = (ROOT / "NOTICE").read_text(encoding="utf-8")


def test_what_is_not_released_has_no_number_of_a_release() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == bertviz_core.__version__
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    unreleased = re.search(r"(?ms)^## Unreleased\n(.*?)^## ([\d.]+) ", changes)
    assert unreleased is not None
    version = Version(bertviz_core.__version__)
    assert version.is_devrelease == bool(unreleased[1].strip())
    assert version.is_devrelease == (version > Version(unreleased[2]))


def test_every_file_that_is_no_code_is_in_the_notice() -> None:
    """Data, styles, scripts and icons: by their path, or by that of a folder around them."""
    named = set(re.findall(r"(?:bertviz_core|tests|docs)/[\w./-]*\w/?", NOTICE))
    assert all((ROOT / path).exists() for path in named)
    folders = tuple(path for path in named if path.endswith("/"))
    parts = [path for path in (ROOT / "bertviz_core").rglob("*") if path.is_file()]
    for path in parts:
        name = path.relative_to(ROOT).as_posix()
        if path.suffix not in {".py", ".pyc"} and path.name != "py.typed":
            assert name in named or name.startswith(folders), f"NOTICE does not name {name}"


def test_nothing_is_unpickled_and_no_code_of_a_model_runs() -> None:
    """SECURITY.md promises it: by the only ways into them that Python, NumPy and torch have."""
    source = "".join(path.read_text("utf-8") for path in (ROOT / "bertviz_core").rglob("*.py"))
    for way in (r"^\s*(import|from) (pickle|dill|joblib|shelve|marshal)", r"torch\.load\(",
                r"allow_pickle=True", r"trust_remote_code=True", r"read_pickle"):  # fmt: skip
        assert not re.search(way, source, re.MULTILINE), way
    loads = re.findall(r"np\.load\([^)]*\)", source)
    assert loads
    assert all("allow_pickle=False" in load for load in loads)


def test_two_replicas_where_the_proxy_looks_for_them() -> None:
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    services = compose["services"]
    ports = [services[name]["environment"].pop("STREAMLIT_SERVER_PORT") for name in ("a", "b")]
    assert tuple(ports) == PORTS  # as docs/nginx.conf has them
    assert services["a"] == services["b"]
    assert services["a"]["network_mode"] == "service:proxy"
    assert services["a"]["volumes"] == ["cache:/cache"]  # HF_HOME of the Dockerfile
    source, _, _ = services["proxy"]["volumes"][0].split(":")
    assert (ROOT / source).resolve() == CONFIG
