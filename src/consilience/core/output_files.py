"""Files that are written: whole or not at all, temporary folders that go away, interrupts held
back.
"""

from __future__ import annotations

import os
import shutil
import signal
import stat
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

from consilience.core.input_files import PathLike, Said
from consilience.exceptions import InputError

# ---- Ctrl-C and a request to end: obeyed wherever they strike, held back where they would do harm.

ENDINGS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)

_AGAIN = 0.05  # seconds until an interrupt that Python had to ignore strikes once more


@contextmanager
def endings_obeyed() -> Iterator[list[int]]:
    """Let each request to end, such as SIGTERM, clean up like Ctrl-C; yield those that came.

    What is raised may be lost: a library that is being loaded makes another error of it, and
    where Python tidies up it is ignored. So each is noted, and strikes again if it was ignored.
    """
    struck: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield struck
        return
    again: list[threading.Timer] = []

    def strike(number: int, _: object) -> None:
        struck.append(number)
        raise KeyboardInterrupt

    def ignored(what: Any) -> None:
        if struck and issubclass(what.exc_type, KeyboardInterrupt):
            again.append(threading.Timer(_AGAIN, signal.raise_signal, [struck[-1]]))
            again[-1].daemon = True
            again[-1].start()
        else:
            hook(what)

    usual = (signal.SIG_DFL, signal.default_int_handler)  # nohup stays nohup
    before = {n: handler for n in ENDINGS if (handler := signal.getsignal(n)) in usual}
    hook = sys.unraisablehook
    try:
        sys.unraisablehook = ignored
        for number in before:
            signal.signal(number, strike)
        yield struck
    finally:
        for timer in again:
            timer.cancel()
        for number, handler in before.items():
            signal.signal(number, handler)
        sys.unraisablehook = hook


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Let signals that end the program wait until the ``with`` block is over.

    Some libraries end the process when a signal strikes while they are loaded, and a folder that
    is half removed would stay. Use it for moments only: nothing can be stopped meanwhile.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals go to the main thread alone
        return
    struck: list[int] = []
    before = {number: signal.getsignal(number) for number in ENDINGS}
    held = {number: handler for number, handler in before.items() if handler is not None}
    try:
        for number in held:
            signal.signal(number, lambda number, _: struck.append(number))
        yield
    finally:
        for number, handler in held.items():
            signal.signal(number, handler)
        for number in dict.fromkeys(struck):
            signal.raise_signal(number)


@contextmanager
def interrupts_given_back() -> Iterator[None]:
    """Let Ctrl-C do afterwards what it did before: PySpark takes it, and keeps it when stopped."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if before is not None:  # which only a handler of C's own would be
            signal.signal(signal.SIGINT, before)


# ---- The one writer: a file appears whole, or not at all, and never in the place of another.

_EXISTING = ("refuse", "replace")
_PREFIX = ".consilience-"
_HANDLES = "/proc/self/fd"


def check_target(path: PathLike, existing: str, endings: tuple[str, ...] = ()) -> Path:
    """Return the path to write to; refuse an unknown ending and, unless told, an existing file.

    Parameters
    ----------
    path : path
    existing : {"refuse", "replace"}
        What to do with a file that is there. Links, pipes and devices are never replaced.
    endings : tuple of str
        The endings that the name may have; any, where there are none.
    """
    if existing not in _EXISTING:
        raise InputError.unknown_word("existing", existing, _EXISTING)
    target = Path(path)
    if endings and target.suffix.lower() not in endings:
        raise InputError.expected(
            "the output file",
            f"one that ends in {' or '.join(endings)}",
            str(target),
            f"call it {target.stem or 'output'}{endings[0]}",
        )
    if target.is_dir():
        raise InputError.expected("the output file", "a file", str(target), "it is a folder")
    if not is_replaceable(target):
        raise InputError.expected(
            "the output file",
            "a plain file",
            Said(f"{target}, a link, a pipe or a device"),
            "name another file",
        )
    if not target.parent.is_dir():
        raise InputError.expected(
            "the output file", "in a folder that exists", str(target), "make the folder first"
        )
    if target.exists() and existing == "refuse":
        raise _there(target)
    return target


def is_replaceable(target: Path) -> bool:
    """Tell whether a plain file is there or nothing at all: a rename would end a device."""
    try:
        return stat.S_ISREG(target.lstat().st_mode)
    except (OSError, ValueError):
        return True  # nothing there, or the attempt to write says what is wrong


def write_bytes(path: PathLike, content: bytes, *, existing: str = "refuse") -> Path:
    """Write a whole file; refuse to replace one unless told."""
    target = check_target(path, existing)
    with written_beside(target, existing=existing) as beside:
        beside.write_bytes(content)
    return target


@contextmanager
def written_beside(target: Path, *, existing: str = "refuse") -> Iterator[Path]:
    """Yield a file to write to; at the end, and only if nothing failed, it is the target.

    Where the system can make files without a name, not even kill -9 leaves half of one.
    """
    try:
        handle, beside = _new_file(target)
    except (OSError, ValueError) as error:
        raise _refused(target, error) from error
    try:
        yield beside
        os.fsync(handle)  # a full disk may tell only now
        with interrupts_held_back():
            _put_in_place(beside, target, existing)
    except FileExistsError:
        raise _there(target) from None
    except OSError as error:
        raise _refused(target, error) from error
    finally:
        with interrupts_held_back():
            os.close(handle)
            if not _is_nameless(beside):
                beside.unlink(missing_ok=True)


def _new_file(target: Path) -> tuple[int, Path]:
    """Open a new file in the target's folder: without a name, or with one that nobody has."""
    with interrupts_held_back():
        if hasattr(os, "O_TMPFILE") and os.path.isdir(_HANDLES):
            with suppress(OSError):  # not every file system can
                handle = os.open(target.parent, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o666)
                return handle, Path(_HANDLES, str(handle))
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=_PREFIX, suffix=target.suffix)
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(0o666 & ~umask)  # mkstemp makes it private; a result need not be
        return handle, Path(name)


