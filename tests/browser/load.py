"""Many people at once, bounded in count and time: python -m tests.browser.load 200 50 500."""

from __future__ import annotations

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from consilience.web import Settings
from workbench import EXAMPLES, Running, running


@dataclass(frozen=True)
class Load:
    """What was measured."""

    pages: int
    p95: float
    failed: int
    uploads: int
    wrong: int
    asked: int
    busy: int
    megabytes: float


def memory() -> float:
    """The largest memory of this process, which the server runs in, in MB.

    Not by getrusage: a process begins there with what the one that started it had taken.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def timed(server: Running, path: str) -> tuple[float, int]:
    began = time.monotonic()
    status = server.get(path).status
    return time.monotonic() - began, status


def uploaded(server: Running, k: int) -> bool:
    """Send a file that is like no other, and tell whether the answer is about it."""
    rows = [f"i{i},{'ab'[i % 2]},{'ab'[(i + (i % 7 == 0)) % 2]}" for i in range(10 + k)]
    content = ("item,Ann,Bob\n" + "\n".join(rows) + "\n").encode()
    state = server.upload(f"file {k}.csv", content).place
    page = server.page(state)
    return f"rated {10 + k} items" in page.words and f"file {k}.csv" in page.words


def load(people: int, uploads: int, jobs: int) -> Load:
    """Ask for pages all at once, send files in a row, ask for more jobs than there is room for."""
    with running(Settings(patience=0.2, waiting=20)) as server:
        state = server.opened(EXAMPLES / "labels.csv")
        for path in ("/file", "/answer", "/items"):
            server.page(state + path)  # computed once; what follows is about the server
        paths = ["/", f"{state}/answer", f"{state}/items", f"{state}/file"]
        with ThreadPoolExecutor(people) as pool:
            asked = [pool.submit(timed, server, paths[k % 4]) for k in range(people)]
            times = sorted(one.result() for one in asked)
        right = [uploaded(server, k) for k in range(uploads)]
        wanted = [f"{state}/items?agreement=0.{k:04d}-1" for k in range(jobs)]
        with ThreadPoolExecutor(40) as pool:
            states = [status for _, status in pool.map(lambda path: timed(server, path), wanted)]
        return Load(
            pages=people, p95=times[int(0.95 * len(times))][0],
            failed=sum(status != 200 for _, status in times), uploads=uploads,
            wrong=right.count(False), asked=jobs, busy=states.count(503), megabytes=memory(),
        )  # fmt: skip


if __name__ == "__main__":
    people, uploads, jobs = (int(one) for one in sys.argv[1:] or ("200", "50", "500"))
    print(json.dumps(asdict(load(people, uploads, jobs))))
