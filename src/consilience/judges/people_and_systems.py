"""Who is a person and who is a system: told, or plain from the names; otherwise refused."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from consilience.core.labels import MOST_CODES
from consilience.core.words import first_of
from consilience.exceptions import InputError, Option, UndecidedError, Words

# Parts of names that only systems have.
_STEMS = ("gpt", "openai", "anthropic", "gemini", "llama", "mistral", "mixtral", "qwen",
          "deepseek", "deberta", "distilbert", "chatglm", "vicuna", "codex", "davinci", "llm",
          "classif", "predict", "automat", "algorithm", "baseline", "xlnet", "finetun",
          "nemotron", "command-r", "command_r", "copilot", "perplexity", "openrouter")  # fmt: skip
# Whole words; some of them are people's names as well, and then only the user can tell.
_WORDS = frozenset(
    ("claude", "gemma", "bert", "sbert", "sonnet", "opus", "haiku", "grok", "phi", "palm", "bard",
     "model", "models", "judge", "auto", "system", "sys", "machine", "computer", "bot", "robot",
     "ai", "ml", "nn", "pred", "preds", "engine", "tagger", "parser", "detector", "ensemble",
     "o1", "o3", "o4", "cohere", "falcon", "glm", "kimi", "ernie", "olmo", "dbrx", "granite",
     "svm", "lstm", "cnn", "rnn", "crf", "tfidf", "t5", "flan", "ner", "nlp", "assistant",
     "agent", "api", "checkpoint", "epoch", "prompt")
)  # fmt: skip
_SIZES = frozenset(("base", "large", "small", "mini", "nano", "tiny", "turbo", "instruct",
                    "preview", "latest", "pro", "flash", "chat", "medium", "xl", "xxl", "it",
                    "ft", "uncased", "cased", "finetuned", "quantized"))  # fmt: skip
_STANDARDS = frozenset(("gold", "golden", "goldstandard", "truth", "groundtruth", "consensus",
                        "majority", "adjudicated", "reference", "resolved"))  # fmt: skip
_VERSION = re.compile(
    r"(?<![a-z\d])v\d+(\.\d+)*(?![a-z\d])|\d+\.\d+|(?<![a-z\d])\d+(x\d+)?[bm](?![a-z\d])|"
    r"(?:19|20)\d\d-?\d\d-?\d\d|:latest$",
    re.IGNORECASE,
)
_MEMBER = re.compile(r"(.+?)[ _.\-]*(?:\d+|(?<=[ _.\-])[a-z])", re.IGNORECASE)
_MOST_NAMED = 8
_ANOTHER_KIND = "holds labels of another kind than the systems give"


@dataclass(frozen=True)
class Who:
    """Whom a panel takes for people and whom for systems; nobody is in both."""

    people: tuple[object, ...]
    systems: tuple[object, ...]
    left_out: tuple[object, ...] = ()


class UnclearPanelError(UndecidedError):
    """Raters may be people or systems, and the verdict depends on it; `readings` are both."""

    def __init__(self, why: str, readings: Sequence[Who] = ()) -> None:
        self.why = why
        self.readings = tuple(readings)
        both = [
            f"{letter}: people=[{_quoted(one.people)}], systems=[{_quoted(one.systems)}]"
            for letter, one in zip("AB", self.readings, strict=False)
        ]
        said = f"who is a person and who a system must be told. Got {why}. Hint: "
        hint = "; or ".join(both) or Words("name the people with ", Option("people"))
        super().__init__(Words(said, hint, "."))


def looks_like_system(name: object) -> bool:
    """Tell whether a rater is called like a model, a judge or a machine.

    >>> [looks_like_system(name) for name in ("gpt-4o", "Claude 3.5", "judge-2", "Ann", "coder1")]
    [True, True, True, False, False]
    """
    text = str(name).casefold().strip()
    if not re.search(r"[^\W\d_]", text):
        return False  # a number is nobody's name
    words = _words(str(name))
    if any(stem in text for stem in _STEMS) or not _WORDS.isdisjoint(words):
        return True
    if len(words) > 1 and not _SIZES.isdisjoint(words[1:]):
        return True
    return _VERSION.search(text) is not None


def looks_like_standard(name: object) -> bool:
    """Tell whether a rater is called like a gold standard or a consensus, which is no person."""
    words = _words(str(name))
    return not _STANDARDS.isdisjoint((*words, "".join(words)))


def _words(text: str) -> list[str]:
    """Cut a name at signs, at digits and at capitals: GPT4o, judgeA."""
    cut = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    parts = re.findall(r"[^\W_]+", cut.casefold())
    return [word for part in parts for word in (part, *re.findall(r"[^\W\d_]+", part))]


def sorted_out(
    raters: Sequence[object],
    *,
    systems: Any = None,
    people: Any = None,
    apart: Collection[object] = (),
    files: Mapping[object, Collection[str]] | None = None,
    labels: Mapping[object, Collection[int]] | None = None,
    declared: Collection[object] = (),
) -> Who:
    """Say who is a person and who a system, or refuse where that is not plain.

    `apart` are neither; `files` say where each rater comes from, `labels` which ones each gave;
    `declared` are systems by the word of the file, so that all others are people by its word.
    """
    named = None if systems is None else matching(raters, systems, "systems")
    known = None if people is None else matching(raters, people, "people")
    rest = [name for name in raters if name not in (named or ()) and name not in apart]
    if named is None and known is None:
        if not declared:
            raise _nobody_named(rest)
        named = tuple(name for name in raters if name in declared)
    if known is None:
        assert named is not None
        if declared:
            return _who(raters, [name for name in rest if name not in declared], named)
        _check_rest(rest, named, files or {}, labels or {})
        return _who(raters, rest, named)
    if named is None:
        rest = [name for name in rest if name not in known]
        named = _systems_left(rest, known, declared)
    return _who(raters, known, named)


def _who(raters: Sequence[object], people: Sequence[object], systems: Sequence[object]) -> Who:
    left = [name for name in raters if name not in people and name not in systems]
    return Who(tuple(people), tuple(systems), tuple(left))


def _nobody_named(raters: Sequence[object]) -> UnclearPanelError:
    like = [name for name in raters if looks_like_system(name)]
    rest = [name for name in raters if name not in like and not looks_like_standard(name)]
    readings = [Who(tuple(rest), tuple(like))] if like and rest else []
    return UnclearPanelError(f"neither people nor systems among {_first(raters)}", readings)


def _check_rest(
    rest: Sequence[object],
    systems: Sequence[object],
    files: Mapping[object, Collection[str]],
    labels: Mapping[object, Collection[int]],
) -> None:
    """Refuse to take for people whom only the user knows: models, judges, kin of the systems."""
    suspects: dict[object, str] = {}
    for name in rest:
        if looks_like_system(name):
            suspects[name] = "looks like a system"
        elif looks_like_standard(name):
            suspects[name] = "looks like a standard"
    families = {_family(name) for name in systems} - {None}
    kin = [name for name in rest if _family(name) in families]
    if 0 < len(kin) < len(rest):
        suspects |= dict.fromkeys(kin, "is called like a system that is named")
    for name in _from_elsewhere(rest, systems, files):
        suspects.setdefault(name, "comes from another file")
    for name in _of_another_kind(rest, systems, labels):
        suspects.setdefault(name, _ANOTHER_KIND)
    if not suspects:
        return
    why = "; ".join(
        f"{_first([n for n, w in suspects.items() if w == reason])} (each {reason})"
        for reason in dict.fromkeys(suspects.values())
    )
    sure = tuple(name for name in rest if name not in suspects)
    more = tuple(
        name
        for name, reason in suspects.items()
        if reason != _ANOTHER_KIND and not looks_like_standard(name)
    )
    readings = [Who(sure, (*systems, *more))] if sure else []
    raise UnclearPanelError(
        f"raters that nobody named: {why}", [*readings, Who(tuple(rest), tuple(systems))]
    )


def _family(name: object) -> str | None:
    """Return what names such as sys-1 and sys-2 share."""
    found = _MEMBER.fullmatch(str(name).strip())
    return found[1].casefold() if found else None


def _from_elsewhere(
    rest: Sequence[object], systems: Sequence[object], files: Mapping[object, Collection[str]]
) -> list[object]:
    """Return raters from the file of a system, or from a file of few; none where each has one."""
    home = {name: frozenset(files.get(name, ())) for name in (*rest, *systems)}
    homes = {home[name] for name in rest}
    if len(homes) < 2 or len(set(home.values())) == len(home):
        return []  # all from one place, or one file for each rater
    beside = [name for name in rest if any(home[name] == home[one] for one in systems)]
    if beside:
        return beside
    sizes = {one: sum(home[name] == one for name in rest) for one in homes}
    largest = max(sizes, key=lambda one: sizes[one])
    return [name for name in rest if home[name] != largest]


def _of_another_kind(
    rest: Sequence[object], systems: Sequence[object], labels: Mapping[object, Collection[int]]
) -> list[object]:
    """Return columns that hold no ratings: seconds or tokens beside verdicts of a few labels."""
    known = {label for name in systems for label in labels.get(name, ())}
    if not known or len(known) > MOST_CODES:
        return []
    return [
        name
        for name in rest
        if len(own := set(labels.get(name, ()))) > MOST_CODES and len(own & known) < len(own) / 2
    ]


def _systems_left(
    rest: Sequence[object], people: Sequence[object], declared: Collection[object]
) -> tuple[object, ...]:
    """Return the raters beside the people, where they are plainly systems."""
    plain = tuple(name for name in rest if name in declared or looks_like_system(name))
    if rest and len(plain) == len(rest):
        return plain
    if not rest:
        raise InputError.expected(
            "systems", "at least one rater", "people only", "name as people only those who are"
        )
    readings = [Who(tuple(people), plain)] if plain else []
    others = [name for name in rest if name not in plain]
    raise UnclearPanelError(
        f"people only, and beside them {_first(others)}",
        [*readings, Who(tuple(people), tuple(rest))],
    )


# ---- names


def matching(raters: Sequence[object], given: Any, what: str) -> tuple[object, ...]:
    """Return raters by name, pattern (``gpt*``) or names joined by commas; refuse unknown ones."""
    is_one = isinstance(given, (str, bytes)) or not isinstance(given, Iterable)
    listed = [given] if is_one else list(given)
    if not listed:
        raise InputError.expected(
            what, "at least one rater", listed, f"the raters are {_first(raters)}"
        )
    found: list[object] = []
    for name in listed:
        found += _called(raters, name, what)
    return tuple(dict.fromkeys(found))


def _called(raters: Sequence[object], name: object, what: str) -> list[object]:
    exact = [one for one in raters if type(one) is type(name) and one == name]
    exact = exact or [one for one in raters if one == name or str(one) == str(name)]
    if exact:
        return exact[:1]
    text = str(name)
    if "," in text:
        parts = [part.strip() for part in text.split(",") if part.strip()]
        return [one for part in parts for one in _called(raters, part, what)]
    like = [one for one in raters if fnmatchcase(str(one), text)]
    if not like:
        raise InputError.unknown_word(what, name, [str(rater) for rater in raters])
    return like


def _first(names: Sequence[object]) -> str:
    return first_of(names, _MOST_NAMED)


def _quoted(names: Sequence[object]) -> str:
    return ", ".join(repr(name) for name in names)


def who_line(people: Sequence[object], systems: Sequence[object], left: Sequence[object]) -> str:
    """Say in one line whom a result takes for what."""
    told = f"Taken for people: {first_of(people, 60)}. Taken for systems: {first_of(systems, 60)}."
    return told + (f" Left out: {first_of(left, 60)}." if left else "")
