"""The application: which address shows which screen, behind one guard, and how it is served."""

from __future__ import annotations

import contextlib
import socket
import threading
import webbrowser
from collections.abc import AsyncIterator
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from consilience.exceptions import InputError
from consilience.web import pages
from consilience.web.bench import AnsweredError, Workbench, bench_of, go, own_address, report_of
from consilience.web.guard import Guard, Settings
from consilience.web.screens import adjudication, answer, compared, file, items, live, units

# ---- The application: which address shows which screen, behind one guard

_SCREENS = (file, answer, items, adjudication, live, compared, units)


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
        *(route for screen in _SCREENS for route in screen.ROUTES),
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


# ---- Starting and ending the server

_SECONDS_TO_END = 3
_SMALL = 1 << 20  # bytes


def serve(settings: Settings, *, browser: bool = True) -> None:
    """Run the workbench until Ctrl-C.

    Parameters
    ----------
    settings : Settings
    browser : bool, default True
        Open the start page in the browser.

    Returns
    -------
    None

    Examples
    --------
    >>> serve(Settings(paths=("ratings.csv",)))  # doctest: +SKIP
    """
    from dataclasses import replace

    listening = _listening(settings)
    port = listening.getsockname()[1]
    bench = Workbench(replace(settings, port=port))
    try:
        start = _opened(bench)
        address = f"{bench.address}{start}?token={bench.keys.token}"
        if not settings.is_local:
            bench.tell(
                f"Warning: {settings.host} can be reached from other machines. Whoever has the "
                "link sees your data; it is sent unencrypted."
            )
        bench.tell(f"Workbench: {address}\nCtrl-C ends it.")
        config = uvicorn.Config(
            workbench(bench=bench), log_level="error", access_log=False, server_header=False,
            ws="none", timeout_graceful_shutdown=_SECONDS_TO_END, limit_concurrency=1_000,
        )  # fmt: skip
        if browser:  # which waits at the door, as we listen already
            threading.Thread(target=webbrowser.open, args=[address], daemon=True).start()
        with contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listening])
    finally:
        bench.close()
        listening.close()


def _listening(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host, settings.port))
        listening.listen(128)  # whoever follows the link at once waits, and is not turned away
    except OSError as error:
        listening.close()
        raise InputError.expected(
            "the port", "free here", f"{settings.host}:{settings.port}, {error.strerror}",
            "leave --port out, and a free one is found",
        ) from error  # fmt: skip
    return listening


def _opened(bench: Workbench) -> str:
    """Open the file that was named and return its address; the start where there is none."""
    if not bench.settings.paths:
        return "/"
    path: Any = bench.settings.paths[0]
    try:
        opened = bench.store.add_local(path)
    except OSError as error:
        raise InputError.expected(
            "PATH", "a file that can be read", f"{path}: {error.strerror}", "check its name"
        ) from error
    state = bench.store.start(opened)
    # All this is on its way before the browser asks for it.
    bench.jobs.warm_up()
    bench.read(state)
    if opened.size <= _SMALL:  # of a larger one it is not known yet which way it goes
        report_of(bench, state, None)
    return f"/r/{state.id}/answer"
