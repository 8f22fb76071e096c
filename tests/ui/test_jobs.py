"""Work beside the pages: shared by all viewers, ended when nobody waits, one place for errors."""

import threading
import time
from collections.abc import Iterator

import pytest

from bertviz_core.errors import BertvizError, UserInputError
from bertviz_core.ui import jobs
from bertviz_core.ui.jobs import Job
from tests.waiting import wait_for

KEY = ("test", "job")


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    yield
    job = jobs.find(KEY)
    if job is not None:
        wait_for(lambda: job.state != "running")
        jobs.forget(KEY)


def test_equal_work_is_done_once() -> None:
    go_on, runs = threading.Event(), []

    def work(job: Job) -> None:
        runs.append(job)
        job.report(1, 4)
        go_on.wait(20)

    first = jobs.begin(KEY, "The work", work, total=9)
    assert first.total in (9, 4)
    second = jobs.begin(KEY, "The work", work)
    wait_for(lambda: first.done == 1)
    assert second is first is jobs.find(KEY)
    assert (first.state, first.share) == ("running", 0.25)
    jobs.forget(KEY)
    assert jobs.find(KEY) is first  # a running job is not forgotten
    go_on.set()
    wait_for(lambda: first.state == "ended")
    assert len(runs) == 1
    wait_for(lambda: jobs.find(KEY) is None)


def test_work_that_nobody_waits_for_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "PATIENCE", 0.5)
    steps = []

    def work(job: Job) -> None:
        for step in range(1000):
            steps.append(step)
            job.report(step, 1000)
            time.sleep(0.01)

    job = jobs.begin(KEY, "The work", work)
    for _ in range(30):  # somebody looks at it for longer than the patience lasts
        job.watch()
        time.sleep(0.02)
    assert job.state == "running"
    wait_for(lambda: job.state == "ended")
    assert len(steps) < 1000
    monkeypatch.setattr(jobs, "PATIENCE", 0.0)
    again = jobs.begin(KEY, "The work", lambda job: job.report(1, 1), finish=True)
    assert again is not job
    wait_for(lambda: again.state == "ended")  # it is worth finishing


def test_a_failure_is_said_and_another_try_is_possible(caplog: pytest.LogCaptureFixture) -> None:
    def refused(job: Job) -> None:
        raise UserInputError("There are too few sentences.")

    def broken(job: Job) -> None:
        raise KeyError("the cause")

    job = jobs.begin(KEY, "The work", refused)
    wait_for(lambda: job.state == "failed")
    assert job.message == "There are too few sentences."
    assert "The work failed: There are too few sentences." in caplog.text
    assert "Traceback" not in caplog.text  # it is expected
    with pytest.raises(BertvizError, match="too few"):
        jobs.follow(job, lambda job: "Working")
    assert jobs.find(KEY) is None
    defect = jobs.begin(KEY, "The work", broken)
    wait_for(lambda: defect.state == "failed")
    assert defect.message.startswith("The work stopped")
    assert "KeyError" not in defect.message
    assert "KeyError: 'the cause'" in caplog.text
    assert "Traceback" in caplog.text


def test_ended_jobs_do_not_pile_up() -> None:
    def fails(job: Job) -> None:
        raise UserInputError("There are too few sentences.")

    failed = jobs.begin(KEY, "The work", fails)
    ended = [jobs.begin(("test", number), "The work", lambda job: None) for number in range(3)]
    wait_for(lambda: not any(jobs.find(job.key) for job in ended))
    wait_for(lambda: failed.state == "failed")
    assert jobs.find(KEY) is failed  # its message is still to be shown
