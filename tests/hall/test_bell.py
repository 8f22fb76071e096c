"""Phones see at once that their hall has moved on, on a real server."""

import asyncio
import time
from contextlib import AsyncExitStack
from pathlib import Path

from benchmarks.session import Viewer
from bertviz_core.hall.store import Halls, State
from tests.live_app import running_app

SOON = 4.0  # seconds; by itself a phone asks every five


async def _followed(url: str, halls: Halls) -> dict[str, float]:
    lecture = halls.open()
    halls.ask(lecture, State(2, 1))
    seen: dict[str, float] = {}
    async with AsyncExitStack() as stack:
        phone = await stack.enter_async_context(Viewer(url))
        opened = await phone.open("Hall", hall=lecture.code)
        assert not opened.problems
        for fragment in list(phone.fragments):
            phone.fragments.pop(fragment).cancel()  # it asks nothing by itself
        await phone.press("true-2-1")
        for state, key in ((State(3, 1), "true-3-1"), (State(3, 2), "true-3-2")):
            halls.ask(lecture, state)
            moved = time.monotonic()
            while not phone.has(key) and time.monotonic() < moved + 20:
                await asyncio.sleep(0.05)
            seen[key] = time.monotonic() - moved
        halls.close(lecture)
        await asyncio.sleep(SOON)
        assert "closed" in phone.last.of_kind("html")[-1].html.body
    return seen


def test_a_phone_is_rung(tmp_path: Path) -> None:
    with running_app(HF_HUB_CACHE=str(tmp_path / "hub")) as url:
        seen = asyncio.run(_followed(url, Halls(tmp_path / "bertviz" / "halls.sqlite")))
    assert all(seconds < SOON for seconds in seen.values()), seen
