"""What viewers do: scenarios of a load, and a viewer who comes, stays and leaves."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.error import URLError

from websockets.exceptions import WebSocketException

from benchmarks.session import ConnectionLost, Run, Viewer, ViewerError
from bertviz_core.views.docs import questions

WORDS = (
    "river bank money python snake code king queen light spring crane bat ball cave loan shore "
    "garden music window kitchen summer winter teacher doctor letter train station market bread "
    "coffee silver mountain ocean forest bridge castle lamp paper engine signal pattern theory"
).split()
TARGETS = ("bank", "python", "spring", "light", "crane", "bat", "letter", "train")


class Done(NamedTuple):
    """What a viewer did, when it was finished by `time.monotonic()`, and how long he waited."""

    action: str
    at: float
    seconds: float


@dataclass
class Results:
    """What all viewers saw: finished runs, and how often something went wrong, by what it was."""

    runs: list[Done] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)

    def add(self, action: str, run: Run) -> None:
        """Count a run that has finished."""
        self.runs.append(Done(action, time.monotonic(), run.seconds))
        self.errors.update(problem[:100] for problem in run.problems)


Act = Callable[[Viewer, random.Random, Results], Awaitable[None]]


def sentence(chance: random.Random, *, marked: bool = False) -> str:
    """A few words in any order, one of them in brackets."""
    words = [chance.choice(WORDS) for _ in range(chance.randint(5, 11))]
    if marked:
        words[chance.randrange(len(words))] = f"[{chance.choice(TARGETS)}]"
    return "the " + " ".join(words)


async def rows(viewer: Viewer, chance: random.Random, results: Results) -> None:
    """One thought of somebody on the pages that need no torch."""
    if viewer.page not in ("Input_Embeddings", "Nearest_Neighbors") or chance.random() < 0.2:
        page = "Nearest_Neighbors" if viewer.page == "Input_Embeddings" else "Input_Embeddings"
        results.add(f"open {page}", await viewer.open(page))
    elif viewer.page == "Input_Embeddings":
        results.add("type a sentence", await _type(viewer, "a", sentence(chance)))
    else:
        a, b, c = chance.sample(WORDS, 3)
        query = chance.choice((a, f"{a} - {b} + {c}", "##" + chance.choice(("ing", "ed", "ly"))))
        results.add("search neighbors", await _type(viewer, "q", query))


async def compare(viewer: Viewer, chance: random.Random, results: Results) -> None:
    """One thought of somebody who compares words; every sentence is a new one."""
    if viewer.page != "Word_in_Context":
        results.add("open Word_in_Context", await viewer.open("Word_in_Context"))
    else:
        typed = sentence(chance, marked=True)
        results.add("compare words", await _type(viewer, "a", typed))


async def _type(viewer: Viewer, key: str, value: str) -> Run:
    """Fill in a field, or the one of a plain page; what comes has to have a picture."""
    run = await viewer.change(key if key in viewer.keys else "text", value)
    if not run.of_kind("plotly_chart") and not run.problems:
        raise ViewerError(f"{viewer.page}: no picture")
    return run


def senses(count: int) -> Act:
    """What somebody does who maps `count` new occurrences of a word, one map after the other."""

    async def act(viewer: Viewer, chance: random.Random, results: Results) -> None:
        if viewer.page != "Word_Senses" or "text" not in viewer.keys:
            await viewer.open("Word_Senses", **{"from": "text file", "senseword": "bank"})
        lines = (f"{sentence(chance)} bank {sentence(chance)}" for _ in range(count))
        await viewer.upload("text", "lines.txt", "\n".join(lines).encode())
        results.add("map occurrences", await viewer.rerun())

    return act


async def ask(viewer: Viewer, chance: random.Random, results: Results) -> None:
    """One thought of somebody who opens the view of a question, also what takes long."""
    entry = chance.choice(list(questions().values()))
    await viewer.open(entry.page, **entry.inputs)
    for button in [key for key in viewer.keys if key.startswith("run_")][:1]:
        results.add(f"{entry.page}: {button}", await viewer.press(button))


async def soak(viewer: Viewer, chance: random.Random, results: Results) -> None:
    """One thought of somebody who does anything."""
    acts = (rows, compare, ask, senses(chance.randint(20, 300)))
    (act,) = chance.choices(acts, weights=(9, 9, 9, 1))
    await act(viewer, chance, results)


async def stay(
    url: str, number: int, act: Act, results: Results, comes: float, leaves: float, think: float
) -> None:
    """One viewer, from coming to leaving by `time.monotonic()`.

    What he does by chance follows from his number; he thinks for so long between two actions, on
    average. A connection that ends is an error, and he is gone.
    """
    chance = random.Random(number)
    await asyncio.sleep(comes - time.monotonic())
    try:
        async with Viewer(url) as viewer:
            while time.monotonic() < leaves:
                try:
                    await act(viewer, chance, results)
                except ConnectionLost:
                    raise
                except (ViewerError, URLError) as error:
                    results.errors[str(error)[:100]] += 1
                left = max(leaves - time.monotonic(), 0)
                with suppress(TimeoutError):
                    pause = min(chance.expovariate(1 / think), left)
                    await asyncio.wait_for(viewer.gone.wait(), pause)
                    raise ConnectionLost("lost while thinking")
            results.errors["left without a page"] += not viewer.last.seconds
    except (ConnectionLost, WebSocketException, OSError) as error:
        results.errors[f"lost: {error}"[:100]] += 1


async def warm_up(url: str, act: Act) -> None:
    """Have everything imported, and the percentile scale measured, before anything is counted."""
    chance, results = random.Random(10**6), Results()
    async with Viewer(url) as viewer:
        for _ in range(30 if act is soak else 3):
            await act(viewer, chance, results)
        for _ in range(600):
            if viewer.fragments:
                await asyncio.sleep(0.2)
