"""How much of our own code one change of a sentence walks through, page by page.

`python -m benchmarks.calls Input_Embeddings` also lists the functions, file by file. A page is
opened without a browser; its sentence is changed until nothing is loaded or measured any more, then
once more, and that run is traced: of the whole page, as it opens.

Counted is each call of a named function of `bertviz_core` and of a page, properties too. What has
no name (comprehensions, lambdas, a page's script) belongs to what is around it; a generator counts
once. Other threads, and what libraries call of themselves, are left aside.

`tests/test_walks.py` holds the two walks that CONTRIBUTING.md tells of to the bounds given here.
"""

import inspect
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import NamedTuple

from streamlit.testing.v1 import AppTest

from benchmarks import report
from benchmarks.app_server import ROOT
from benchmarks.rerun import python, sentence

WARM = 3  # changes before the traced one
OURS = tuple(f"{ROOT}/{name}" for name in ("bertviz_core/", "pages/", "app.py"))
Calls = Counter[tuple[str, int, str]]  # by file, line and name of a function


class Change(NamedTuple):
    """A page whose sentence is changed, and the bounds of its run, if it has any."""

    page: str
    key: str  # of the field
    value: Callable[[int], str] = sentence
    functions: int | None = None
    files: int | None = None
    calls: int | None = None


CHANGES = (
    Change("app.py", "a"),
    Change("pages/1_Tokens.py", "a"),
    Change("pages/2_Input_Embeddings.py", "a", sentence, 84, 19),
    Change("pages/3_Nearest_Neighbors.py", "q"),
    Change("pages/4_Word_in_Context.py", "a", python, 176, 33, 1_800),
    Change("pages/6_Sentence_Vectors.py", "a"),
)


def traced(change: Change) -> Calls:
    """The calls of the run after a change."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    (app if change.page == "app.py" else app.switch_page(change.page)).run()

    def run(number: int) -> None:
        fields = [*app.text_input, *app.text_area]
        next(one for one in fields if one.key == change.key).set_value(change.value(number)).run()
        if app.exception:
            raise RuntimeError(f"{change.page}: {app.exception}")

    for number in range(WARM):
        run(number)
    while any(thread.name.startswith("Measuring") for thread in threading.enumerate()):
        time.sleep(1)
        app.run()  # a job that nobody watches is given up
    run(WARM)
    # At some runs the page looks for files anew: that with the fewest functions counts.
    runs = [_calls(partial(run, WARM + number)) for number in range(1, 4)]
    return min(runs, key=len)


def _calls(run: Callable[[], None]) -> Calls:
    calls = Calls()
    begun: set[FrameType] = set()  # generators: they are called anew to go on

    def watch(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(OURS):
            return
        if threading.current_thread().name != "ScriptRunner.scriptThread":
            return
        if code.co_name.startswith("<") or frame in begun:
            return
        if code.co_flags & inspect.CO_GENERATOR:
            begun.add(frame)
        file = code.co_filename.removeprefix(f"{ROOT}/")
        calls[file, code.co_firstlineno, code.co_qualname] += 1

    threading.setprofile(watch)
    try:
        run()
    finally:
        threading.setprofile(None)
    return calls


def main(listed: str = "") -> None:
    """Print the table, and the functions of a page."""
    report.heading("Calls of our own functions in one rerun after a change of a sentence")
    for change in (one for one in CHANGES if listed in one.page):
        calls = traced(change)
        files = len({file for file, _, _ in calls})
        counts = {"functions": len(calls), "files": files, "calls": calls.total()}
        for name, count in counts.items():
            report.figure(f"{change.page}: {name}", count, "n", most=getattr(change, name))
        for (file, _, name), count in sorted(calls.items()) if listed else ():
            print(f"    {file:<60} {count:>5}  {name}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
    report.end()
