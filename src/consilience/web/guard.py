"""Who may ask and how much: settings, host, origin, token and size, before any screen sees a
request.

A page from elsewhere can make the browser send requests to this machine. Such a request has a
foreign Host (DNS rebinding), a foreign Origin (a form or a script on another site), or no cookie of
ours, because the cookie is SameSite=Strict. Each of the three is refused by itself.
"""

from __future__ import annotations

import contextlib
import hmac
import secrets
import socket
from collections.abc import Callable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

# ---- What can be set about the workbench: where it listens, what it may use

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Limits and places of one workbench.

    Attributes
    ----------
    host, port : str, int
        Where it listens; another host than the machine itself has to be asked for.
    paths : tuple of str
        Files that were named on the command line, shown at once.
    watch : bool
        Look whether these files change.
    project : Path or None
        File for decisions; default beside the data.
    largest_upload : int
        Bytes of one request.
    large_file, large_ratings : int
        Bytes or ratings beyond which a file goes through the engine: it is reduced where it lies,
        and a sample of its items is shown.
    sampled_items : int
        How many items such a sample has.
    seconds, memory : float, int
        What one job may take: time on the clock, bytes of address space.
    at_once, waiting : int
        Jobs that run, and jobs that wait for their turn; one more is refused.
    patience : float
        Seconds that a page waits for its job before it shows how far that is.
    """

    host: str = "127.0.0.1"
    port: int = 0
    paths: tuple[str, ...] = ()
    watch: bool = False
    project: Path | None = None
    largest_upload: int = 50 << 20
    large_file: int = 50 << 20
    large_ratings: int = 1_000_000
    sampled_items: int = 10_000
    seconds: float = 60.0
    memory: int = 4 << 30
    at_once: int = 2
    waiting: int = 100
    patience: float = 1.0

    @property
    def is_local(self) -> bool:
        """Whether nobody but this machine can reach it."""
        return self.host in LOOPBACK


# ---- Who may ask: host, origin, token and size are checked before any screen sees a request

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
PLAYER = "; media-src blob:"  # a film that the user picks from the disk, and that stays there
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
_READS = ("GET", "HEAD")
_SMALL_BODY = 1 << 20  # bytes of anything that is not an upload
UPLOAD_PATHS = ("/open", "/rounds")


class Keys:
    """The token of the start link, good for one use, and the cookie that it is exchanged for."""

    def __init__(self, tell: Callable[[str], None] = lambda token: None) -> None:
        self.token = secrets.token_urlsafe(32)
        self.cookie = secrets.token_urlsafe(32)
        self.cookie_name = f"consilience-{secrets.token_hex(4)}"
        self._tell = tell

    def use(self, token: str) -> bool:
        """Tell whether the token is the right one; a second use is refused."""
        right = bool(self.token) and hmac.compare_digest(token.encode(), self.token.encode())
        if right:
            self.token = ""
        return right

    def renew(self) -> None:
        """Make a new link and show it on the terminal, which only the owner sees."""
        if not self.token:
            self.token = secrets.token_urlsafe(32)
            self._tell(self.token)

    def knows(self, cookies: str) -> bool:
        """Tell whether a Cookie header holds our cookie."""
        try:
            found = SimpleCookie(cookies).get(self.cookie_name)
        except CookieError:
            return False
        value = found.value if found is not None else ""
        return hmac.compare_digest(value.encode(), self.cookie.encode())


class TooLargeError(Exception):
    """The body of a request is larger than it may be."""


class Guard:
    """Middleware around the whole application."""

    def __init__(
        self, app: Any, *, keys: Keys, settings: Settings, broken: Callable[[Exception], str]
    ) -> None:
        self.app = app
        self.broken = broken  # shows an error on the terminal and returns its number
        self.keys = keys
        self.settings = settings
        self.hosts = _own_names(settings)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Refuse, exchange a token, or hand on."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        headers = {key.decode("latin-1").lower(): value.decode("latin-1")
                   for key, value in scope["headers"]}  # fmt: skip
        refusal = self._refusal(scope["method"], headers)
        if refusal is not None:
            await _answer(send, *refusal)
            return
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        token = next((value for name, value in query if name == "token"), None)
        if token is not None:
            await self._exchange(scope, send, query, token, headers)
        elif not self.keys.knows(headers.get("cookie", "")):
            await _answer(send, 403, "Open the link that the terminal shows: it lets you in.")
        else:
            await self._limited(scope, receive, send, headers)

    def _refusal(self, method: str, headers: dict[str, str]) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if _name_of(host) not in self.hosts:
            return 400, "This workbench answers to its own name only."
        if method in _READS:
            return None
        if method != "POST":
            return 405, "Only GET and POST are known here."
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        is_own = origin == f"http://{host}"
        # Under no-referrer a browser sends the origin of our own forms as null.
        silent = site == "same-origin" and origin in (None, "null")
        if (site is not None and site not in ("same-origin", "none")) or not (is_own or silent):
            return 403, "A form of another site is not taken."
        return None

    async def _exchange(
        self, scope: Any, send: Any, query: list[tuple[str, str]], token: str, headers: Any
    ) -> None:
        """Take the token out of the address, for a cookie that scripts cannot read."""
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        # A path that begins with two slashes would name another host.
        path = "/" + scope["path"].lstrip("/\\")
        place = [(b"location", (path + (f"?{rest}" if rest else "")).encode("latin-1", "replace"))]
        if scope["method"] in _READS and self.keys.use(token):
            cookie = (
                f"{self.keys.cookie_name}={self.keys.cookie}; Path=/; HttpOnly; SameSite=Strict"
            )
            await _answer(send, 303, "", [*place, (b"set-cookie", cookie.encode())])
        elif self.keys.knows(headers.get("cookie", "")):
            await _answer(send, 303, "", place)
        else:
            self.keys.renew()
            await _answer(send, 403, "This link was used before. The terminal shows a new one.")

    async def _limited(self, scope: Any, receive: Any, send: Any, headers: Any) -> None:
        """Count the bytes of the body while they come: a length that was announced may lie."""
        is_upload = scope["path"].endswith(UPLOAD_PATHS)
        most = self.settings.largest_upload if is_upload else _SMALL_BODY
        told = headers.get("content-length", "0")
        too_large = (
            f"What is sent may have at most {most / (1 << 20):,.0f} MB. A larger file is read "
            "where it lies: consilience serve PATH."
        )
        if not told.isdigit() or int(told) > most + _SMALL_BODY * is_upload:
            await _answer(send, 413, too_large)
            return
        left, started = most + _SMALL_BODY * is_upload, False

        async def counted() -> Any:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise TooLargeError
            return message

        async def marked(message: Any) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = _guarded(message.get("headers", ()), scope["path"].endswith("/units"))
                message = {**message, "headers": headers}
            await send(message)

        try:
            await self.app(scope, counted, marked)
        except TooLargeError:
            if not started:
                await _answer(send, 413, too_large)
        except Exception as error:
            number = self.broken(error)
            if not started:
                said = f"Something went wrong here. Error {number}: the terminal shows more."
                await _answer(send, 500, said)


def _guarded(headers: Any, plays: bool = False) -> list[tuple[bytes, bytes]]:
    own = HEADERS | ({"content-security-policy": POLICY + PLAYER} if plays else {})
    kept = [(name, value) for name, value in headers if name.lower().decode() not in own]
    return [*kept, *((name.encode(), value.encode()) for name, value in own.items())]


async def _answer(send: Any, status: int, text: str, more: Any = ()) -> None:
    body = text.encode()
    headers = _guarded(
        [
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", str(len(body)).encode()),
            *more,
        ]
    )
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _name_of(host: str) -> str:
    """Return the name in a Host header, without its port; nothing if it is not one name."""
    if host.startswith("["):
        name, closed, port = host.partition("]")
        port = port.removeprefix(":")
        return name + closed if closed and (not port or port.isdigit()) else ""
    name, _, port = host.partition(":")
    return name.lower() if not port or port.isdigit() else ""


def _own_names(settings: Settings) -> set[str]:
    names = {"localhost", "127.0.0.1", "[::1]"}
    if settings.is_local:
        return names
    machine = socket.gethostname()
    addresses = {settings.host, machine}
    with contextlib.suppress(OSError):
        addresses |= {str(found[4][0]) for found in socket.getaddrinfo(machine, None)}
    return names | {f"[{one}]" if ":" in one else one.lower() for one in addresses}
