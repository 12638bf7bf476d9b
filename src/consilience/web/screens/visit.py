"""How every screen begins: which reading and which question an address is about."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from consilience.web import pages
from consilience.web.bench import AnsweredError, Workbench, bench_of, go
from consilience.web.jobs import Job
from consilience.web.store import State


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
    bench, state = bench_of(request), bench_of(request).state(request)
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
