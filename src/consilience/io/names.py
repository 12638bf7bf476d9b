"""What people call items, raters and labels in their files, and what a rater is called."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any, Literal

# ----------------------------------------------------------------------------------------
# What people call items, raters and labels in their files.
# ----------------------------------------------------------------------------------------

Role = Literal["item", "rater", "label"]

# Best first: of two columns that sound like items, the one named earlier here is taken.
_WORDS: dict[Role, tuple[str, ...]] = {
    "item": (
        "item", "unit", "subject", "object", "target", "case", "task", "document", "doc", "record",
        "hit", "example", "instance", "sample", "essay", "script", "patient", "participant",
        "inputhash", "taskhash", "trace", "observation", "question", "segment", "passage",
        "utterance", "sentence", "image", "file", "filename", "id", "index", "row", "post",
        "tweet", "article", "story", "text",
    ),
    "rater": (
        "rater", "coder", "annotator", "worker", "judge", "user", "username", "reader", "reviewer",
        "observer", "labeler", "labeller", "evaluator", "expert", "grader", "marker", "assessor",
        "scorer", "examiner", "performer", "completedby", "annotatedby", "createdby", "author",
        "authoruser", "session", "email", "emailaddress", "who",
    ),
    "label": (
        "label", "rating", "score", "mark", "code", "category", "class", "value", "answer",
        "response", "verdict", "judgment", "judgement", "annotation", "grade", "diagnosis",
        "choice", "choices", "tag", "sentiment", "stringvalue", "winner", "preference",
    ),
}  # fmt: skip
_ROLE_OF = {word: role for role, words in _WORDS.items() for word in words}
_PREFIXES: dict[str, Role] = {"answer.": "label", "output:": "label"}  # MTurk, Toloka
LONGEST_NAME = 4_000  # characters; questions of a survey are names too
_DERIVED = frozenset((
    "total", "totals", "grandtotal", "sum", "mean", "means", "average", "avg", "median", "sd",
    "agree", "agreed", "agreement", "percentagreement", "disagree", "disagreement", "match",
    "matches", "same", "equal", "difference", "diff", "discrepancy",
))  # fmt: skip
_SETTLED = frozenset((
    "gold", "golden", "goldlabel", "goldstandard", "truth", "groundtruth", "truelabel", "final",
    "finallabel", "finalcode", "finalscore", "consensus", "consensuslabel", "adjudicated",
    "adjudication", "majority", "majorityvote", "majoritylabel", "resolved", "correctanswer",
    "referencelabel",
))  # fmt: skip
_NUMBERED = re.compile(r"^(.*?)[\s_.\-#:]*([0-9]+|(?<=[\s_.\-#:])[A-Za-z])$")
_ITEM_STEMS = frozenset(("q", "i", "u", "v", "s", "t", "d", "p"))


def fold(name: str) -> str:
    """Reduce a column name to its word: Worker_ID, workerId and _worker_id are 'worker'."""
    word = re.sub(r"[^a-z0-9]", "", name.rpartition(":")[2].casefold())
    for ending in ("id", "ids", "name", "no", "nr", "number"):
        short = word.removesuffix(ending)
        # An annotation id numbers the rating; it is not the label.
        if word not in _ROLE_OF and short in _ROLE_OF and short != "annotation":
            return short
    return word


def role_of(name: str) -> Role | None:
    """Say which role a column name suggests."""
    for prefix, role in _PREFIXES.items():
        if name.casefold().startswith(prefix):
            return role
    return _ROLE_OF.get(fold(name))


def priority(name: str) -> int:
    """Rank names of one role: the smaller, the surer."""
    role = role_of(name)
    word = fold(name)
    return _WORDS[role].index(word) if role and word in _WORDS[role] else len(_ROLE_OF)


def is_role_name(name: str) -> bool:
    """Tell whether a cell of the first line is certainly the name of a column."""
    return role_of(name) is not None


def is_derived(name: str) -> bool:
    """Tell whether a column or row is called like something computed from ratings."""
    return re.sub(r"[^a-z]", "", name.casefold()) in _DERIVED


def is_settled(name: str) -> bool:
    """Tell whether a column is called like the answers that were settled on after the rating."""
    return re.sub(r"[^a-z]", "", name.casefold()) in _SETTLED


def numbered_stems(names: Sequence[str]) -> dict[Role, list[int]]:
    """Find columns such as rater1, rater2 or coder_A, coder_B, or Q1, Q2, by role."""
    stems: dict[int, str] = {}
    for j, name in enumerate(names):
        match = _NUMBERED.match(name.strip()) if len(name) <= LONGEST_NAME else None
        if match and match.group(1):
            stems[j] = re.sub(r"[^a-z]", "", match.group(1).casefold())
    counted = Counter(stems.values())
    found: dict[Role, list[int]] = {}
    for j, stem in stems.items():
        role = "item" if stem in _ITEM_STEMS else _ROLE_OF.get(stem)
        if role == "label":  # score1, score2: one column per rater; class1, class2: counts
            role = None if stem in ("category", "class") else "rater"
        if role and counted[stem] > 1:
            found.setdefault(role, []).append(j)
    return found


# ----------------------------------------------------------------------------------------
# What a rater is called: one rule for every file, whoever reads it, as ratings or as units.
# ----------------------------------------------------------------------------------------


def rater_name(value: Any) -> str | None:
    """Return what somebody is called who is named by a cell or a field; None: nobody is named.

    A name is never cut: two people may share the beginning of an address or of a long code. What
    exports call an item follows the same rule.

    >>> rater_name(" ann@a.org "), rater_name(0), rater_name(3.0), rater_name("  ")
    ('ann@a.org', '0', '3', None)
    """
    if value is None or value != value:  # noqa: PLR0124 - NaN
        return None
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip() or None


def file_name(path: PurePath | str) -> str:
    """Return what a rater is called after whom a file is named: its name without endings.

    >>> file_name("data/Ann.csv"), file_name("Bob.csv.gz")
    ('Ann', 'Bob')
    """
    named = PurePath(path)
    return named.with_suffix("").stem if named.suffix.lower() == ".gz" else named.stem
