"""Phones read at once what their hall is asked, on a real server."""

import asyncio
import json
import urllib.request
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest

from benchmarks.hall_viewers import Phone
from benchmarks.session import Told, Viewer
from bertviz_core.hall import rates
from bertviz_core.hall.store import Halls, HallState, Lecture
from tests.live_app import running_app

ASKED = HallState(2, options="true_false")


async def _waits_at_the_door(url: str, halls: Halls, lecture: Lecture) -> None:
    """After many wrong codes letters wait, and enter by themselves; the QR code waits for none."""
    async with AsyncExitStack() as stack:
        guess, late, scanned, known, locked = [
            await stack.enter_async_context(Phone(url)) for _ in range(5)
        ]
        assert not (await known.open("Hall", hall=lecture.code)).problems
        with halls._changing() as file:
            for _ in range(rates.FREE + 8):  # Streamlit says no address of its own machine
                rates.note(file, rates.WRONG, rates.origin(""))
        while "no hall" not in (await guess.open("Hall", hall="AEIO")).problems[0]:
            assert "again by itself" in guess.last.problems[0]
        assert "again by itself" in (await late.open("Hall", hall=lecture.code)).problems[0]
        ticket = halls.ticket(lecture.code)
        assert not (await scanned.open("Hall", hall=lecture.code, ticket=ticket)).problems
        assert not (await known.open("Hall", hall=lecture.code)).problems
        halls.set_rule(lecture, "locked")
        refused = await locked.open("Hall", hall=lecture.code, ticket=ticket)
        assert "locked" in refused.problems[0]
        assert not (await known.open("Hall", hall=lecture.code)).problems
        halls.set_rule(lecture, "")
        async with asyncio.timeout(60):
            while not ("phone" in late.keys and "phone" in locked.keys):
                await asyncio.sleep(0.2)


async def _followed(url: str, halls: Halls, lecture: Lecture) -> None:
    async with Viewer(url) as phone:
        opened = await phone.open("Hall", hall=lecture.code)
        assert not opened.problems
        given = json.loads(opened.of_kind("bidi_component")[0].bidi_component.bytes)
        assert given["said"] == []

        def loaded(known: str = "") -> list[Any]:
            with urllib.request.urlopen(f"{url}/{given['notice']}{known}") as answer:
                return json.load(answer)

        def asked(known: str = "") -> HallState:
            return HallState(*loaded(known))

        assert asked() == ASKED
        assert loaded() == given["state"]
        for told in ([2, 1, "anything"], [2, 2, "true"], "true", [3, 1, "true"]):
            assert not (await phone.press("phone", Told("said", told))).problems, told
        assert not halls.answers(lecture.code, 2, 1)
        for told in ([2, 1, "true"], [2, 1, "false"]):
            voted = await phone.press("phone", Told("said", told))
            assert not voted.problems, told
        assert halls.answers(lecture.code, 2, 1) == {"true": 1}
        waits = asyncio.create_task(asyncio.to_thread(asked, "?2-1-nothing"))
        await asyncio.sleep(1)
        assert not waits.done()
        halls.ask(lecture, HallState(3, 2))
        assert await waits == asked() == HallState(3, 2)
        await _waits_at_the_door(url, halls, lecture)
        waits = asyncio.create_task(asyncio.to_thread(asked, "?3-2-nothing"))
        (halls.notices / f"{halls.notice(lecture.code)}0").write_text("[]")
        halls.close(lecture)
        for gone in (waits, asyncio.to_thread(asked), asyncio.to_thread(asked, "0")):
            with pytest.raises(HTTPError, match="404"):
                await gone
        closed = await phone.press("phone", Told("moved", 1))
        assert "closed" in closed.of_kind("html")[-1].html.body


def test_a_phone_follows(tmp_path: Path) -> None:
    halls = Halls(tmp_path / "bertviz" / "halls.sqlite")
    lecture = halls.open()
    halls.ask(lecture, ASKED)
    left = _left_behind(halls)
    with running_app(HF_HUB_CACHE=str(tmp_path / "hub")) as url:
        assert not [path for path in left if path.exists()]
        assert [code for (code,) in halls._read("SELECT code FROM halls")] == [lecture.code]
        asyncio.run(_followed(url, halls, lecture))


def _left_behind(halls: Halls) -> list[Path]:
    """What servers that were killed have left: half written files, a hall of yesterday."""
    old = halls.open()
    halls._change("UPDATE halls SET used=used-? WHERE code=?", 86_400, old.code)
    left = [halls.notices / halls.notice(old.code), halls.notices / f"{'0' * 24}.0123456789abcdef"]
    left += [halls.notices.parent / name for name in ("_0123.unfinished", "tmp0123.part/weights")]
    for path in left:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"[]")
    return [*left, left[-1].parent]


async def _comes(url: str, lecture: Lecture, cookies: dict[str, str], vote: str) -> Any:
    """A phone with its cookies votes, beside its lecturer; what it had said before."""
    phone, projector = Viewer(url), Viewer(url)
    phone.cookies |= cookies
    async with phone, projector:
        await projector.open("Tokens", tour="2", present="1", lecture=".".join(lecture))
        assert "hall-close" in projector.keys, "the lecturer leads it"
        opened = await phone.open("Hall", hall=lecture.code)
        assert not opened.problems
        await phone.press("phone", Told("said", [2, 1, vote]))
    cookies |= phone.cookies
    return json.loads(opened.of_kind("bidi_component")[0].bidi_component.bytes)["said"]


def test_a_server_that_is_started_again_has_its_hall_and_the_phones(tmp_path: Path) -> None:
    """As docs/talk.md says; a phone is known by the cookie that it has."""
    halls = Halls(tmp_path / "bertviz" / "halls.sqlite")
    lecture, cookies = halls.open(), dict[str, str]()
    halls.ask(lecture, ASKED)
    ticket, said = halls.ticket(lecture.code), []
    for vote in ("true", "false"):
        with running_app(HF_HUB_CACHE=str(tmp_path / "hub")) as url:
            said.append(asyncio.run(_comes(url, lecture, cookies, vote)))
    assert said == [[], ["2-1"]], "it votes once"
    assert halls.answers(lecture.code, 2, 1) == {"true": 1}
    assert halls.present(lecture.code) == 1
    assert halls.ticket(lecture.code) == ticket
