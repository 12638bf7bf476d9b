"""What public functions take: arguments checked, and wrong ones answered in a sentence."""

from __future__ import annotations

import difflib
import inspect
import math
import re
import sys
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from functools import update_wrapper
from itertools import islice
from numbers import Integral, Real
from types import CodeType, FunctionType
from typing import Any, TypeGuard

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.draws import is_whole
from consilience.core.labels import check_categories, label_key, plain
from consilience.exceptions import ConsilienceError, InputError, Option, UnknownOptionError, Words

# ---- Checks of words, numbers, shares and distributions that all folders have in common.

_SUM_TOLERANCE = 1e-6  # shares typed by hand, such as 0.333333, add up to 1 within this


def check_word(what: str, word: Any, known: Iterable[str]) -> str:
    """Return a word that is known, or guess which was meant."""
    if not isinstance(word, str) or word not in known:
        raise InputError.unknown_word(what, word, known)
    return word


def whole_number(
    what: str, value: object, *, least: int, most: int | None = None, hint: str = ""
) -> int:
    """Return a whole number that is neither too small nor too large."""
    if not is_whole(value) or value < least or (most is not None and value > most):
        wanted = f"of at least {least}" + ("" if most is None else f" and at most {most:,}")
        example = hint or Words("for example ", Option(what, least + 1))
        raise InputError.expected(what, f"a whole number {wanted}", value, example)
    return int(value)


def number_where(
    what: str, value: object, expectation: str, hint: str, *, fits: Callable[[float], bool]
) -> float:
    """Return a finite number that fits, or say what was expected."""
    if not _is_real(value) or not math.isfinite(value) or not fits(float(value)):
        raise InputError.expected(what, expectation, value, hint)
    return float(value)


def real_number(what: str, value: object, *, least: float = -math.inf) -> float:
    """Return a finite number that is not too small."""
    if not _is_real(value) or not math.isfinite(value) or value < least:
        bound = f" of at least {least:g}" if math.isfinite(least) else ""
        raise InputError.expected(what, f"a finite number{bound}", value, "check the number")
    return float(value)


def share(what: str, value: object) -> float:
    """Return a share from 0 to 1, both allowed."""
    if not _is_real(value) or not 0.0 <= value <= 1.0:
        hint = f"write {value / 100:g} for {value:g}%" if _is_percent(value) else "give a share"
        raise InputError.expected(what, "between 0 and 1", value, hint)
    return float(value)


def probability(what: str, value: object) -> float:
    """Return a probability strictly between 0 and 1."""
    number = share(what, value)
    if number in (0.0, 1.0):
        raise InputError.expected(what, "strictly between 0 and 1", value, "for example 0.8")
    return number


def category_labels(categories: object) -> tuple[object, ...]:
    """Return the labels; a whole number q stands for the labels 1 to q."""
    if is_whole(categories):
        return tuple(range(1, whole_number("categories", categories, least=2) + 1))
    labels = tuple(check_categories(categories))  # type: ignore[arg-type]
    if len(labels) < 2:
        raise InputError.expected("categories", "at least two labels", labels, "add a label")
    return labels


def distribution(
    what: str, shares: object, labels: Sequence[object] | None = None
) -> tuple[float, ...]:
    """Return shares that add up to 1: a list, a mapping of labels, or one share of two."""
    if _is_real(shares):
        first = share(what, shares)
        shares = (first, 1.0 - first)
    elif isinstance(shares, Mapping):
        shares = _by_label(what, shares, labels)
    values = _floats(what, shares)
    if labels is not None and len(values) != len(labels):
        raise InputError.expected(
            what,
            f"one share per category ({len(labels)})",
            list(values),
            "list a share for every category, in their order",
        )
    if len(values) < 2:
        raise InputError.expected(what, "at least two shares", list(values), "add the other one")
    total = sum(values)
    if min(values) < 0.0 or not abs(total - 1.0) <= _SUM_TOLERANCE:
        hint = "divide each by their sum" if min(values) >= 0.0 else "shares are never negative"
        raise InputError.expected(what, "shares that add up to 1", list(values), hint)
    return tuple(value / total for value in values)


