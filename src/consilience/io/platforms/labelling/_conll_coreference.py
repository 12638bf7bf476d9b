"""CoNLL 2011 and 2012: coreference, one file per rater; labels are chains of mentions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.bytes._source import Member, Source
from consilience.io.platforms._export_registry import ExportOptions, Sample, export
from consilience.io.platforms.export_entries import Annotations
from consilience.io.platforms.labelling._webanno_tsv import shared_start
from consilience.io.platforms.records._coreference_column import (
    BEGIN,
    Mention,
    Text,
    begins_as_coreference,
    texts_in,
)

_SUFFIXES = (".conll", ".v4_gold_conll")


@dataclass(frozen=True)
class _Copy:
    """What one rater made of one document."""

    rater: str
    member: Member
    text: Text


@export(
    "conll-coreference",
    title="CoNLL coreference (2011, 2012)",
    suffixes=_SUFFIXES,
    label_names="variables",
)
class ConllCoreference:
    """A mention is an item; its label is the chain, the mentions that a rater put together."""

    def recognise(self, sample: Sample) -> str | None:
        """Look at the first line that is no comment."""
        names = sample.members()
        looked = [sample.member(name) for name in names[:3]] if names else [sample]
        told = all(begins_as_coreference(one.text) for one in looked)
        return f"documents begin with {BEGIN}" if told else None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Put the files of each document beside each other, mention by mention."""
        found = Annotations(roles={"item": "the mention", "rater": "the name of the file"})
        files: list[Member] = []
        texts: list[list[Text]] = []
        for member in source.members:
            content = member.text(encoding=options.encoding)
            beside = len(source.members) > 1 and member.suffix not in _SUFFIXES
            if beside and not begins_as_coreference(content):
                why = f"no file of coreference, which begins with {BEGIN}"
                found.ledger.set_aside("files", member.name, reason=why)
                continue
            files.append(member)
            texts.append(_texts(content, member))
        copies: dict[str, list[_Copy]] = {}
        for rater, member, own in zip(_raters(files, texts), files, texts, strict=True):
            for text in own:
                copies.setdefault(text.name, []).append(_Copy(rater, member, text))
        partly = 0
        for name, group in copies.items():
            _check_copies(group)
            partly += _add(found, group, f"{name}: " if len(copies) > 1 else "")
        _tell(found, copies, partly)
        return found


def _texts(content: str, member: Member) -> list[Text]:
    found = texts_in(content, member.where)
    if not found:
        raise InputError.expected(
            "a file of coreference", f"filled: documents begin with {BEGIN}", Said("none"),
            "export it again, or leave the file out", where=member.where,
        )  # fmt: skip
    return found


def _raters(members: Sequence[Member], texts: Sequence[Sequence[Text]]) -> list[str]:
    """Name each file's rater: by its own part of the name, else by the folder, else by all of it.

    Files that hold the same documents are those of different raters: their names differ in who.
    """
    alike: dict[tuple[str, ...], list[int]] = {}
    for k, one in enumerate(texts):
        alike.setdefault(tuple(sorted(text.name for text in one)), []).append(k)
    own = [""] * len(members)
    for group in alike.values():
        for k, name in zip(group, _own_parts([members[k].stem for k in group]), strict=True):
            own[k] = name
    folders = [
        PurePath(member.name).parent.name or PurePath(member.where).parent.name
        for member in members
    ]
    for names in (own, folders, [PurePath(member.name).name for member in members]):
        if all(names) and all(len({names[k] for k in g}) == len(g) for g in alike.values()):
            return names
    two = " and ".join(member.where for member in members[:2])
    raise InputError.expected(
        "files of several raters", "called after their raters", Said(two),
        "rename them, or put the files of each rater into a folder called after the rater",
    )  # fmt: skip


def _own_parts(stems: list[str]) -> list[str]:
    """Return what each name has for itself: doc1_ann and doc1_bob are ann and bob."""
    start = shared_start(stems)
    short = [stem.removeprefix(start) for stem in stems]
    end = shared_start([stem[::-1] for stem in short])[::-1]
    return [stem.removesuffix(end) for stem in short]


def _check_copies(group: Sequence[_Copy]) -> None:
    """Refuse raters who did not have the same text, or one who has it twice."""
    first = group[0]
    for k, one in enumerate(group[1:], start=1):
        place = f"{one.member.where}, line {one.text.line}"
        if any(one.rater == other.rater for other in group[:k]):
            raise InputError.expected(
                f"the document {one.text.name!r} of {one.rater}", "in one file", Said("in two"),
                "leave one out", where=place,
            )  # fmt: skip
        if len(one.text.words) != len(first.text.words):
            raise InputError.expected(
                f"the document {one.text.name!r}", "cut into the same words by all raters",
                Said(f"{len(one.text.words):,} words, and {len(first.text.words):,} in "
                     f"{first.member.where}"),
                "let raters mark one version of a text", where=place,
            )  # fmt: skip


def _add(found: Annotations, group: Sequence[_Copy], start: str) -> int:
    """Add each rater's chain of each mention; return how many mentions not all of them marked."""
    names: dict[tuple[int, int], str] = {}
    times: dict[tuple[int, int], int] = {}
    every = sorted(
        (one for copy in group for one in copy.text.mentions), key=lambda m: (m.first, -m.last)
    )
    for one in every:
        names.setdefault(one.span, f"{start}{_called(one)}")
        times[one.span] = times.get(one.span, 0) + 1
    for copy in group:
        chains: dict[str, set[str]] = {}
        for one in copy.text.mentions:
            chains.setdefault(one.entity, set()).add(names[one.span])
        sets = {entity: frozenset(chain) for entity, chain in chains.items()}
        for one in copy.text.mentions:
            place = f"{copy.member.where}, line {one.line}"
            found.add(names[one.span], copy.rater, sets[one.entity], text=one.words, place=place)
    return sum(n < len(group) for n in times.values())


def _called(one: Mention) -> str:
    place = f"{one.first}" if one.first == one.last else f"{one.first}-{one.last}"
    return f"{one.words} ({place})"


def _tell(found: Annotations, copies: dict[str, list[_Copy]], partly: int) -> None:
    """Say what chains leave open: mentions that only some raters marked, and texts of only one."""
    raters = {one.rater for group in copies.values() for one in group}
    alone = sum(len(group) < 2 for group in copies.values())
    if alone and len(raters) > 1:
        found.note(
            "documents_of_one",
            f"{alone:,} of {len(copies):,} documents are in one rater's file only, so that their "
            "mentions were compared with nobody's.",
        )
    if partly:
        found.note(
            "mentions_of_some",
            f"{partly:,} of {len(set(found.item)):,} mentions were not marked by all who had the "
            "text; each was compared among those who marked it. To take it as standing alone for "
            'the others, use read_chains(..., unmarked="alone") (--chains entities:alone).',
        )
