"""Coreference from files: tables of mentions with antecedents or entities, and CoNLL columns."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Unpack

from consilience.core.input_files import check_file
from consilience.core.options import READING, ReadingOptions, written_out
from consilience.io._read import Loaded, load
from consilience.io.exports.conll import begins_as_coreference
from consilience.io.files.source import Source
from consilience.io.small_tables import cells_of
from consilience.ratings import Ratings
from consilience.units import chains_of

_ROLES = ("item", "rater", "label", "shape", "columns", "format")
_RATERS = ("rater", "coder", "annotator", "observer", "judge")
_TEXTS = ("text", "document", "doc", "dialogue", "file")
_LOOKED_AT, _HEAD = 3, 1 << 14  # files of a folder, and bytes of each
_CHAINS = "conll-coreference"  # the format whose labels are chains already


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

    Use it with a distance of sets. In a table the first column names the mention. Then comes a
    column for each rater; or a column called rater and one with the antecedents, a row for each
    mention and rater. A column called text or document says which text a mention is in. Options
    say where a table is otherwise. Files of CoNLL 2011 and 2012, one for each rater, tell chains in
    their last column, as in ``(12)``, ``(3|(4`` and ``5)``.

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
    found = load(path, **chain_layout(path, dict(options)))
    wishes = {"form": form, "unmarked": unmarked, "itself": itself, "scope": scope}
    return chained(found, **wishes, items=mentions).ratings


def chain_layout(path: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Say which column is which, where nobody did: antecedents look like items to a recogniser."""
    if _is_conll(path):
        return options
    told = {"header": True, **options}
    if any(options.get(name) for name in _ROLES) or not isinstance(path, (str, os.PathLike)):
        return told
    names = [str(name) for name in cells_of(path).rows[0]]
    by_word = {name.casefold(): name for name in names[1:]}
    rater = next((by_word[word] for word in _RATERS if word in by_word), None)
    text = next((by_word[word] for word in _TEXTS if word in by_word), None)
    left = [name for name in names[1:] if name not in (rater, text)]
    told |= {"item": names[:1], "shape": "wide" if rater is None else "long"}
    told |= {"rater": left} if rater is None else {"rater": [rater], "label": left[:1]}
    return told if text is None else told | {"cluster": text}


def _is_conll(path: Any) -> bool:
    """Tell whether the first of the files is one with a column of coreference."""
    first = path[0] if isinstance(path, (list, tuple)) and path else path
    if not isinstance(first, (str, os.PathLike)) or not os.path.exists(first):
        return False
    check_file(first, folders="allow")
    members = Source((Path(first),)).members[:_LOOKED_AT]
    return any(begins_as_coreference(one.head(_HEAD).decode("utf-8", "replace")) for one in members)


def chained(loaded: Loaded, **options: Any) -> Loaded:
    """Return what was read with chains for labels; options as in `chains_of`.

    Chains of a format that has them are entities: mentions with the same chain belong together.
    """
    if loaded.reading.format == _CHAINS:
        options["form"] = "entities"
    groups = {
        name: chains_of(ratings, **options).read_as(loaded.reading)
        for name, ratings in loaded.groups.items()
    }
    return replace(loaded, groups=groups)
