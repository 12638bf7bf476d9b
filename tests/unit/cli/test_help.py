"""Help: options in groups, whole summaries, and a man page from the same source."""

from __future__ import annotations

import runpy
import subprocess
from pathlib import Path

import click
import pytest

import needed
from consilience.cli import program as _help
from consilience.cli.program import COMMANDS, cli

DOCS = Path(__file__).resolve().parents[3] / "docs"
NAMES = sorted(COMMANDS)


def context(name: str) -> click.Context:
    above = click.Context(cli, info_name="consilience", **cli.context_settings)
    return click.Context(COMMANDS[name], info_name=name, parent=above)


def test_every_command_is_told_with_its_whole_summary() -> None:
    told = cli.get_help(click.Context(cli, info_name="consilience", **cli.context_settings))
    assert "..." not in told.partition("Start here")[2].partition("Examples")[0]
    unbroken = " ".join(told.split())
    for name in NAMES:
        assert f"{name} {_help.summary_of(COMMANDS[name])}" in unbroken


@pytest.mark.parametrize("name", NAMES)
def test_options_stand_in_groups_and_none_is_lost(name: str) -> None:
    command, ctx = COMMANDS[name], context(name)
    assert isinstance(command, _help.Command)
    told = command.get_help(ctx)
    groups = _help.grouped_options(command, ctx)
    assert all(f"\n{group}:\n" in told for group in groups)
    options = [one for one in command.get_params(ctx) if isinstance(one, click.Option)]
    assert sum(map(len, groups.values())) == sum(not one.hidden for one in options)


def test_a_long_help_has_five_groups() -> None:
    groups = _help.grouped_options(COMMANDS["measure"], context("measure"))
    assert list(groups) == ["What to compute", "Data", "Intervals", "Output", "Advanced"]
    assert max(map(len, groups.values())) <= 25


def test_every_option_that_has_a_group_exists() -> None:
    options = {
        max(one.opts, key=len).lstrip("-").replace("-", "_")
        for name in NAMES
        for one in COMMANDS[name].get_params(context(name))
    }
    assert set(_help._GROUP_OF) <= options


def test_the_man_page_is_up_to_date() -> None:
    manual = runpy.run_path(str(DOCS / "_man_page.py"))
    assert manual["PAGE"].read_text(encoding="utf-8") == manual["page"](), "docs/_generate.py"


@needed.needs_program("groff")
def test_the_typesetter_has_nothing_to_say_about_the_man_page() -> None:
    run = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", str(DOCS / "consilience.1")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert not run.stderr
    assert "consilience measure" in run.stdout
