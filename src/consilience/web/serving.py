"""Starting and ending the server."""

from __future__ import annotations

import contextlib
import socket
import threading
import webbrowser
from typing import Any

import uvicorn

from consilience.exceptions import InputError
from consilience.web.app import workbench
from consilience.web.bench import Workbench
from consilience.web.screens.views import report_of
from consilience.web.workbench_settings import Settings

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
        file = bench.store.add_local(path)
    except OSError as error:
        raise InputError.expected(
            "PATH", "a file that can be read", f"{path}: {error.strerror}", "check its name"
        ) from error
    state = bench.store.start(file)
    # All this is on its way before the browser asks for it.
    bench.jobs.warm_up()
    bench.read(state)
    if file.size <= _SMALL:  # of a larger one it is not known yet which way it goes
        report_of(bench, state, None)
    return f"/r/{state.id}/answer"
