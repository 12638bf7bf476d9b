"""A workbench that listens on the loopback address, and a client that can also misbehave."""

from __future__ import annotations

import http.client
import json
import re
import shlex
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import uvicorn

from consilience.web import Settings, workbench
from consilience.web.bench import Workbench
from patience import PATIENCE, until

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


@dataclass
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    @property
    def words(self) -> str:
        """The page as text."""
        return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", self.text)))

    @property
    def command(self) -> list[str]:
        """The words of the command that the page shows."""
        found = re.search(r'aria-label="The command">(.*?)</pre>', self.text)
        assert found is not None, self.words[:400]
        return shlex.split(unescape(re.sub(r"<[^>]*>", "", found[1])))

    @property
    def place(self) -> str:
        return self.headers.get("location", "")


@dataclass
class Running:
    """A server and somebody who talks to it."""

    bench: Workbench
    port: int
    said: list[str] = field(default_factory=list)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def cookie(self) -> str:
        return f"{self.bench.keys.cookie_name}={self.bench.keys.cookie}"

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        *,
        headers: dict[str, str | None] | None = None,
    ) -> Answer:
        """Send a request; a header that is None is left out."""
        usual: dict[str, str | None] = {
            "Host": f"127.0.0.1:{self.port}", "Cookie": self.cookie,
        }  # fmt: skip
        if method == "POST":
            usual |= {"Origin": self.origin, "Sec-Fetch-Site": "same-origin"}
        sent = {**usual, **(headers or {})}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=2 * PATIENCE)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in sent.items():
                if value is not None:
                    connection.putheader(name, value)
            if (
                body is not None
                and "Content-Length" not in sent
                and ("Transfer-Encoding" not in sent)
            ):
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders()
            if body is not None:
                # A large body may be refused before all of it was sent.
                with suppress(BrokenPipeError, ConnectionResetError):
                    connection.send(body)
            got = connection.getresponse()
            found = {name.lower(): value for name, value in got.getheaders()}
            return Answer(got.status, found, got.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str | None) -> Answer:
        return self.ask("GET", path, headers=headers)

    def page(self, path: str) -> Answer:
        """Get a page, as long as it takes."""
        answer = self.get(path)

        def is_there() -> bool:
            nonlocal answer, path
            if answer.status in (303, 307):
                path = answer.place
            elif answer.status != 202:
                return True
            answer = self.get(path)
            return False

        until(is_there, f"{path} is shown", look_every=0.1)
        return answer

    def post(self, path: str, **form: Any) -> Answer:
        body = urlencode(form).encode()
        return self.ask(
            "POST", path, body, headers={"Content-Type": "application/x-www-form-urlencoded"}
        )

    def post_form(self, path: str, **form: str) -> Answer:
        """Send fields as a form with files does."""
        parts = [
            f'--edge\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in form.items()
        ]
        return self.ask("POST", path, ("".join(parts) + "--edge--\r\n").encode(), headers=FORM)

    def upload(self, name: str, content: bytes, **headers: str | None) -> Answer:
        """Send a file as a browser does."""
        return self.ask("POST", "/open", multipart(name, content), headers={**FORM, **headers})

    def opened(self, path: Path | str) -> str:
        """Open a file of this machine and return the address of its reading."""
        store = self.bench.store
        return f"/r/{store.start(store.add_local(str(path))).id}"

    def data(self, path: str) -> Any:
        answer = self.page(path)
        assert answer.status == 200, answer.words
        return json.loads(answer.text)


FORM: dict[str, str | None] = {"Content-Type": "multipart/form-data; boundary=edge"}


def multipart(name: str, content: bytes, *, end: bytes = b"\r\n--edge--\r\n") -> bytes:
    head = f'--edge\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    return head.encode("utf-8", "surrogateescape") + content + end


@contextmanager
def running(settings: Settings | None = None) -> Iterator[Running]:
    """Run a workbench in a thread of this process."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    said: list[str] = []
    bench = Workbench(settings or Settings(patience=PATIENCE, seconds=PATIENCE), tell=said.append)
    config = uvicorn.Config(
        workbench(bench=bench), log_level="critical", access_log=False, ws="none",
        server_header=False, timeout_graceful_shutdown=1,
    )  # fmt: skip
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        until(lambda: server.started or not thread.is_alive(), "the server starts")
        yield Running(bench, listening.getsockname()[1], said)
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        listening.close()
