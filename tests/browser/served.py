"""`consilience serve` as a process of its own."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from patience import PATIENCE


class Served:
    """A server that can be talked to, interrupted and killed."""

    def __init__(self, *words: str, cwd: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "consilience", "serve", "--no-browser", *words],
            stderr=subprocess.PIPE, text=True, cwd=cwd,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )  # fmt: skip
        line = self.process.stderr.readline()
        found = re.search(r"http://\S+", line)
        assert found is not None, line
        self.link = found[0]
        self.port = urlsplit(self.link).port
        self.cookie = ""

    def __del__(self) -> None:
        if self.process.poll() is None:  # a test went wrong
            self.kill()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()

    def interrupt(self) -> int:
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(PATIENCE)
        self.process.stderr.close()
        return code

    # ---------------------------------------------------------------- without a browser

    def enter(self) -> str:
        """Follow the link, keep the cookie, and return the address of the file's reading."""
        place = urlsplit(self.link)
        answer = self._ask("GET", f"{place.path}?{place.query}")
        assert answer.status == 303
        self.cookie = answer.headers["set-cookie"].partition(";")[0]
        return place.path.rpartition("/")[0]

    def get(self, path: str) -> tuple[int, str]:
        answer = self._ask("GET", path)
        return answer.status, answer.text

    def post(self, path: str, **form: str) -> int:
        """Send a form; what comes back is the status, after all that was asked for was done."""
        return self._ask("POST", path, urlencode(form)).status

    def _ask(self, method: str, path: str, body: str | None = None) -> _Answer:
        host = f"127.0.0.1:{self.port}"
        headers = {"Host": host, "Cookie": self.cookie}
        if body is not None:
            headers |= {"Origin": f"http://{host}", "Sec-Fetch-Site": "same-origin",
                        "Content-Type": "application/x-www-form-urlencoded"}  # fmt: skip
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, headers)
            got = connection.getresponse()
            return _Answer(got)
        finally:
            connection.close()


class _Answer:
    def __init__(self, got: http.client.HTTPResponse) -> None:
        self.status = got.status
        self.headers = {name.lower(): value for name, value in got.getheaders()}
        self.text = got.read().decode("utf-8", "replace")