def per_rater(what: str, value: object, n_raters: int, *, kind: str) -> float | tuple[float, ...]:
    """Return one number for all raters, or one for each; `kind` is share, number or spread."""
    check: Callable[[str, object], float] = {
        "share": share,
        "number": real_number,
        "spread": lambda name, number: real_number(name, number, least=0.0),
    }[kind]
    if _is_real(value):
        return check(what, value)
    values = _floats(what, value)
    if len(values) != n_raters:
        raise InputError.expected(
            what,
            f"one number, or one for each of the {n_raters} raters",
            list(values),
            "give as many numbers as raters",
        )
    return tuple(check(what, number) for number in values)


def spread_over(value: float | Sequence[float], n_raters: int) -> Floats:
    """Return an array with one number per rater."""
    return np.broadcast_to(np.asarray(value, dtype=np.float64), (n_raters,)).copy()


def as_array(what: str, value: object) -> Floats:
    """Return numbers as an array of floats."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError.expected(
            what, "numbers", value, "check for text or rows of unequal length"
        ) from None
    if not np.isfinite(array).all():
        raise InputError.expected(what, "finite numbers", value, "replace NaN and infinity")
    return array


def nested(array: Floats) -> Any:
    """Return an array as nested tuples, which compare and never change."""
    if array.ndim == 0:
        return float(array)
    return tuple(nested(part) for part in array)


def _is_real(value: object) -> TypeGuard[float]:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def _is_percent(value: object) -> TypeGuard[float]:
    return _is_real(value) and 1.0 < value <= 100.0


def _floats(what: str, values: object) -> tuple[float, ...]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InputError.expected(what, "a number or a list of numbers", values, "check the value")
    listed = list(values)
    for value in listed:
        if not _is_real(value) or not math.isfinite(value):
            raise InputError.expected(f"every value of {what}", "a number", value, "check the list")
    return tuple(float(value) for value in listed)


def _by_label(
    what: str, shares: Mapping[Any, Any], labels: Sequence[object] | None
) -> tuple[object, ...]:
    known = {label_key(label) for label in labels or ()}
    given = {label_key(plain(label)): number for label, number in shares.items()}
    if labels is None or set(given) != known:
        raise InputError.expected(
            what,
            "a share for each of the categories",
            list(shares),
            f"the categories are {list(labels or ())}",
        )
    return tuple(given[label_key(label)] for label in labels)


# ---- Public functions that answer wrong arguments in a sentence: which one, and what is meant.
#
# The wrapper stands at the door: a folder's public name is the wrapped function, and files import
# each other's functions bare. A call that succeeds costs one more frame; signatures are looked at
# only when Python has refused a keyword, or the call has failed in words of Python's own.

_PACKAGE = __name__.partition(".")[0]
_OWN = (TypeError, AttributeError, ValueError, LookupError)  # Python's own words, which help nobody
_HANDS_ON = inspect.CO_VARKEYWORDS
_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def answered(value: Any, home: str) -> Any:
    """Return a function, or a class, that answers unknown keywords; other things as they are.

    >>> def scaled(data, *, scale="nominal"): ...
    >>> scaled.__module__ = "consilience.example"
    >>> answered(scaled, "consilience.example")([], level_of_measurement="ordinal")
    Traceback (most recent call last):
    consilience.exceptions.UnknownOptionError: scaled has no option level_of_measurement. Hint: \
