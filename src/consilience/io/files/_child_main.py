"""Answer requests in a process of its own, where a damaged file can end it without harm.

Run as a script by `child`, with a file that has a function ``answer`` and says in ``MOST_MEMORY``
how much it may take. Every line of input is a request, every line of output says that the answer
stands in the file that the request named.
"""

from __future__ import annotations

import json
import runpy
import sys


def _limit_memory(most: int) -> None:
    """Let a file that claims to be huge fail by itself, where the system can see to it."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    except (ImportError, OSError, ValueError):
        pass  # Windows has no such limit


def main(path: str) -> None:
    """Answer requests until there are no more."""
    module = runpy.run_path(path)
    _limit_memory(module["MOST_MEMORY"])
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = module["answer"](request)
        except BaseException as error:  # what some libraries call a panic is no Exception
            answer = {"error": str(error)[:80] or type(error).__name__}
        with open(request["target"], "w", encoding="utf-8") as stream:
            json.dump(answer, stream)
        print("done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
