"""The options that commands share, what each of them is taken apart into, and which are not heeded.

Nothing that was asked is ignored: a command declares rules beside its options (``rules=`` of
`Command`). Each rule names options and tells when they do nothing; one that was typed is then
refused by its name. What only the data can tell is refused by `refuse` once they were read.
`tests/contract/test_every_option.py` finds what no rule covers.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import click

from consilience.core.interval import DRAWN, INTERVALS
from consilience.exceptions import InputError

# ---- Nothing that was asked is ignored: which options a command does not heed, and when

Options = Mapping[str, Any]
_OF_EVERY_WAY = frozenset({"paths", "everything", "as_json", "as_csv", "as_markdown", "as_latex",
                           "as_apa", "output", "force", "quiet"})  # fmt: skip


@dataclass(frozen=True)
class Rule:
    """Options, by the names of their parameters, that do nothing where `when` holds.

    `said` is said behind the option's name, as in "goes with --figure".
    """

    names: Collection[str]
    when: Callable[[Options], bool]
    said: str
    hint: str = ""
    is_all_but: bool = False

    def concerns(self, param: click.Parameter) -> bool:
        """Tell whether an option is one that this rule is about."""
        if self.is_all_but:
            return param.name not in _OF_EVERY_WAY and param.name not in self.names
        return param.name in self.names


def is_given(name: str) -> Callable[[Options], bool]:
    """Return what tells whether an option was given.

    >>> is_given("figure")({"figure": None}), is_given("top")({"top": 0})
    (False, True)
    """
    return lambda options: not _is_empty(options.get(name))


def _is_empty(value: Any) -> bool:
    return value is None or value is False or (isinstance(value, (str, tuple, list)) and not value)


def needs(option: str, *names: str, among: Collection[str] = ()) -> Rule:
    """Return the rule of options that go with another one, such as ``--figure FILE``."""
    flag = option.partition(" ")[0]
    others = among or (flag.lstrip("-").replace("-", "_"),)
    given = [is_given(name) for name in others]
    return Rule(
        names,
        lambda options: not any(one(options) for one in given),
        f"goes with {option}",
        f"add {option}, or leave it out",
    )


def apart(option: str, *names: str, when: Callable[[Options], bool] | None = None) -> Rule:
    """Return the rule of options that do nothing beside another one."""
    flag = option.partition(" ")[0]
    given = when or is_given(flag.lstrip("-").replace("-", "_"))
    return Rule(names, given, f"does not go with {option}", "leave one of them out")


def only(
    option: str, *names: str, when: Callable[[Options], bool], does: str = "has no effect with"
) -> Rule:
    """Return the rule of a way in which a command heeds these options and no others.

    Options that say how a result is written belong to every way.
    """
    return Rule(names, when, f"{does} {option}", "leave it out", is_all_but=True)


def check_rules(ctx: click.Context, rules: Collection[Rule]) -> None:
    """Refuse what was typed and would do nothing."""
    for rule in rules:
        if rule.when(ctx.params):
            for param in ctx.command.params:
                if rule.concerns(param) and was_typed(ctx, param):
                    raise _refused(ctx, param, rule)


def refuse(said: str, *names: str, hint: str = "") -> None:
    """Refuse options that do nothing, as what was read has shown: "has no effect on counts"."""
    ctx = click.get_current_context()
    check_rules(ctx, [Rule(names, lambda options: True, said, hint)])


def typed(*names: str) -> bool:
    """Tell whether one of these options was typed."""
    ctx = click.get_current_context()
    return any(param.name in names and was_typed(ctx, param) for param in ctx.command.params)


def was_typed(ctx: click.Context, param: click.Parameter) -> bool:
    """Tell whether somebody typed an option, be it with the value that it has anyway."""
    source = ctx.get_parameter_source(param.name or "")
    is_option = isinstance(param, click.Option)
    return is_option and source is not None and source.name in ("COMMANDLINE", "ENVIRONMENT")


def _refused(ctx: click.Context, param: click.Parameter, rule: Rule) -> click.UsageError:
    is_off = param.secondary_opts and ctx.params.get(param.name or "") is False
    flag = max(param.secondary_opts if is_off else param.opts, key=len)
    return click.UsageError(f"{flag} {rule.said}. Hint: {rule.hint or 'leave it out'}.", ctx)


# ---- Values that the command line takes apart before the library sees them

Function = TypeVar("Function", bound=Callable[..., Any])
SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)
COUNT = click.IntRange(min=1)
_TAKE_A_VALUE = ("type", "callback", "nargs", "default")


def option(
    flags: str,
    about: str,
    *,
    to: str | None = None,
    choices: Iterable[str] | None = None,
    **more: Any,
) -> Callable[[Function], Function]:
    """Declare an option in a row: its flags and what they take, then what it is about.

    "--people NAME..." takes a name and may be repeated, "--force" is a switch. `to` is the name of
    its parameter where that is another; a default is shown unless it is empty.
    """
    words = flags.split()
    names = [word for word in words if word.startswith("-")]
    taken = " ".join(word for word in words if not word.startswith("-"))
    metavar = taken.removesuffix("...").strip()
    if choices is not None:
        more["type"] = click.Choice(tuple(choices))
    if metavar:
        more["metavar"] = metavar
    if taken.endswith("..."):
        more["multiple"] = True
    if not taken and not any(name in more for name in _TAKE_A_VALUE):
        more.setdefault("is_flag", True)
    if more.get("default"):
        more.setdefault("show_default", True)
    return click.option(*names, *([to] if to else []), help=about, **more)


def together(*options: Callable[[Any], Any]) -> Callable[[Function], Function]:
    """Return what adds several options, in this order."""

    def add(command: Function) -> Function:
        for one in reversed(options):
            command = one(command)
        return command

    return add


def split_categories(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> tuple[str, ...] | None:
    """Split a comma-separated list of labels; quotation marks protect a comma."""
    if value is None:
        return None
    labels = tuple(label.strip() for label in next(csv.reader([value]), []))
    if not labels or "" in labels:
        raise click.BadParameter(f"{value!r} has an empty label. Write them as no,maybe,yes.")
    return labels


def split_shares(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> float | list[float] | None:
    """Turn 0.3 into a share and 0.2,0.3,0.5 into shares."""
    if value is None:
        return None
    try:
        shares = [float(part) for part in value.split(",")]
    except ValueError:
        raise click.BadParameter(f"{value!r} is not like 0.3 or 0.2,0.3,0.5.") from None
    return shares[0] if len(shares) == 1 else shares


def split_pairs(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> dict[str, str | None]:
    """Split pairs such as Yes=yes; an empty new label means no rating."""
    pairs: dict[str, str | None] = {}
    for value in values:
        old, sign, new = (part.strip() for part in value.partition("="))
        if not sign or not old:
            raise click.BadParameter(f"{value!r} is not like OLD=NEW.")
        if pairs.get(old, new or None) != (new or None):
            raise click.BadParameter(f"{old!r} is mapped twice.")
        pairs[old] = new or None
    return pairs


def coefficient_name(word: str, option: str) -> str:
    """Return the registered name of a coefficient; an unknown one is wrong usage."""
    from consilience.coefficients import registry

    try:
        return registry[word].name
    except InputError as error:
        from consilience.cli.words import instead_of

        known = [name for one in registry.values() for name in (one.name, *one.aliases)]
        guess = instead_of(word, known)
        message = f"unknown coefficient {word!r}.{guess} 'consilience coefficients' lists them."
        raise click.BadParameter(message, param_hint=option) from error


def named_distance(word: str | None, scale: str | Mapping[str, str] | None) -> Any:
    """Return the distance that a word names, with its parameter as in ``circular:24``."""
    if word is None:
        return None
    from consilience import distances

    name, sign, parameter = word.partition(":")
    try:
        if name in ("file", "taxonomy"):
            return _distance_file(name, parameter)
        if name == "circular":
            if not sign:
                raise click.BadParameter(
                    "a circle needs its circumference, as in circular:24 for hours of the day.",
                    param_hint="--distance",
                )
            return distances.circular(float(parameter))
        return distances.get_distance(word, scale=scale if isinstance(scale, str) else "nominal")
    except ValueError as error:  # InputError is one
        raise click.BadParameter(str(error), param_hint="--distance") from error


def _distance_file(kind: str, parameter: str) -> Any:
    """Read ``file:weights.csv``, ``taxonomy:tree.csv`` or ``taxonomy:tree.csv:passonneau``."""
    from consilience.io import read_taxonomy, read_weights

    if not parameter:
        example = "file:weights.csv" if kind == "file" else "taxonomy:tree.csv"
        raise click.BadParameter(f"name the file, as in {example}.", param_hint="--distance")
    if kind == "file":
        return read_weights(parameter)
    path, sign, inner = parameter.rpartition(":")
    if sign and inner.isidentifier():
        return read_taxonomy(path, distance=inner)
    return read_taxonomy(parameter)


CONFIDENCE_LEVEL = option("--confidence-level", "Level of the intervals.", type=SHARE, default=0.95)
SEED = option("--seed", "Random seed.", type=click.IntRange(min=0), default=0, show_default=True)


def completed_by(name: str) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Return what offers words in the shell; it is loaded when somebody presses Tab."""

    def offered(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        from consilience.cli import completion as _complete

        found: list[str] = getattr(_complete, name)(ctx, param, incomplete)
        return found

    return offered


def column_option(
    name: str, about: str, *, multiple: bool = False
) -> Callable[[Function], Function]:
    """Return an option that names columns of the file, which the shell offers."""
    several = "..." if multiple else ""
    return option(f"{name} COLUMN{several}", about, shell_complete=completed_by("columns"))


_LOW = ":low"


@dataclass(frozen=True)
class Gate:
    """A bound on a number, or with `on_low` on the lower limit of its interval."""

    name: str
    bound: float
    on_low: bool = False

    def __str__(self) -> str:
        return f"{self.name}{_LOW if self.on_low else ''}={self.bound:g}"

    def named(self, name: str) -> Gate:
        """Return the gate on a number by its registered name."""
        return replace(self, name=name)

    def exit_code(self, what: str, value: float | None, limits: Any) -> int:
        """Return 0 where the number is large enough, 1 where it is not, 4 where there is none."""
        from consilience.cli.output import tell

        missing = value is None or math.isnan(value)
        if missing or (self.on_low and (limits is None or math.isnan(limits.low))):
            why = "has no interval"
            if missing:
                why = "does not exist here" if value is None else "is undefined"
            tell(f"{what} {why}, so --fail-under cannot be met.")
            return 4
        number = limits.low if self.on_low and limits is not None else value
        assert number is not None
        if number < self.bound:
            lower = "the lower limit of " if self.on_low else ""
            tell(f"{lower}{what} is {number:.4f}, below {self.bound:g}.")
            return 1
        return 0


def split_gates(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> list[Gate]:
    """Split gates such as alpha=0.667 and alpha:low=0.6; names are checked by the command."""
    gates = []
    for value in values:
        name, sign, number = value.partition("=")
        try:
            bound = float(number)
        except ValueError:
            bound = float("nan")
        on_low = name.strip().lower().endswith(_LOW)
        name = name.strip()[: -len(_LOW)] if on_low else name.strip()
        if not (sign and name and -1 <= bound <= 1):
            raise click.BadParameter(f"{value!r} is not like alpha=0.667 or alpha:low=0.6.")
        gates.append(Gate(name, bound, on_low))
    return gates


def gated(
    gates: Iterable[Gate], found: Callable[[Gate], Iterable[tuple[str, float | None, Any]]]
) -> int:
    """Return the exit code of gates; `found` gives name, value and limits of what each is on."""
    return max((gate.exit_code(*one) for gate in gates for one in found(gate)), default=0)


def only_gates(gates: Iterable[Gate], names: Collection[str], like: str) -> None:
    """Refuse a gate on what a command does not measure."""
    for gate in gates:
        if gate.name not in names:
            raise click.BadParameter(f"{gate!s} is not like {like}.", param_hint="--fail-under")


def gate_option(about: str) -> Callable[[Function], Function]:
    """Return the option with which a number that is too small decides the exit code."""
    return option(
        "--fail-under NAME=VALUE...",
        f"{about} NAME:low means the lower limit of the interval.",
        to="gates",
        callback=split_gates,
    )


def resamples_option(about: str, default: int | None = None) -> Callable[[Function], Function]:
    """Return the option that says how many resamples are drawn."""
    return option("--resamples N", about, type=COUNT, default=default)


_MISSING = ("gwet", "ap", "listwise", "krippendorff", "pairwise")

COEFFICIENT = option(
    "--coefficient -c NAME...",
    "Coefficient to compute; repeat for more. Default: all that apply.",
    to="names",
    shell_complete=completed_by("coefficients"),
)
DISTANCE = option(
    "--distance NAME",
    "How different two labels are, such as linear, quadratic, ordinal, circular:24; of sets "
    "masi, jaccard, dice, passonneau; file:weights.csv, or taxonomy:tree.csv. Default: the one "
    "that fits the scale.",
    to="word",
    shell_complete=completed_by("distances"),
)
MISSING = option(
    "--missing",
    "How incomplete items are treated, where a coefficient leaves the choice.",
    choices=_MISSING,
)
RESAMPLES = resamples_option(
    "Resamples for intervals by bootstrap. Default: 4999, or 9999 for bca."
)


MEASURING_RULES = (
    Rule(("resamples",), lambda options: options["interval"] not in DRAWN,
         f"is for intervals that are drawn: {', '.join(DRAWN)}",
         "add --interval bca, or leave it out"),
)  # fmt: skip


def measured_as(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the measuring options say, as arguments of the library."""
    names = [coefficient_name(name, "--coefficient") for name in options["names"]]
    return {
        "coefficients": names or None,
        "distance": named_distance(options["word"], options["scale"]),
        "missing": options["missing"],
        "confidence_level": options["confidence_level"],
        "interval": options["interval"],
        "n_resamples": options["resamples"],
        "seed": options["seed"],
    }


def measuring_options(*, interval: str) -> Callable[[Function], Function]:
    """Add the options that say what to compute; `interval` is the default method of intervals."""
    how = option(
        "--interval METHOD",
        f"How intervals are made: {', '.join(INTERVALS)}; auto picks what covered best for "
        "such a design.",
        choices=tuple(INTERVALS),
        default=interval,
    )
    return together(COEFFICIENT, DISTANCE, MISSING, CONFIDENCE_LEVEL, how, RESAMPLES, SEED)