scale="ordinal" is what you look for.
    """
    if isinstance(value, type):
        for one in value.__mro__:
            if one.__module__.startswith(f"{_PACKAGE}."):
                _answer_in(one)
        return value
    if not isinstance(value, FunctionType) or hasattr(value, "__wrapped__"):
        return value
    if not value.__module__.startswith(home):  # another folder's
        return value
    found = _answer(value, value.__name__)
    found.__module__ = home  # where pickle looks for it
    return found


def _answer_in(kind: type) -> None:
    """Let the public methods of a class answer that take anything, and its constructor."""
    for name, value in list(vars(kind).items()):
        made = name == "__init__" and is_dataclass(kind)
        bare = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
        if (name.startswith("_") and not made) or not isinstance(bare, FunctionType):
            continue
        if hasattr(bare, "__wrapped__") or not _takes_anything(bare.__code__):
            continue
        found = _answer(bare, kind.__name__ if made else f"{kind.__name__}.{name}")
        setattr(kind, name, found if bare is value else type(value)(found))


def _takes_anything(code: CodeType) -> bool:
    """Tell whether a method has parameters beside what it is called on."""
    many = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    return bool(many) or code.co_argcount + code.co_kwonlyargcount > 1


def _answer(function: FunctionType, name: str) -> Callable[..., Any]:
    """Wrap a function; what it hands on is checked first, all else when Python refuses."""
    refuse = _refusal(function, name)
    hands_on = function.__code__.co_flags & _HANDS_ON and hasattr(function, "__signature__")
    known = _keywords(function) if hands_on else None

    def call(*data: Any, **options: Any) -> Any:
        if known is not None and not options.keys() <= known:
            refuse(options)
        try:
            return function(*data, **options)
        except _OWN as error:
            if isinstance(error, ConsilienceError):
                raise
            if error.__traceback__ is not None and error.__traceback__.tb_next is None:
                refuse(options)
            else:
                _refuse_kinds(function, data, options, error)
            raise

    update_wrapper(call, function)
    call.__code__ = _at_home(call.__code__, function.__code__)
    return call


def _at_home(wrapper: CodeType, code: CodeType) -> CodeType:
    """Let a wrapper stand in the file and the line of its function, for tools and tracebacks."""
    # Entries of 8 instructions each, without columns (kind 13), all 0 lines from the first:
    # see Objects/locations.md of CPython.
    size = len(wrapper.co_code) // 2
    lines = [bytes((0x80 | 13 << 3 | min(8, size - at) - 1, 0)) for at in range(0, size, 8)]
    return wrapper.replace(
        co_filename=code.co_filename,
        co_firstlineno=code.co_firstlineno,
        co_name=code.co_name,
        co_qualname=code.co_qualname,
        co_linetable=b"".join(lines),
    )


def _refuse_kinds(function: Any, data: Any, options: Any, error: Exception) -> None:
    try:
        check_kinds(function, data, options)
    except InputError as refusal:
        raise refusal from error


def _keywords(function: Callable[..., Any]) -> set[str]:
    parameters = inspect.signature(function).parameters.values()
    return {one.name for one in parameters if one.kind in _BY_NAME}


def _refusal(function: Callable[..., Any], name: str) -> Callable[[dict[str, Any]], None]:
    def refuse(options: dict[str, Any]) -> None:
        """Say what is meant by the first keyword that the function does not have."""
        parameters = inspect.signature(function).parameters.values()
        if any(one.kind is one.VAR_KEYWORD for one in parameters):
            return
        known = [one.name for one in parameters if one.kind in _BY_NAME]
        ours = [one for one in known if one not in ("self", "cls")]
        for option, value in options.items():
            if option not in known:
                hint = advice(option, value, ours)
                raise UnknownOptionError.unknown_option(name, option, value, hint)

    return refuse


# ---- Which argument of a call is of another kind than the function says, looked for when it
# failed.

_WIDER: dict[type, type] = {float: Real, int: Integral}
_MADE_OF_TABLES = ("Ratings", "Units")  # dataframes and lists are taken as well
_LOOKED_AT = 20  # elements of a list
_HOW = {
    "Estimate": "compute it first, as in cohen_kappa(ratings)",
    "Ratings": "read them first, as in read(path)",
    "Units": "read them first, as in read_units(path)",
    "Summary": "compute it first, as in measure(ratings)",
    "Result": "compute it first, as in measure(ratings)",
}
_NO_ARTICLE = re.compile(
    r"(?:[A-Z]\w*s|\w+s|one|any|an?|the|two|several|at|labels|['\"\d{(])\b", re.A
)


def check_kinds(function: Callable[..., Any], data: Any, options: Mapping[str, Any]) -> None:
    """Refuse the first argument that is not of the kind that the signature asks for.

    Only what is surely wrong is refused; a kind that cannot be decided passes.

    Examples
    --------
    >>> def doubled(count: int): ...
    >>> check_kinds(doubled, ("two",), {})
    Traceback (most recent call last):
    consilience.exceptions.InputError: count must be an int. Got 'two'. Hint: help(doubled) shows \
