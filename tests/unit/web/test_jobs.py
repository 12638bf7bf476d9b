"""Work in other processes: limits hold, the server stays up, nothing is left behind."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from pathlib import Path

import pytest

from consilience.core import output_files as temporary_folders
from consilience.core.output_files import TemporaryFolder
from consilience.web import Settings
from consilience.web import jobs as jobs_module
from consilience.web.child_process import as_message, of_message
from consilience.web.jobs import BROKEN, DONE, REFUSED, RUNNING, STOPPED, BusyError, Job, Jobs
from patience import PATIENCE, until

# What jobs may call here: this file is imported by the child.
HERE = __name__


def echo(text, tell):
    tell("on its way")
    return text.upper()


def sleep(seconds, tell):
    Path(os.environ.get("TMPDIR", "/tmp"))
    time.sleep(seconds)
    return "late"


def eat(tell):
    return len(bytearray(1 << 34))


def crash(tell):
    os.abort()


def fault(tell):
    raise RuntimeError("secret inside")


def refuse(tell):
    from consilience.exceptions import InputError

    raise InputError("the file must be one. Got none. Hint: try.")


@pytest.fixture(scope="module")
def jobs():
    said: list[str] = []
    found = Jobs(Settings(seconds=3 * PATIENCE, at_once=2, waiting=3), said.append)
    found.said = said
    yield found
    found.close()


def over(job: Job, seconds: float = PATIENCE) -> Job:
    # In a thread: where a browser is driven, this one has a loop of its own.
    waiting = threading.Thread(target=lambda: asyncio.run(job.wait(seconds)))
    waiting.start()
    waiting.join()
    assert job.is_over
    return job


def ask(jobs: Jobs, name: str, **arguments: object) -> Job:
    return jobs.ask(HERE, f"{HERE}:{name}", arguments, what="Working")


def test_the_same_question_is_one_job(jobs: Jobs) -> None:
    first = ask(jobs, "echo", text="a")
    assert ask(jobs, "echo", text="a") is first
    assert ask(jobs, "echo", text="b") is not first
    assert over(first).result == "A"
    assert first.state == DONE
    assert jobs.named(first.id) is first


def test_too_much_memory_ends_the_job_only(jobs: Jobs) -> None:
    job = over(ask(jobs, "eat"))
    assert job.state == STOPPED
    assert "4.0 GB" in job.result
    assert over(ask(jobs, "echo", text="still here")).state == DONE


def test_a_crash_ends_the_job_only(jobs: Jobs) -> None:
    assert over(ask(jobs, "crash")).state == STOPPED
    assert over(ask(jobs, "echo", text="alive")).state == DONE


def test_a_fault_is_told_on_the_terminal(jobs: Jobs) -> None:
    job = over(ask(jobs, "fault"))
    assert job.state == BROKEN
    assert "secret" not in job.result
    assert any(job.result in line and "secret inside" in line for line in jobs.said)


def test_a_refusal_is_a_sentence(jobs: Jobs) -> None:
    job = over(ask(jobs, "refuse"))
    assert (job.state, job.result) == (REFUSED, "the file must be one. Got none. Hint: try.")


def test_cancel_ends_what_runs_and_what_waits(jobs: Jobs) -> None:
    running = [ask(jobs, "sleep", seconds=2 * PATIENCE + k) for k in range(2)]
    until(lambda: all(job.state == RUNNING for job in running), "both run")
    waiting = [ask(jobs, "sleep", seconds=3 * PATIENCE + k) for k in range(3)]
    with pytest.raises(BusyError):
        ask(jobs, "sleep", seconds=4 * PATIENCE)
    for job in [*waiting, *running]:
        job.cancel()
    for job in [*waiting, *running]:
        assert over(job).state == STOPPED  # long before it would have ended by itself
    assert {job.result for job in running} == {"It was stopped, as asked. Nothing was changed."}
    assert {job.result for job in waiting} == {"It was stopped before it began."}
    assert over(ask(jobs, "echo", text="next")).state == DONE


def test_time_ends_the_job() -> None:
    jobs = Jobs(Settings(seconds=1, at_once=1), print)
    job = over(ask(jobs, "sleep", seconds=2 * PATIENCE))
    assert job.state == STOPPED
    assert "1 seconds" in job.result
    jobs.close()


def test_a_folder_goes_with_its_owner_and_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(temporary_folders, "_EVERY", 0.0)  # each is a process of its own
    first = TemporaryFolder(tmp_path)
    second = TemporaryFolder(tmp_path)
    assert first.path.stat().st_mode & 0o077 == 0
    assert first.path.exists()  # its owner is alive
    (second.path / "x").write_text("data")
    second.remove()
    assert not second.path.exists()
    (first.path / "upload").write_text("data")
    os.close(first._lock)  # as when the process was killed
    first._lock = None
    third = TemporaryFolder(tmp_path)
    assert not first.path.exists()
    third.remove()
    assert list(tmp_path.iterdir()) == []


def test_what_a_job_sends_holds_plain_values_only() -> None:
    sent = ("done", {1: b"\x00\xff", "rows": [(None, 2.5), "\x00bytes"], "": {"\x00tuple": [1]}})
    assert of_message(as_message(sent)) == sent
    with pytest.raises(TypeError, match="plain values only"):
        as_message(("done", object()))
    for name in ("jobs.py", "child_process.py"):
        text = Path(jobs_module.__file__).with_name(name).read_text()
        assert "pickle" not in text
        assert ".recv()" not in text
