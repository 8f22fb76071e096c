"""How much of our own code one change of a sentence walks through, page by page.

    python -m benchmarks.calls
    python -m benchmarks.calls Input_Embeddings

The second form lists the functions, file by file. A page is opened without a browser; its sentence
is changed until nothing is loaded or measured any more, then once more, and that run is traced. The
sentence is a new one, so no result of it is at hand. "The whole page" is what a page runs as it
opens, "its part" the fragment around the field, for which a browser asks once something is typed.

Counted is each call of a named function of `bertviz_core` and `pages`, properties too. What has no
name (comprehensions, which Python before 3.12 runs in frames of their own, generator expressions,
lambdas, a page's script) belongs to what is around it; a generator counts once, however often it
goes on. Other threads, and what libraries call of themselves, are left aside.
"""

import inspect
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import FrameType

from streamlit.testing.v1 import AppTest

from benchmarks import report
from benchmarks.app_server import ROOT
from benchmarks.rerun import marked, sentence

WARM = 3  # changes before the traced one
OURS = tuple(f"{ROOT / folder}/" for folder in ("bertviz_core", "pages"))
PART = ("fragment.<locals>.run", "_type")  # a fragment, and what is called as its field changes
Calls = Counter[tuple[str, int, str]]  # by file, line and name of a function


@dataclass(frozen=True)
class Change:
    """A page whose sentence is changed, and the bounds of its run, if it has any."""

    page: str
    key: str  # of the field
    value: Callable[[int], str]
    functions: int | None = None
    files: int | None = None
    calls: int | None = None


def lines(number: int) -> str:
    """Two sentences, one a line."""
    return "\n".join(marked(number))


CHANGES = (
    Change("app.py", "a", sentence),
    Change("pages/1_Tokens.py", "a", sentence),
    Change("pages/2_Input_Embeddings.py", "a", sentence, functions=95, files=22),
    Change("pages/3_Nearest_Neighbors.py", "q", sentence),
    Change("pages/4_Word_in_Context.py", "s", lines, functions=130, files=28, calls=1_800),
    Change("pages/6_Sentence_Vectors.py", "sentences", lines),
)


def traced(change: Change) -> tuple[Calls, Calls]:
    """The calls of the run after a change: of the whole page, and of the part around the field."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    (app if change.page == "app.py" else app.switch_page(change.page)).run()
    for number in range(WARM):
        _change(app, change, number)
    while any(thread.name.startswith("Measuring") for thread in threading.enumerate()):
        time.sleep(1)
        app.run()  # a job that nobody watches is given up
    # At some runs the page looks for files anew: that with the fewest functions counts.
    runs = [_traced(partial(_change, app, change, WARM + number)) for number in range(1, 4)]
    return min(runs, key=lambda run: len(run[0]))


def _traced(run: Callable[[], None]) -> tuple[Calls, Calls]:
    whole: Calls = Counter()
    part: Calls = Counter()
    parts: list[FrameType] = []
    begun: set[FrameType] = set()  # generators: they are called anew to go on

    def watch(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "return" and parts and frame is parts[-1]:
            parts.pop()
        if event != "call" or not code.co_filename.startswith(OURS):
            return
        if code.co_qualname in PART:
            parts.append(frame)
        if code.co_name.startswith("<"):
            return
        if code.co_flags & inspect.CO_GENERATOR:
            if frame in begun:
                return
            begun.add(frame)
        if threading.current_thread().name == "ScriptRunner.scriptThread":
            file = code.co_filename.removeprefix(f"{ROOT}/")
            for counted in (whole, part) if parts else (whole,):
                counted[file, code.co_firstlineno, code.co_qualname] += 1

    threading.setprofile(watch)
    try:
        run()
    finally:
        threading.setprofile(None)
    return whole, part


def _change(app: AppTest, change: Change, number: int) -> None:
    fields = [*app.text_input, *app.text_area]
    next(one for one in fields if one.key == change.key).set_value(change.value(number))
    app.run()
    if app.exception:
        raise RuntimeError(f"{change.page}: {app.exception}")


def main(listed: str = "") -> None:
    """Print the table, and the functions of a page."""
    report.heading("Calls of our own functions in one rerun after a change of a sentence")
    for change in CHANGES:
        if listed and listed not in change.page:
            continue
        whole, part = traced(change)
        for title, calls in (("the whole page", whole), ("its part", part)):
            counts = (
                ("functions", len(calls), change.functions),
                ("files", len({file for file, _, _ in calls}), change.files),
                ("calls", calls.total(), change.calls),
            )
            for name, count, most in counts:
                report.target(f"{change.page}, {title}: {name}", count, "n", most=most)
        if listed:
            for (file, _, name), count in sorted(whole.items()):
                print(f"    {file:<60} {count:>5}  {name}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
