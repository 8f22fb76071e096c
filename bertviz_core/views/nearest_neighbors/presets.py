"""Words to try on an axis, and the published lists of the association test."""

from pathlib import Path

from bertviz_core.views.view import Links

_FILE = Path(__file__).parents[2] / "data" / "word_lists.tsv"
_LISTS = dict(line.split("\t") for line in _FILE.read_text(encoding="utf-8").splitlines())
RISING, ANY = "from low to high", "in any order"
ON_AXIS, ON_MAP = "on the axis", "on the map of all tokens"
_DANGER = ("safe harmless calm", "dangerous deadly threatening")
_SIZE = ("small tiny little", "large big huge")


def _axes(words: str, order: str, *poles: str) -> dict[str, str]:
    ends = dict(zip(("low", "high", "low2", "high2"), (*poles, "", ""), strict=False))
    return {**ends, "words": words, "order": order, "on": ON_AXIS}


AXES = {
    "size of animals": _axes(_LISTS["animals"], RISING, *_SIZE),
    "years": _axes(" ".join(map(str, range(1800, 2020))), RISING, "1780 1790", "2020 2021"),
    "wealth": _axes(_LISTS["countries"], RISING, "poor poverty", "rich wealth"),
    "gender and jobs": _axes(_LISTS["jobs"], ANY, "he man him male", "she woman her female"),
    "danger": _axes(_LISTS["wild animals"], ANY, *_DANGER),
    "size and danger": _axes(_LISTS["wild animals"], ANY, *_SIZE, *_DANGER),
}
TRY = Links("Try", AXES)


def _test(*names: str) -> dict[str, str]:
    lists = [f"{name}: {_LISTS[name]}" for name in names]
    return dict(zip(("t1", "t2", "a1", "a2"), lists, strict=True))


# Tests 1, 7 and 6 of Caliskan, Bryson & Narayanan (2017).
TESTS = {
    "flowers and insects": _test("flowers", "insects", "pleasant", "unpleasant"),
    "maths and arts": _test("maths", "arts", "male", "female"),
    "careers": _test("men's names", "women's names", "career", "family"),
}
PUBLISHED = Links("Published tests", TESTS)
