"""What several screens need: which question an address is about, and its report."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from consilience.web.bench import AnsweredError, Workbench, go
from consilience.web.jobs import Job
from consilience.web.store import State


def number_in(request: Request, name: str) -> int | None:
    """Return a whole number of the address; None if there is none."""
    word = request.query_params.get(name, "")
    return int(word) if word.isdigit() and len(word) < 10 else None


async def understood(bench: Workbench, request: Request, state: State) -> dict[str, Any]:
    """Return how a file was read; one that was refused opens where it can be put right."""
    found: dict[str, Any] = await bench.result(request, bench.read(state), state)
    if found["status"] != "clear":
        raise AnsweredError(go(f"/r/{state.id}/file"))
    return found


def question_in(request: Request, found: dict[str, Any]) -> tuple[int | None, str | None]:
    """Return the number and the name of the question that an address is about."""
    q = number_in(request, "q")
    questions = found["questions"]
    if q is None or len(questions) < 2:
        return None, None
    return min(q, len(questions) - 1), questions[min(q, len(questions) - 1)]["name"]


def one_of_several(found: dict[str, Any], question: str | None, address: str) -> None:
    """Lead to the first question where a screen is about one and the file has several."""
    if question is None and len(found["questions"]) > 1:
        raise AnsweredError(go(f"{address}?q=0"))


def asked_command(
    bench: Workbench, state: State, question: str | None, verb: str = "report"
) -> str:
    """Return the command for one question, or for all."""
    return bench.command(bench_state(state, question), verb)


def bench_state(state: State, question: str | None) -> State:
    """Return the reading narrowed to a question, as the command line would say it."""
    if question is None:
        return state
    from dataclasses import replace

    return replace(state, reading={**state.reading, "variable": (question,)})


def report_of(bench: Workbench, state: State, question: str | None) -> Job:
    """Ask for the report of a reading."""
    narrowed = bench_state(state, question)
    return _answer(bench, state, narrowed, "answer", command=bench.command(narrowed))


def first_of(bench: Workbench, state: State, question: str | None) -> Job:
    """Ask for the first screen of the report, which is there before the figures are drawn."""
    return _answer(bench, state, bench_state(state, question), "first")


def _answer(bench: Workbench, state: State, narrowed: State, part: str, **more: str) -> Job:
    return bench.ask(
        state, f"answer_work:{part}", "Computing the answer", reading=dict(narrowed.reading),
        measuring=dict(state.measuring), anonymise=state.anonymise, **more,
    )  # fmt: skip


def attachment(content: str | bytes, name: str, kind: str) -> Response:
    """Answer with a file to be saved; its name is text for the browser only."""
    safe = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in name)
    told = f"attachment; filename=\"{safe}\"; filename*=UTF-8''{quote(name)}"
    return Response(content, media_type=kind, headers={"content-disposition": told})