what it takes.
    """
    signature = inspect.signature(function)
    given = signature.bind_partial(*data, **options).arguments
    for name, value in given.items():
        parameter = signature.parameters[name]
        kind = _evaluated(parameter.annotation, function)
        if kind is Any:
            kind = _evaluated(_named_kind(function, name), function)
        several = parameter.kind is parameter.VAR_POSITIONAL
        wrong = [one for one in (value if several else (value,)) if not fits(one, kind)]
        if parameter.kind is not parameter.VAR_KEYWORD and wrong:
            asked = _asked(function, name, parameter.annotation)
            raise InputError.expected(name, asked, wrong[0], _how(function, asked))


def fits(value: object, kind: Any) -> bool:
    """Tell whether a value may be of a kind; yes where that cannot be decided.

    >>> fits(1, float), fits("a", float), fits([1, "a"], list[int]), fits(None, int | None)
    (True, False, False, True)
    """
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, one) for one in typing.get_args(kind))
    if isinstance(origin, type):
        return _holds(value, origin, typing.get_args(kind))
    if kind is None:
        return value is None
    if kind is Any or not isinstance(kind, type):
        return True
    if getattr(kind, "_is_protocol", False):
        return all(hasattr(value, name) for name in _members(kind))
    return isinstance(value, _WIDER.get(kind, kind))


def _members(kind: type) -> set[str]:
    """Return what a value must have to follow a protocol."""
    ours = [one for one in kind.__mro__ if one.__module__.startswith(f"{_PACKAGE}.")]
    named = {name for one in ours for name in (*vars(one), *inspect.get_annotations(one))}
    return {name for name in named if not name.startswith("_")}


def _holds(value: object, origin: type, inside: tuple[Any, ...]) -> bool:
    """Tell whether a value is a container of a kind, judged by its first elements."""
    try:
        if not isinstance(value, origin):
            return False
    except TypeError:  # what cannot be asked
        return True
    if isinstance(value, Mapping) and len(inside) == 2:
        return all(fits(one, inside[1]) for one in islice(value.values(), _LOOKED_AT))
    if isinstance(value, str):
        return str in inside or Any in inside or not inside
    if isinstance(value, (list, tuple)) and len({*inside} - {...}) == 1:
        return all(fits(one, inside[0]) for one in islice(value, _LOOKED_AT))
    return True


def _evaluated(annotation: Any, function: Callable[..., Any]) -> Any:
    """Return a written annotation as a type; Any where it cannot be known."""
    if annotation is inspect.Parameter.empty:
        return Any
    if not isinstance(annotation, str):
        return annotation
    written = types.SimpleNamespace(__annotations__={"kind": annotation})
    try:
        return typing.get_type_hints(written, {}, _Names(inspect.unwrap(function)))["kind"]
    except Exception:  # a name that only the type checker knows
        return Any


class _Names(dict[str, Any]):
    """The names of a function's file, and those that it knows only for the type checker."""

    def __init__(self, function: Any) -> None:
        super().__init__(getattr(function, "__globals__", {}))

    def __missing__(self, name: str) -> Any:
        for home, module in list(sys.modules.items()):
            if home.startswith(f"{_PACKAGE}."):
                found = vars(module).get(name)
                if isinstance(found, type):
                    return found
        for module in (typing, sys.modules["collections.abc"]):
            if hasattr(module, name):
                return getattr(module, name)
        raise KeyError(name)


def _documented(function: Callable[..., Any], name: str) -> str:
    """Return what the docstring says of the kind of an argument."""
    line = rf"^\s*(?:\*?\w+, )*\*?{re.escape(name)}(?:, \*?\w+)* : (.+)$"
    told = re.search(line, function.__doc__ or "", re.MULTILINE)
    return re.sub(r",? (?:optional|default:? .*)$|, default.*$", "", told[1]) if told else ""