def _is_nameless(file: Path) -> bool:
    return str(file.parent) == _HANDLES


def _put_in_place(file: Path, target: Path, existing: str) -> None:
    if existing == "refuse":
        _link(file, target)
    elif _is_nameless(file):  # a name can be given to it, not taken from another
        step = target.with_name(_PREFIX + os.urandom(8).hex())
        _link(file, step)
        try:
            step.replace(target)
        except OSError:
            step.unlink(missing_ok=True)
            raise
    else:
        file.replace(target)


def _link(file: Path, target: Path) -> None:
    """Give a file a name, unless somebody else has taken it by now."""
    if _is_nameless(file):
        # A folder's handle makes the call follow the link that /proc shows; see open(2), O_TMPFILE.
        folder = os.open("/", os.O_RDONLY)
        try:
            os.link(file, target, src_dir_fd=folder, follow_symlinks=True)
        finally:
            os.close(folder)
        return
    try:
        os.link(file, target)
    except FileExistsError:
        raise
    except OSError:  # a drive without links
        if os.path.lexists(target):
            raise FileExistsError from None
        file.replace(target)


def _there(target: Path) -> InputError:
    return InputError.expected(
        "the output file",
        "a new one",
        Said(f"{target}, which exists"),
        'name another file, or pass existing="replace" if nothing in it is needed',
    )


def _refused(target: Path, error: OSError | ValueError) -> InputError:
    said = getattr(error, "strerror", None) or error
    return InputError.expected(
        "the output file",
        "where files may be written",
        str(target),
        f"the system says: {said}; nothing was written",
    )


# ---- Folders for temporary files that go away, also those of a run that was killed.

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_FOLDER_PREFIX = "consilience-"
_EVERY = 60.0  # seconds
_look_again: dict[Path, float] = {}
_LOCK = ".consilience-in-use"  # no folder without it is ever touched: it may be anybody's


class TemporaryFolder:
    """A folder that only this process uses, removed at the end of the ``with`` block.

    A lock tells that its owner lives. Whoever makes the next folder in the same place removes
    those of processes that were killed: their locks are free.
    """

    def __init__(self, parent: Path | None = None) -> None:
        with interrupts_held_back():
            try:
                self.path = Path(tempfile.mkdtemp(prefix=_FOLDER_PREFIX, dir=parent))
                # Whatever happens, it goes when nobody holds it any more, or at the end.
                self._end = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
                self._lock = _locked(self.path / _LOCK)
            except OSError as error:
                self._refuse(error)
        _remove_forsaken(self.path.parent)

    def _refuse(self, error: OSError) -> NoReturn:
        if hasattr(self, "_end"):
            self._end()
        raise InputError.expected(
            "the folder for temporary files",
            "one that can be written to",
            Said(error.strerror or str(error)),
            "set the environment variable TMPDIR to another folder",
        ) from error

    def __enter__(self) -> Path:
        return self.path

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.remove()

    def remove(self) -> None:
        """Remove the folder with all that is in it."""
        with interrupts_held_back():
            self._end()
            lock, self._lock = self._lock, None
            if lock is not None:
                os.close(lock)


def _locked(path: Path) -> int | None:
    """Make a file and lock it; the lock ends with the process, whatever ends that.

    It gets its name when it is locked: under that name it is never seen free while its owner
    lives, and nobody takes the folder for a forsaken one.
    """
    if fcntl is None:
        return None
    unnamed = path.with_name(f"{path.name}-soon")
    handle = os.open(unnamed, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # some network drives have no locks: then it keeps out of sight
        return handle
    unnamed.rename(path)
    return handle


def _remove_forsaken(parent: Path) -> None:
    """Remove the folders of processes that are gone; never disturb the one that is at work.

    A busy place has many thousands of entries, so a process looks there only now and then.
    """
    if fcntl is None:
        return
    now = time.monotonic()
    if now < _look_again.get(parent, now):
        return
    _look_again[parent] = now + _EVERY
    with suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            if entry.name.startswith(_FOLDER_PREFIX) and entry.is_dir(follow_symlinks=False):
                _remove_if_forsaken(Path(entry.path))


def _remove_if_forsaken(folder: Path) -> None:
    with suppress(OSError):
        if folder.stat().st_uid != os.getuid():
            return
        handle = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(handle)
