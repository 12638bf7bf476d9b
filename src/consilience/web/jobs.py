"""Work in processes of its own: so many at once, so many waiting, each with an end.

The server itself never reads a file and never computes. A job that hangs, eats memory or crashes
takes nobody else down; its page says so in a sentence.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import multiprocessing
import secrets
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from consilience.web import child_process
from consilience.web.child_process import of_message
from consilience.web.guard import Settings

_TICK = 0.05  # seconds between two looks at a job
_MOST_KEPT = 300
_MOST_BYTES = 256 << 20
WAITING, RUNNING, DONE, REFUSED, STOPPED, BROKEN = (
    "waiting", "running", "done", "refused", "stopped", "broken",
)  # fmt: skip


class BusyError(Exception):
    """Too many jobs are waiting."""


@dataclass
class Job:
    """One piece of work, and what became of it.

    Attributes
    ----------
    id : str
        Its name in addresses.
    state : str
        "waiting", "running", "done", "refused", "stopped" or "broken".
    result : object
        What it returned; a sentence where it was refused or stopped, an error id where it broke.
    progress : str
        How far it is, in words.
    """

    id: str
    key: str
    what: str
    state: str = WAITING
    result: Any = None
    progress: str = ""
    started: float = field(default_factory=time.monotonic)
    size: int = 0
    cancelled: threading.Event = field(default_factory=threading.Event)
    future: Future[None] | None = None
    early: Any = None  # what it sent before the end: the first screen

    @property
    def is_over(self) -> bool:
        """Whether there is something to show."""
        return self.state not in (WAITING, RUNNING)

    @property
    def seconds(self) -> float:
        """How long ago it was asked for."""
        return time.monotonic() - self.started

    def cancel(self) -> None:
        """End it; what it did so far is thrown away, but for what it sent early."""
        self.cancelled.set()
        if self.future is not None and self.future.cancel():
            self.state, self.result = STOPPED, "It was stopped before it began."

    async def wait(self, seconds: float) -> bool:
        """Wait until it is over, at most so long; tell whether it is."""
        if self.future is not None and not self.is_over:
            await asyncio.wait({asyncio.wrap_future(self.future)}, timeout=seconds)
        return self.is_over

    async def wait_early(self, seconds: float) -> bool:
        """Wait until it has sent its first screen, or is over; tell whether there is something."""
        end = time.monotonic() + seconds
        while self.early is None and not self.is_over and time.monotonic() < end:
            await asyncio.sleep(_TICK / 2)
        return self.early is not None or self.is_over


def process_maker() -> Any:
    """Return what starts processes: each is a copy of one that has loaded all that jobs need.

    That one starts at the first call, and loads while the caller goes on.
    """
    if sys.platform == "win32":
        return multiprocessing.get_context("spawn")
    from multiprocessing import forkserver

    maker = multiprocessing.get_context("forkserver")
    maker.set_forkserver_preload(["consilience.web.work.warm"])
    forkserver.ensure_running()
    return maker


class Jobs:
    """The jobs of one workbench."""

    def __init__(self, settings: Settings, report: Callable[[str], None]) -> None:
        self._settings = settings
        self._report = report  # where tracebacks go: the terminal
        self._processes = process_maker()
        self._pool = ThreadPoolExecutor(settings.at_once, thread_name_prefix="job")
        self._known: OrderedDict[str, Job] = OrderedDict()
        self._lock = threading.Lock()

    def warm_up(self) -> None:
        """Start the process that all others are copied from, before anybody waits for it."""
        self.ask("warm", "consilience.web.work.warm:ready", {}, what="Starting")

    def ask(self, what_for: object, place: str, arguments: Mapping[str, Any], *, what: str) -> Job:
        """Return the job that does this; the same question is answered by the same job.

        `what_for` and the arguments are the question, `place` names the function, `what` is said
        while it runs.
        """
        key = _key(what_for, place, arguments)
        with self._lock:
            job = self._known.get(key)
            if job is not None:
                self._known.move_to_end(key)
                return job
            if sum(one.state == WAITING for one in self._known.values()) >= self._settings.waiting:
                raise BusyError
            job = Job(id=secrets.token_urlsafe(12), key=key, what=what)
            self._known[key] = job
            job.future = self._pool.submit(self._run, job, place, dict(arguments))
            self._forget()
        return job

    def known(self, what_for: object, place: str, arguments: Mapping[str, Any]) -> Job | None:
        """Return the job that was asked for this; None if there is none."""
        with self._lock:
            return self._known.get(_key(what_for, place, arguments))

    def named(self, name: str) -> Job | None:
        """Return a job by its name."""
        with self._lock:
            return next((job for job in self._known.values() if job.id == name), None)

    def again(self, job: Job) -> None:
        """Forget what became of a job, so that the next question starts it anew."""
        with self._lock:
            self._known.pop(job.key, None)

    def _forget(self) -> None:
        over = [job for job in self._known.values() if job.is_over]
        size = sum(job.size for job in over)
        while over and (len(self._known) > _MOST_KEPT or size > _MOST_BYTES):
            oldest = over.pop(0)
            size -= oldest.size
            del self._known[oldest.key]

    def close(self) -> None:
        """End every job and wait for the processes."""
        with self._lock:
            jobs = list(self._known.values())
        for job in jobs:
            if not job.is_over:
                job.cancel()
        self._pool.shutdown(wait=True, cancel_futures=True)

    # ---------------------------------------------------------------- in a thread of its own

    def _run(self, job: Job, place: str, arguments: dict[str, Any]) -> None:
        if job.cancelled.is_set():
            job.result, job.state = "It was stopped before it began.", STOPPED
            return
        job.state = RUNNING
        try:
            state, result = self._watched(job, place, arguments)
        except Exception as error:  # a process that cannot be started, an answer that is none
            state, result = BROKEN, repr(error)
        if state == BROKEN:
            result = self.told(str(result))
        if state == STOPPED and result == child_process.NO_MEMORY:
            result = self._out_of_memory()
        job.result, job.state = result, state

    def _watched(self, job: Job, place: str, arguments: dict[str, Any]) -> tuple[str, Any]:
        ours, theirs = self._processes.Pipe(duplex=False)
        limits = (self._settings.memory, self._settings.seconds)
        process = self._processes.Process(
            target=child_process.run, args=(theirs, place, arguments, *limits), daemon=True
        )
        process.start()
        theirs.close()
        end = time.monotonic() + self._settings.seconds
        try:
            return self._heard(job, ours, end)
        finally:
            ours.close()
            process.kill()
            process.join()
            process.close()

    def _heard(self, job: Job, answers: Any, end: float) -> tuple[str, Any]:
        while not job.cancelled.is_set():
            if time.monotonic() > end:
                most = f"{self._settings.seconds:.0f}"
                return STOPPED, f"It took longer than {most} seconds and was stopped."
            if not answers.poll(_TICK):
                continue
            try:
                data = answers.recv_bytes()
            except EOFError:
                return STOPPED, self._out_of_memory()
            state, result = of_message(data)
            if state == "early":
                job.early = result
            elif state == "progress":
                job.progress = str(result)
            else:
                job.size = len(data)
                return state, result
        return STOPPED, "It was stopped, as asked. Nothing was changed."

    def _out_of_memory(self) -> str:
        most = self._settings.memory / (1 << 30)
        return f"It needed more than {most:.1f} GB of memory, or ended by itself, and was stopped."

    def told(self, trace: str) -> str:
        """Show a traceback on the terminal under a number, and return the number."""
        number = secrets.token_hex(4)
        self._report(f"Error {number}\n{trace}")
        return number


def _key(*parts: object) -> str:
    text = json.dumps(parts, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
