"""Coreference from files: tables of mentions with antecedents or entities, and CoNLL columns."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, Unpack

from consilience.core.frames import is_table
from consilience.core.input_files import Said, check_file
from consilience.core.options import READING, ReadingOptions, written_out
from consilience.exceptions import InputError, Option, Words
from consilience.io._read import Loaded, load, opened
from consilience.io.exports.conll import begins_as_coreference
from consilience.io.files.source import Source
from consilience.io.layout.lexicon import names_document, role_of
from consilience.io.options import request_of, tuple_of
from consilience.ratings import Ratings
from consilience.units import chains_of

_ROLES = ("rater", "label", "shape", "columns", "format")
_OF_TEXT = ("delimiter", "encoding", "header", "sheet")
_LOOKED_AT, _HEAD = 3, 1 << 14  # files of a folder, and bytes of each
_MOST_ROWS = 200_000
_CHAINS = "conll-coreference"  # the format whose labels are chains already


@dataclass(frozen=True)
class ChainLayout:
    """Which column of a table of mentions is which, and which text each mention is in.

    Attributes
    ----------
    options : dict
        What is to be said when the table is read.
    texts : dict
        Name of the item to its text and to what the mention is called there.
    document : str
        What the texts are called; "" where no column names them.
    """

    options: dict[str, Any]
    texts: Mapping[object, tuple[str, str]] = field(default_factory=dict)
    document: str = ""


@written_out(ReadingOptions, READING)
def read_chains(
    path: Any,
    *,
    form: Literal["links", "entities"] = "links",
    unmarked: Literal["alone", "missing"] | None = None,
    itself: Literal["include", "exclude"] = "include",
    scope: Literal["chain", "before"] = "chain",
    mentions: Literal["common", "any"] = "common",
    **options: Unpack[ReadingOptions],
) -> Ratings:
    """Read coreference or anaphora: labels become chains of mentions.

    Use it with a distance of sets. In a table a column names the mention, and one before or after
    it may name the text, whatever it is called: document, story, dialogue, session. Mentions,
    antecedents and entities belong to their text, so that "it" and entity 1 may come in each. Then
    comes a column for each rater; or a column called rater and one with the antecedents, a row for
    each mention and rater. Options say where a table is otherwise. Files of CoNLL 2011 and 2012,
    one for each rater, tell chains in their last column, as in ``(12)``, ``(3|(4`` and ``5)``.

    Parameters
    ----------
    path : path, list of paths, or dataframe
        A table, or the files of all raters, or the folder with them.
    form : {"links", "entities"}
        What stands in the cells of a table: the antecedent of the mention, or the entity it
        belongs to. CoNLL files name entities.
    unmarked, itself, scope
        As in `consilience.units.chains_of`.
    mentions : {"common", "any"}
        Mentions that all raters marked, or all, missing where a rater did not mark one.

    Returns
    -------
    Ratings
        With several texts, the mentions of each are a cluster: intervals rest on texts.

    References
    ----------
    .. [1] Artstein, R., & Poesio, M. (2005). Kappa³ = Alpha (or Beta). Technical report CSM-437,
       University of Essex, section 4.1.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from consilience import krippendorff_alpha
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "links.csv"
    >>> _ = path.write_text("mention,Ann,Bob\\nengine,,\\nit 1,engine,engine\\n"
    ...                     "it 2,engine,it 1\\ntanker,,\\n")
    >>> chains = read_chains(path)
    >>> krippendorff_alpha(chains, distance="passonneau").value
    1.0
    """
    layout = chain_layout(path, dict(options))
    wishes = {"form": form, "unmarked": unmarked, "itself": itself, "scope": scope}
    return chained(load(path, **layout.options), layout, **wishes, items=mentions).ratings


def chain_layout(path: Any, options: dict[str, Any]) -> ChainLayout:
    """Say which column is which, where nobody did: antecedents look like items to a recogniser."""
    if path is None or _is_conll(path):
        return ChainLayout(options)
    told = {"header": True, **options}
    told = {name: one for name, one in told.items() if one is not None}
    if not (is_table(path) or isinstance(path, (str, os.PathLike, list, tuple))):
        return ChainLayout(told)
    text = {name: told[name] for name in _OF_TEXT if name in told}
    with opened(path, replace(request_of(**text), is_plain=True)) as file:
        if not is_table(path) and file.export is not None:
            return ChainLayout(options)
        table = file.table
        if table.n_rows > _MOST_ROWS:
            raise InputError.expected(
                "a table of mentions",
                f"at most {_MOST_ROWS:,} rows",
                table.n_rows,
                "measure it part by part",
                where=table.where,
            )
        names = [str(name) for name in table.names]
        rows = [["" if cell is None else str(cell) for cell in row] for row in table.all_rows()]
        asked = tuple_of(told.get("item"))
        wished = table.positions(asked, option="item") if asked else ()
        cluster = told.pop("cluster", None)
        document = None if cluster is None else table.position(str(cluster), option="cluster")
        where, several = table.where, table.file is not None
    rater = _rater(names, rows)
    if len(tuple_of(told.get("rater"))) == 1:
        rater = names.index(tuple_of(told["rater"])[0])
    if wished:
        *before, mention = wished
        documents = tuple(before) or (() if document is None else (document,))
    else:
        mention, documents = _places(names, rows, rater, document, where)
    item = [mention] if _are_unique(rows, mention, documents) else [*documents, mention]
    texts = _texts_of(rows, documents, mention, item)
    told["item"] = [names[j] for j in item]
    if not any(told.get(name) for name in _ROLES):
        left = [names[j] for j in range(len(names)) if j not in (*documents, mention, rater)]
        told["shape"] = "wide" if rater is None and not several else "long"
        if rater is not None:
            told |= {"rater": [names[rater]], "label": left[:1]}
        else:
            told |= {"label": left[:1]} if several else {"rater": left}
    return ChainLayout(told, texts, " ".join(names[j] for j in documents))


def _places(
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    rater: int | None,
    document: int | None,
    where: str,
) -> tuple[int, tuple[int, ...]]:
    """Return the column of the mention, and those of its text.

    The text is a column that is called so and whose values come back; where mentions are called
    alike, any column that tells them apart and stands in runs.
    """
    free = [j for j in range(len(names)) if j != rater]
    if document is None:
        called = [j for j in free if names_document(names[j]) and _comes_back(rows, j)]
        document = called[0] if called and len(free) > 2 - (rater is not None) else None
    mention, *others = [j for j in free if j != document]
    if document is not None:
        return mention, (document,)
    keys = [rater] if rater is not None else []
    if _is_key(rows, [mention, *keys]):
        return mention, ()
    pairs = [(mention, j) for j in others] + [(j, mention) for j in others[:1]]
    able = [
        (m, j)
        for m, j in pairs
        if _stands_in_runs(rows, [j, *keys]) and _is_key(rows, [m, j, *keys])
    ]
    if len(able) != 1:
        twice = next(m for m, n in Counter(row[mention] for row in rows).items() if n > 1)
        raise InputError.expected(
            f"the mentions in the column {names[mention]!r}",
            "named once in each text",
            Said(f"{twice!r} in several rows, and no column that surely names the text"),
            Words("name the text and the mention, as in ", Option("item", ["document", "mention"])),
            where=where,
        )
    return able[0][0], (able[0][1],)


def _rater(names: Sequence[str], rows: Sequence[Sequence[str]]) -> int | None:
    """Return the column that says who judged; a session or a participant is a text if it can be."""
    called = [j for j, name in enumerate(names) if role_of(name) == "rater"]
    surely = [j for j in called if not names_document(names[j])]
    if surely or not called:
        return surely[0] if surely else None
    return called[0] if len(names) < 4 and _comes_back(rows, called[0]) else None


def _comes_back(rows: Sequence[Sequence[str]], j: int) -> bool:
    """Tell whether a column has the same value in several rows, as the name of a text has."""
    values = [row[j] for row in rows]
    return all(values) and 2 * len(set(values)) <= len(values)


def _stands_in_runs(rows: Sequence[Sequence[str]], places: Sequence[int]) -> bool:
    """Tell whether equal values stand together, for each rater, and there are several."""
    values = [tuple(row[j] for j in places) for row in rows]
    runs = 1 + sum(a != b for a, b in pairwise(values))
    return all(map(all, values)) and 1 < len(set(values)) == runs < len(values)


def _is_key(rows: Sequence[Sequence[str]], places: Sequence[int]) -> bool:
    return len({tuple(row[j] for j in places) for row in rows}) == len(rows)


def _are_unique(rows: Sequence[Sequence[str]], mention: int, documents: Sequence[int]) -> bool:
    """Tell whether no mention is called as one of another text."""
    pairs = {(row[mention], *(row[j] for j in documents)) for row in rows}
    return len({pair[0] for pair in pairs}) == len(pairs)


def _texts_of(
    rows: Sequence[Sequence[str]], documents: Sequence[int], mention: int, item: Sequence[int]
) -> dict[object, tuple[str, str]]:
    """Return the text of each item, and what the mention is called in it."""
    if not documents:
        return {}
    found: dict[object, tuple[str, str]] = {}
    for row in rows:
        name = " ".join(row[j] for j in item)
        found[name] = (" ".join(row[j] for j in documents), row[mention])
    return found


def _is_conll(path: Any) -> bool:
    """Tell whether the first of the files is one with a column of coreference."""
    first = path[0] if isinstance(path, (list, tuple)) and path else path
    if not isinstance(first, (str, os.PathLike)) or not os.path.exists(first):
        return False
    check_file(first, folders="allow")
    members = Source((Path(first),)).members[:_LOOKED_AT]
    return any(begins_as_coreference(one.head(_HEAD).decode("utf-8", "replace")) for one in members)


def chained(loaded: Loaded, layout: ChainLayout, **options: Any) -> Loaded:
    """Return what was read with chains for labels; options as in `chains_of`.

    Chains of a format that has them are entities: mentions with the same chain belong together.
    """
    is_conll = loaded.reading.format == _CHAINS
    if is_conll:
        options["form"] = "entities"
    texts = {str(item): pair for item, pair in layout.texts.items()}
    groups = {}
    for name, ratings in loaded.groups.items():
        if is_conll:  # mentions are called after their document where there are several
            texts = {str(one): (str(one).partition(": ")[0], str(one)) for one in ratings.items}
            texts = texts if all(": " in one for one in texts) else {}
        known = {item: texts[str(item)] for item in ratings.items} if texts else None
        found = chains_of(ratings, texts=known, **options)
        if found.clusters is not None:
            name_of = layout.document or ("document" if is_conll else found.clusters.name)
            found = found.with_clusters(replace(found.clusters, name=name_of))
        groups[name] = found.read_as(loaded.reading)
    return replace(loaded, groups=groups)