def _named_kind(function: Callable[..., Any], name: str) -> Any:
    """Return the one class of ours that the docstring names, where the signature leaves it open."""
    told = _documented(function, name)
    return told if re.fullmatch(r"[A-Z]\w+", told) and told not in _MADE_OF_TABLES else Any


def _asked(function: Callable[..., Any], name: str, annotation: Any) -> str:
    """Say what an argument must be, in the words of the docstring."""
    words = _documented(function, name) or getattr(annotation, "__name__", str(annotation))
    if _NO_ARTICLE.match(words):
        return words
    return f"{'an' if words[:1].lower() in 'aeiou' else 'a'} {words}"


def _how(function: Callable[..., Any], asked: str) -> str:
    named = (hint for kind, hint in _HOW.items() if re.match(rf"(?:an? )?{kind}\b", asked))
    return next(named, f"help({function.__qualname__}) shows what it takes")


# ---- What other programs call the options of Consilience: the one list of foreign names.
#
# Names of scikit-learn, statsmodels, krippendorff, irrCAC, pingouin, SciPy, and of irr and irrCAC
# in R, with the keyword of ours that does the same, or a sentence that says how it is done here.


_CLOSE = 0.7
_MOST_LISTED = 12


def _same(value: object) -> object:
    return value


def _complement(value: object) -> object:
    """Turn an error rate into a level of confidence; leave a level as it is."""
    if isinstance(value, (int, float)) and 0.0 < value < 0.5:
        return round(1.0 - value, 12)
    return value


@dataclass(frozen=True, slots=True)
class Foreign:
    """What does here what another program's option does there.

    Attributes
    ----------
    ours : names of our keywords; the first that a function has is meant
    values : their word for a value to ours
    change : how a value becomes ours where no word is listed
    otherwise : what to do where a function has none of the keywords
    """

    ours: tuple[str, ...] = ()
    values: Mapping[object, object] = field(default_factory=dict)
    change: Callable[[object], object] = _same
    otherwise: str = ""


_WEIGHTS = Foreign(
    ("distance",),
    {
        None: "nominal",
        "unweighted": "nominal",
        "identity": "nominal",
        "equal": "linear",
        "squared": "quadratic",
        "toeplitz": "linear",
        "fc": "quadratic",
        "ordinal": "ordinal-gwet",
    },
    otherwise="the weights of a coefficient are its distance, as in "
    'cohen_kappa(ratings, distance="quadratic")',
)
_SCALE = Foreign(
    ("scale", "distance"),
    otherwise='say it where the ratings are made, as in Ratings.from_wide(rows, scale="ordinal")',
)
_LEVEL = Foreign(
    ("confidence_level",),
    change=_complement,
    otherwise="ask the result: .confidence_interval(confidence_level=0.95)",
)
_INTERVAL = Foreign(
    ("interval",),
    otherwise="every result has its interval: .confidence_interval(confidence_level=0.95)",
)
_LABELS = Foreign(
    ("categories",),
    otherwise="declare the categories where the ratings are made, as in "
    'Ratings.from_wide(rows, categories=["low", "high"])',
)
_RESAMPLES = Foreign(
    ("n_resamples",),
    otherwise="for a bootstrap call consilience.bootstrap(estimate, n_resamples=9999)",
)
_SEED = Foreign(("rng", "seed"), otherwise="nothing here is drawn at random; leave it out")
_MISSING = Foreign(
    ("missing",),
    {
        True: "listwise",
        "omit": "listwise",
        "listwise.deletion": "listwise",
        "complete": "listwise",
    },
    otherwise="missing ratings are None or NaN and need no option; leave it out",
)
_DATA = Foreign(otherwise="pass the data first, without a name")
_ROUNDED = Foreign(otherwise="values are never rounded; print round(result.value, 3)")
_TIMES = Foreign(
    otherwise="count equal rows, and make the ratings from the counts: Ratings.from_table for "
    "two raters, Ratings.from_counts for more"
)

