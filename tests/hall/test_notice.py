"""Phones read at once what their hall is asked, on a real server."""

import asyncio
import json
import urllib.request
from pathlib import Path
from urllib.error import HTTPError

import pytest

from benchmarks.session import Viewer
from benchmarks.upload import Told
from bertviz_core.hall.store import Halls, Lecture, State
from tests.live_app import running_app


async def _followed(url: str, halls: Halls, lecture: Lecture) -> None:
    async with Viewer(url) as phone:
        opened = await phone.open("Hall", hall=lecture.code)
        assert not opened.problems
        given = json.loads(opened.of_kind("bidi_component")[0].bidi_component.bytes)
        assert given["said"] == []

        def asked() -> State:
            with urllib.request.urlopen(f"{url}/{given['notice']}") as answer:
                return State(*json.load(answer))

        assert asked() == State(2, 1)
        for told in ([2, 1, "anything"], [2, 2, "true"], "true", [2, 1, "true"], [2, 1, "false"]):
            voted = await phone.press("phone", Told("said", told))
            assert not voted.problems, told
        assert halls.answers(lecture.code, 2, 1) == {"true": 1}
        halls.ask(lecture, State(3, 2))
        assert asked() == State(3, 2)
        halls.close(lecture)
        with pytest.raises(HTTPError):
            asked()
        closed = await phone.press("phone", Told("moved", 1))
        assert "closed" in closed.of_kind("html")[-1].html.body


def test_a_phone_follows(tmp_path: Path) -> None:
    halls = Halls(tmp_path / "bertviz" / "halls.sqlite")
    lecture = halls.open()
    halls.ask(lecture, State(2, 1))
    with running_app(HF_HUB_CACHE=str(tmp_path / "hub")) as url:
        asyncio.run(_followed(url, halls, lecture))
