"""What can be set about the workbench: where it listens, what it may use."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

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
