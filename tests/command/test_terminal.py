import pytest

from tests.command.conftest import Run


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            "occurrences a --corpus x --out y --layers 0,a",
            "invalid layer_list value: '0,a'",
        ),
        (
            "occurrences a --corpus x --out y --pooling all",
            "invalid choice: 'all' (choose",
        ),
        *(
            (f"occurrences a --corpus x --out y --part-mb {number}", f"megabytes value: '{number}'")
            for number in ("nan", "inf", "-1", "1e-9", "1e300", "x")
        ),
        ("occurrences a", "required: --corpus, --out"),
        ("nearest x --in y -k ten", "-k: invalid int value: 'ten'"),
        ("shift a --in b --by c --foo", "unrecognized arguments: --foo"),
    ],
)
def test_a_wrong_argument_is_said_in_one_line(given: str, said: str, command: Run) -> None:
    code, _, errors = command(*given.split())
    first, second = errors.splitlines()
    assert (code, said in first) == (2, True)
    assert second == f"bert-explorer {given.split()[0]} --help says what it takes."
