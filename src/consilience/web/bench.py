"""The workbench: what screens share, how one waits for its job, and the command it stands for."""

from __future__ import annotations

import hashlib
import shlex
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from consilience.core.output_files import TemporaryFolder
from consilience.core.words import printable
from consilience.io.layout.decision import Offer
from consilience.web import pages
from consilience.web.guard import Keys, Settings
from consilience.web.jobs import BROKEN, DONE, REFUSED, BusyError, Job, Jobs
from consilience.web.store import State, Store, stamp_of

# ---- The shell command that does what a screen shows, to be copied and run again

# As the commands list their options, so that a page says the same command as theirs does.
_ORDER = (
    "by",
    "coefficient", "distance", "missing", "confidence_level", "interval", "resamples", "seed",
    "engine", "scale", "categories", "missing_values", "map", "ignore_case", "sets", "no_rater",
    "format", "sheet", "shape", "columns", "item", "rater", "label", "cluster", "variable",
    "duplicates", "empty", "excluded", "predictions", "gold", "delimiter", "encoding", "header",
)  # fmt: skip
_WITH_ENGINE = ("measure", "report")


def shell_words(options: Mapping[str, Any]) -> list[str]:
    """Return options of the library as words of a shell, in the order of the command line.

    >>> shell_words({"item": ("unit",), "distance": "linear", "header": False})
    ['--distance', 'linear', '--item', 'unit', '--no-header']
    """
    known = {name: options[name] for name in _ORDER if options.get(name) not in (None, (), {}, "")}
    return [
        word for name, value in known.items() for word in Offer("", {name: value}).words_of_flags()
    ]


def command_of(
    state: State,
    verb: str = "report",
    more: Sequence[str] = (),
    *,
    measuring: bool = True,
    reduced: bool = False,
    also: Sequence[str] = (),
    first: Sequence[str] = (),
) -> str:
    """Return the command for a reading; none where it would tell names that are hidden.

    The command `measure` has the same options as `report`; others take those of reading alone.
    `also` are further files, `first` words that stand before the options of reading, where the
    command itself lists them first.
    """
    if state.anonymise and (state.reading.get("rater") or "--system" in first):
        return ""
    options = {**state.reading, **(state.measuring if measuring else {})}
    if reduced and verb in _WITH_ENGINE and not state.reading.get("cluster"):
        options["engine"] = "duckdb"
    words = ["consilience", verb, state.file.shown, *also, *first, *shell_words(options)]
    if state.anonymise:
        words.append("--anonymise")
    return shlex.join([*words, *more])


# ---- The workbench: what all screens share, and how a screen waits for its job

WORK = "consilience.web.work"
_READ = "reading:read"
_MOST_STYLES = 50
SCREENS: tuple[tuple[str, str], ...] = (
    ("file", "What is this file?"),
    ("answer", "Answer"),
    ("items", "Items"),
    ("adjudicate", "Adjudicate"),
    ("rounds", "Two rounds"),
    ("panel", "Panel"),
    ("export", "Export"),
)


