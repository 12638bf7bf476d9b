"""Nothing that was asked is ignored: which options a command does not heed, and when.

A command declares rules beside its options (``rules=`` of `Command`). Each rule names options and
tells when they do nothing; one that was typed is then refused by its name. What only the data can
tell is refused by `refuse` once they were read. `tests/contract/test_every_option.py` finds what no
rule covers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import click

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