FOREIGN: dict[str, Foreign] = {
    **dict.fromkeys(("weights", "weight", "wt", "weighting", "weighted", "w"), _WEIGHTS),
    **dict.fromkeys(("level_of_measurement", "data_type", "measurement", "metric"), _SCALE),
    "scale": _SCALE,
    **dict.fromkeys(("alpha", "conf_level", "ci_level", "confidence", "conflev"), _LEVEL),
    **dict.fromkeys(("conf", "level", "credible_level"), _LEVEL),
    **dict.fromkeys(("ci", "conf_int", "confint", "return_ci", "ci_method"), _INTERVAL),
    **dict.fromkeys(("labels", "value_domain", "categ", "levels", "classes"), _LABELS),
    **dict.fromkeys(("category_names", "categ_labels", "category_labels"), _LABELS),
    **dict.fromkeys(("n_boot", "n_bootstrap", "n_bootstraps", "nboot", "B", "R"), _RESAMPLES),
    **dict.fromkeys(("n_iter", "n_permutations", "n_perm", "bootstrap_samples"), _RESAMPLES),
    **dict.fromkeys(("seed", "rng", "random_state", "random_seed", "set_seed"), _SEED),
    **dict.fromkeys(("na_rm", "nan_policy", "missing", "dropna", "na_action"), _MISSING),
    **dict.fromkeys(("reliability_data", "data", "x", "table", "ratings", "df"), _DATA),
    **dict.fromkeys(("y1", "y2", "rater1", "rater2", "value_counts", "raw_data"), _DATA),
    **dict.fromkeys(("digits", "decimals", "ndigits"), _ROUNDED),
    **dict.fromkeys(("sample_weight", "sample_weights", "freq", "frequencies"), _TIMES),
    "return_results": Foreign(otherwise="the result has it all; leave it out"),
    "exact": Foreign(
        otherwise="for the exact kappa of more than two raters call consilience.cohen_kappa"
    ),
    "targets": Foreign(("item",), otherwise="name the columns in Ratings.from_long(item=...)"),
    "annotators": Foreign(("raters", "rater")),
    "annotator": Foreign(("rater", "raters")),
    "coders": Foreign(("raters", "rater")),
    "coder": Foreign(("rater", "raters")),
    "subjects": Foreign(("items", "item")),
    "units": Foreign(("items", "item")),
    "sep": Foreign(("delimiter",)),
    "sheet_name": Foreign(("sheet",)),
    "na_values": Foreign(("missing_values",)),
    "significance": Foreign(("significance_level",)),
    "sig_level": Foreign(("significance_level",)),
}


def written(name: str, value: object) -> str:
    """Write a keyword with its value as in a program; without it where that would be long.

    >>> written("scale", "ordinal"), written("n_items", 80), written("distance", [[0, 1], [1, 0]])
    ('scale="ordinal"', 'n_items=80', 'distance=')
    """
    if isinstance(value, str):
        return f'{name}="{value}"'
    return f"{name}={value!r}" if isinstance(value, (bool, int, float)) else f"{name}="


def advice(name: str, value: object, known: Collection[str]) -> str:
    """Return what to write instead of a keyword that a function does not have.

    >>> advice("weights", "quadratic", ["distance", "missing"])
    'distance="quadratic" is what you look for'
    >>> advice("alpha", 0.05, ["confidence_level"])
    'confidence_level=0.95 is what you look for'
    >>> advice("distanse", "linear", ["distance", "missing"])
    "did you mean 'distance'?"
    """
    foreign = FOREIGN.get(name)
    if foreign is not None:
        found = next((one for one in foreign.ours if one in known), None)
        if found is not None:
            listed = isinstance(value, (str, bool, type(None))) and value in foreign.values
            ours = foreign.values[value] if listed else foreign.change(value)
            return f"{written(found, ours)} is what you look for"
        if foreign.otherwise:
            return foreign.otherwise
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=_CLOSE)
    if close:
        return f"did you mean {close[0]!r}?"
    if not known:
        return "it has no options"
    names = list(known)
    more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    return f"its options are {', '.join(names[:_MOST_LISTED])}{more}"