class AnsweredError(Exception):
    """A screen that cannot be shown yet, or at all; `response` is shown instead."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


def _to_terminal(text: str) -> None:
    print("\n".join(map(printable, text.splitlines())), file=sys.stderr, flush=True)


class Workbench:
    """Settings, keys, files, jobs and decisions of one run."""

    def __init__(self, settings: Settings, *, tell: Callable[[str], None] = _to_terminal) -> None:
        self.settings = settings
        self.tell = tell
        self.keys = Keys(lambda token: tell(f"A new link: {self.address}/?token={token}"))
        self.scratch = TemporaryFolder()
        self.store = Store(self.scratch.path)
        self.jobs = Jobs(settings, tell)
        self.styles: dict[str, str] = {}  # rules of single pages, by the name of their sheet
        self.address = f"http://{settings.host}:{settings.port}"

    def close(self) -> None:
        """End all jobs and remove all that was uploaded."""
        self.jobs.close()
        self.scratch.remove()

    def broken(self, error: BaseException) -> str:
        """Show an error on the terminal under a number, and return the number."""
        return self.jobs.told("".join(traceback.format_exception(error)))

    # ---------------------------------------------------------------- states

    def state(self, request: Request) -> State:
        """Return the reading that an address names."""
        state = self.store.state(request.path_params["state"])
        if state is None:
            raise AnsweredError(
                self.message(
                    "This page is not open any more",
                    "The workbench was started anew, or many other files were opened since.",
                    status=404,
                )
            )
        return state

    def file_of(self, state: State) -> dict[str, Any]:
        """Return what a job needs to know about a file."""
        return {
            "path": state.file.path,
            "shown": state.file.shown,
            "scratch": str(self.scratch.path),
            "at": datetime.fromtimestamp(state.file.opened).strftime("%H:%M"),
            "large": self.is_large(state),
            "memory": f"{self.settings.memory // 2}B",
            "sampled": self.settings.sampled_items,
        }

    def is_large(self, state: State) -> bool:
        """Whether a file goes through the engine: by its size, or once it was read."""
        found = self.known_reading(state)
        is_heavy = state.file.size > self.settings.large_file
        return is_heavy or (found is not None and bool(found["large"]))

    def known_reading(self, state: State) -> dict[str, Any] | None:
        """Return what a file was taken for, as far as that is known already."""
        whole = {name: one for name, one in state.reading.items() if name != "variable"}
        for reading in (dict(state.reading), whole):  # the file was read before one question was
            told = self._read_arguments(state, reading)
            job = self.jobs.known(state.file.key, f"{WORK}.{_READ}", told)
            if job is not None and job.state == DONE:
                found: dict[str, Any] = job.result
                return found
        return None

    # ---------------------------------------------------------------- jobs

    def ask(
        self,
        state: State,
        work: str,
        what: str,
        reading: Mapping[str, Any] | None = None,
        **arguments: Any,
    ) -> Job:
        """Ask for a job about a file and how it is read, by default as `state` says.

        `work` is "module:function" below the folder of work.
        """
        how = {"reading": dict(state.reading if reading is None else reading)}
        file = self.file_of(state) | how | {"anonymise": state.anonymise}
        return self._asked(state, work, what, {"file": file, **arguments})

    def _asked(self, state: State, work: str, what: str, told: dict[str, Any]) -> Job:
        if self.jobs.known(state.file.key, f"{WORK}.{work}", told) is None:
            self._require_unchanged(state)
        try:
            return self.jobs.ask(state.file.key, f"{WORK}.{work}", told, what=what)
        except BusyError:
            raise AnsweredError(
                self.message(
                    "Too much at once",
                    "Many jobs are waiting. Try again in a moment.",
                    status=503,
                    headers={"retry-after": "5"},
                )
            ) from None

    def _require_unchanged(self, state: State) -> None:
        """Refuse to mix two states of a file that is too large to be copied."""
        file = state.file
        if file.is_kept or stamp_of(Path(file.path)) == file.stamp:
            return
        raise AnsweredError(
            self.message(
                "The file has changed",
                "It was written since it was opened, and is too large to keep a copy of.",
                status=409, renew=f"/r/{state.id}/live", state=state,
            )
        )  # fmt: skip

    def read(self, state: State) -> Job:
        """Ask what a file is taken for."""
        told = self._read_arguments(state, dict(state.reading))
        return self._asked(state, _READ, "Reading", told)

    def _read_arguments(self, state: State, reading: dict[str, Any]) -> dict[str, Any]:
        file = {"path": state.file.path, "shown": state.file.shown}
        limits = (self.settings.large_file, self.settings.large_ratings)
        return {
            "file": file | {"memory": f"{self.settings.memory // 2}B"},
            "reading": reading, "anonymise": state.anonymise, "limits": limits,
        }  # fmt: skip

    async def result(
        self,
        request: Request,
        job: Job,
        state: State | None = None,
        *,
        patience: float | None = None,
        early: bool = False,
    ) -> Any:
        """Return the result of a job, or show how far it is, or what became of it.

        With `early` its first screen is enough, which it sends before the end.
        """
        wait = self.settings.patience if patience is None else patience
        if early and await job.wait_early(wait) and job.early is not None:
            return job.early
        if not await job.wait(0.0 if early else wait):
            limit = self.settings.seconds
            page = self.page("working.html", state, job=job, limit=limit, back=here(request))
            raise AnsweredError(HTMLResponse(page, status_code=202))
        if job.state == DONE:
            return job.result
        told: dict[str, Any] = {"again": job.id, "back": here(request), "state": state}
        if state is not None:
            told |= {"elsewhere": f"/r/{state.id}/file", "elsewhere_words": "How the file is read"}
            if self.is_large(state):
                told |= {"sample": f"/r/{state.id}/sample", "shell": self.command(state),
                         "sampled": self.settings.sampled_items}  # fmt: skip
        if job.state == REFUSED:
            response = self.message("This cannot be shown", str(job.result), status=422, **told)
        elif job.state == BROKEN:
            response = self.message(
                "Something went wrong here", "This is a fault of the program, not of your file.",
                status=500, error=job.result, gravity="problem", **told,
            )  # fmt: skip
        else:
            response = self.message("Stopped", str(job.result), status=503, **told)
        raise AnsweredError(response)

    def style_sheet(self, rules: str) -> str:
        """Keep rules that a page needs, and return the name of their style sheet; "" for none."""
        if not rules:
            return ""
        name = hashlib.sha256(rules.encode()).hexdigest()[:24]
        self.styles[name] = rules
        while len(self.styles) > _MOST_STYLES:
            self.styles.pop(next(iter(self.styles)))
        return name

    # ---------------------------------------------------------------- pages

    def page(self, template: str, state: State | None = None, **values: Any) -> str:
        """Render a screen."""
        suffix = "" if values.get("q") is None else f"?q={values['q']}"
        watched = self.settings.watch and state is not None and bool(state.file.origin)
        found = None if state is None else self.known_reading(state)
        timed = found is not None and "time" in found["roles"]
        word = "Live" if watched else "Over time"
        screens: tuple[tuple[str, str], ...] = SCREENS
        if watched or timed:
            screens = (*SCREENS[:-1], ("live", word), SCREENS[-1])
        if found is not None and found["is_timed"]:
            screens = (SCREENS[0], ("units", "Units"))
        usual = {
            "state": state, "screens": screens, "here": "", "suffix": suffix, "watched": watched,
        }  # fmt: skip
        return pages.screen(template, **{**usual, **values})

    def show(self, template: str, state: State | None = None, **values: Any) -> Response:
        """Answer with a screen."""
        return HTMLResponse(self.page(template, state, **values))

    def message(
        self,
        heading: str,
        text: str,
        *,
        status: int = 400,
        headers: Mapping[str, str] | None = None,
        **values: Any,
    ) -> Response:
        """Answer with one sentence."""
        usual = {"again": "", "back": "/", "error": "", "renew": "", "sample": "", "shell": ""}
        page = self.page("message.html", heading=heading, text=text, **{**usual, **values})
        return HTMLResponse(page, status_code=status, headers=dict(headers or {}))

    def command(self, state: State, verb: str = "report", *more: str, **how: Any) -> str:
        """Return the command that does what a screen shows."""
        found = self.known_reading(state)
        reduced = self.is_large(state) and (found is None or bool(found["reduced"]))
        return command_of(state, verb, more, reduced=reduced, **how)


def bench_of(request: Request) -> Workbench:
    """Return the workbench that a request belongs to."""
    bench: Workbench = request.app.state.bench
    return bench


def arrived(request: Request) -> tuple[Workbench, State]:
    """Return the workbench that a request belongs to, and the reading that its address names."""
    bench = bench_of(request)
    return bench, bench.state(request)


def here(request: Request) -> str:
    """Return the address of a request on this server."""
    return str(request.url.path) + (f"?{request.url.query}" if request.url.query else "")


def go(address: str) -> Response:
    """Lead the browser to another screen, after something was done."""
    return RedirectResponse(address, status_code=303)


def own_address(text: str) -> str:
    """Return an address on this server; the start for everything else.

    >>> own_address("/r/x/answer"), own_address("//evil.example"), own_address("https://evil")
    ('/r/x/answer', '/', '/')
    """
    is_own = text.startswith("/") and not text.startswith(("//", "/\\")) and text.isprintable()
    return text if is_own else "/"


# ---- How every screen begins: which reading and which question an address is about


@dataclass(frozen=True)
class Visit:
    """A request about a file that was understood.

    `read` says how it was read; `q` and `question` are the number and the name of the question that
    the address is about, where the file has several.
    """

    request: Request
    bench: Workbench
    state: State
    read: dict[str, Any]
    q: int | None
    question: str | None

    @property
    def narrowed(self) -> State:
        """The reading narrowed to the question, as the command line would say it."""
        return bench_state(self.state, self.question)

    @property
    def suffix(self) -> str:
        """The end of an address about the same question."""
        return "" if self.q is None else f"?q={self.q}"

    @property
    def also(self) -> str:
        """The same behind something else."""
        return "" if self.q is None else f"&q={self.q}"

    def ask(self, work: str, what: str, **more: Any) -> Job:
        """Ask for a job about the question."""
        return self.bench.ask(self.state, work, what, self.narrowed.reading, **more)

    def report(self) -> Job:
        """Ask for the report."""
        return report_of(self.bench, self.state, self.question)

    async def result(self, job: Job, **how: Any) -> Any:
        """Return the result of a job, or show how far it is."""
        return await self.bench.result(self.request, job, self.state, **how)

    async def whole(self, job: Job) -> Any:
        """Return the result of a job, however long that takes: a file is to be sent."""
        return await self.result(job, patience=self.bench.settings.seconds)

    def show(self, screen: str, template: str = "", **values: Any) -> Response:
        """Answer with a screen about the question."""
        usual = {"here": screen, "q": self.q, "read": self.read, "query": self.also}
        return self.bench.show(template or f"{screen}.html", self.state, **{**usual, **values})

    def command(self, verb: str = "report", *more: str, **how: Any) -> str:
        """Return the command that does the same."""
        return self.bench.command(self.narrowed, verb, *more, **how)


async def visit(request: Request, *, single: bool = False) -> Visit:
    """Return what a request is about; a file that was refused opens where it can be put right.

    A screen that is about a `single` question leads to the first of several.
    """
    bench, state = arrived(request)
    read: dict[str, Any] = await bench.result(request, bench.read(state), state)
    if read["status"] != "clear":
        raise AnsweredError(go(f"/r/{state.id}/file"))
    q, questions = number_in(request, "q"), read["questions"]
    if len(questions) < 2:
        return Visit(request, bench, state, read, None, None)
    if q is None:
        if single:
            raise AnsweredError(go(f"{request.url.path}?q=0"))
        return Visit(request, bench, state, read, None, None)
    q = min(q, len(questions) - 1)
    return Visit(request, bench, state, read, q, questions[q]["name"])


def number_in(request: Request, name: str) -> int | None:
    """Return a whole number of the address; None if there is none."""
    word = request.query_params.get(name, "")
    return int(word) if word.isdigit() and len(word) < 10 else None


def bench_state(state: State, question: str | None) -> State:
    """Return the reading narrowed to a question, as the command line would say it."""
    if question is None:
        return state
    return replace(state, reading={**state.reading, "variable": (question,)})


def report_of(bench: Workbench, state: State, question: str | None) -> Job:
    """Ask for the report of a reading; its first screen comes before the figures are drawn."""
    narrowed = bench_state(state, question)
    return bench.ask(
        state,
        "answer:answer",
        "Computing the answer",
        narrowed.reading,
        measuring=dict(state.measuring),
        command=bench.command(narrowed),
    )


def on_screen(found: dict[str, Any]) -> dict[str, Any]:
    """Return a page that a job rendered in parts, ready for a template."""
    return {
        "first": pages.ready(found["first"]),
        "parts": [(one["id"], one["title"], pages.ready(one["html"])) for one in found["tabs"]],
    }


def attachment(content: str | bytes, name: str, kind: str) -> Response:
    """Answer with a file to be saved; its name is text for the browser only."""
    safe = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in name)
    told = f"attachment; filename=\"{safe}\"; filename*=UTF-8''{quote(name)}"
    return Response(content, media_type=kind, headers={"content-disposition": told})


def page_file(found: dict[str, Any], name: str) -> Response:
    """Answer with the page that a job made, to be saved."""
    return attachment(found["html"].encode(), name, "text/html; charset=utf-8")
