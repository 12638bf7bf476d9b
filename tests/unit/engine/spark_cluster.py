"""A Spark standalone cluster on the loopback address: a master and workers, each a process."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from patience import PATIENCE, until

HOST = "127.0.0.1"
# What Spark asks Java 17 for, which its own scripts would add.
_OPENED = [
    f"--add-opens=java.base/{name}=ALL-UNNAMED"
    for name in (
        "java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio",
        "java.util", "java.util.concurrent", "java.util.concurrent.atomic", "sun.nio.ch",
        "sun.nio.cs", "sun.security.action", "sun.util.calendar",
    )
]  # fmt: skip


def free_port() -> int:
    with socket.socket() as one:
        one.bind((HOST, 0))
        return int(one.getsockname()[1])


def children_of(pid: int) -> list[int]:
    """Return the processes that a process started."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                if int((folder / "stat").read_text().rpartition(")")[2].split()[1]) == pid:
                    found.append(int(folder.name))
    return found


@dataclass
class Cluster:
    """A master and its workers."""

    master: subprocess.Popen
    url: str
    ui: str
    folder: Path
    workers: list[subprocess.Popen] = field(default_factory=list)

    @property
    def alive_workers(self) -> int:
        """How many there are; none while the master begins, and answers nothing or half a page."""
        not_yet = contextlib.suppress(OSError, ValueError, KeyError)
        with not_yet, urllib.request.urlopen(self.ui, timeout=PATIENCE) as page:
            return int(json.load(page)["aliveworkers"])
        return 0

    def add_worker(self) -> None:
        n = len(self.workers)
        options = ["--host", HOST, "--cores", "1", "--memory", "700m", "--webui-port", "0",
                   "--work-dir", str(self.folder / f"work{n}"), self.url]  # fmt: skip
        self.workers.append(_java("worker.Worker", options, self.folder / f"worker{n}.log"))

    def executors(self) -> dict[int, int]:
        """Return the processes that run tasks, and the place of the worker of each."""
        return {
            pid: k
            for k, worker in enumerate(self.workers)
            if worker.poll() is None
            for pid in children_of(worker.pid)
        }

    def stop(self) -> None:
        for pid in [*self.executors(), *(w.pid for w in self.workers), self.master.pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for process in (*self.workers, self.master):
            process.wait()


def _java(main: str, options: list[str], log: Path) -> subprocess.Popen:
    import pyspark

    jars = Path(pyspark.__file__).parent / "jars"
    environment = {
        **os.environ,
        "SPARK_LOCAL_IP": HOST,
        "SPARK_HOME": str(jars.parent),
        "SPARK_SCALA_VERSION": "2.13",
    }
    command = ["java", "-Xmx256m", "-XX:TieredStopAtLevel=1", *_OPENED, "-cp", f"{jars}/*"]
    with log.open("wb") as out:
        return subprocess.Popen(
            [*command, f"org.apache.spark.deploy.{main}", *options],
            env=environment, stdout=out, stderr=out,
        )  # fmt: skip


@contextlib.contextmanager
def started(folder: Path, n_workers: int = 2) -> Iterator[Cluster]:
    """Start a cluster, wait until its workers are there, and stop it whatever happens."""
    port, ui = free_port(), free_port()
    options = ["--host", HOST, "--port", str(port), "--webui-port", str(ui)]
    master = _java("master.Master", options, folder / "master.log")
    cluster = Cluster(master, f"spark://{HOST}:{port}", f"http://{HOST}:{ui}/json/", folder)
    try:
        for _ in range(n_workers):
            cluster.add_worker()  # a worker asks again until the master answers
        until(lambda: cluster.alive_workers == n_workers, "the workers are there")
        yield cluster
    finally:
        cluster.stop()
