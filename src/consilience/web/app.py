"""The application: which address shows which screen, behind one guard."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from consilience.web import pages
from consilience.web.bench import AnsweredError, Workbench, bench_of, go, own_address
from consilience.web.guard import Guard
from consilience.web.screens.adjudication_screen import ROUTES as ADJUDICATION
from consilience.web.screens.answer_screen import ROUTES as ANSWER
from consilience.web.screens.export_screen import ROUTES as EXPORT
from consilience.web.screens.file_screen import ROUTES as FILE
from consilience.web.screens.items_screen import ROUTES as ITEMS
from consilience.web.screens.live_screen import ROUTES as LIVE
from consilience.web.screens.panel_screen import ROUTES as PANEL
from consilience.web.screens.rounds_screen import ROUTES as ROUNDS
from consilience.web.screens.start_screen import ROUTES as START
from consilience.web.screens.units_screen import ROUTES as UNITS
from consilience.web.workbench_settings import Settings


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in pages.STATIC:
        raise HTTPException(404)
    return Response(pages.static_file(name), media_type=pages.STATIC[name])


async def _style(request: Request) -> Response:
    rules = bench_of(request).styles.get(request.path_params["name"])
    if rules is None:
        raise HTTPException(404)
    return Response(rules, media_type="text/css")


async def _alive(request: Request) -> Response:
    return JSONResponse({"alive": True})


async def _cancel(request: Request) -> Response:
    job = bench_of(request).jobs.named(request.path_params["job"])
    if job is not None:
        job.cancel()
    return go(own_address(str((await request.form()).get("back", "/"))))


async def _again(request: Request) -> Response:
    bench = bench_of(request)
    job = bench.jobs.named(request.path_params["job"])
    if job is not None:
        bench.jobs.again(job)
    return go(own_address(str((await request.form()).get("back", "/"))))


async def _answered(request: Request, error: Exception) -> Response:
    assert isinstance(error, AnsweredError)
    return error.response


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = {404: "There is no such page", 405: "This cannot be asked here"}
    heading = words.get(error.status_code, "This cannot be done")
    text = "" if error.status_code in words else str(error.detail)
    return bench_of(request).message(heading, text, status=error.status_code)


def _routes() -> list[Route]:
    get, post = ["GET"], ["POST"]
    return [
        Route("/alive", _alive, methods=get),
        Route("/static/{name}", _static, methods=get),
        Route("/style/{name}.css", _style, methods=get),
        Route("/job/{job}/cancel", _cancel, methods=post),
        Route("/job/{job}/again", _again, methods=post),
        *START,
        *FILE,
        *ANSWER,
        *ITEMS,
        *ADJUDICATION,
        *EXPORT,
        *LIVE,
        *ROUNDS,
        *PANEL,
        *UNITS,
    ]


def workbench(settings: Settings | None = None, *, bench: Workbench | None = None) -> Starlette:
    """Make the application of a workbench.

    Parameters
    ----------
    settings : Settings, optional
    bench : Workbench, optional
        What the screens share; default a new one with these settings.

    Returns
    -------
    Starlette
        An ASGI application; its `state.bench` holds keys, files and jobs.

    Examples
    --------
    >>> app = workbench()
    >>> app.state.bench.settings.host
    '127.0.0.1'
    >>> app.state.bench.close()
    """
    chosen = settings or (bench.settings if bench is not None else Settings())
    shared = bench or Workbench(chosen)

    @contextlib.asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        shared.jobs.warm_up()
        try:
            yield
        finally:
            shared.close()

    app = Starlette(
        routes=_routes(),
        lifespan=lifespan,
        middleware=[Middleware(Guard, keys=shared.keys, settings=chosen, broken=shared.broken)],
        exception_handlers={
            AnsweredError: _answered,
            HTTPException: _refused,
        },
    )
    app.state.bench = shared
    return app
