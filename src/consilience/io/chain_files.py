"""Coreference from tables of any layout: mentions with their antecedents or entities."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, Literal, Unpack

from consilience.core.keywords import READING, ReadingOptions, written_out
from consilience.io._read import Loaded, load
from consilience.io.tables.small_tables import cells_of
from consilience.ratings import Ratings
from consilience.units import chains_of

_ROLES = ("item", "rater", "label", "shape", "columns", "format")
_RATERS = ("rater", "coder", "annotator", "observer", "judge")
_TEXTS = ("text", "document", "doc", "dialogue", "file")


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
    """Read coreference or anaphora from a table: labels become chains of mentions.

    Use it with a distance of sets. The first column names the mention. Then comes a column for
    each rater; or a column called rater and one with the antecedents, a row for each mention and
    rater. A column called text or document says which text a mention is in. Options say where a
    table is otherwise.

    Parameters
    ----------
    path : path, list of paths, or dataframe
    form : {"links", "entities"}
        What stands in the cells: the antecedent of the mention, or the entity it belongs to.
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
    return chains_of(
        found.ratings, form=form, unmarked=unmarked, itself=itself, scope=scope, items=mentions
    )._read_as(found.reading)


def chain_layout(path: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Say which column is which, where nobody did: antecedents look like items to a recogniser."""
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


def chained(loaded: Loaded, **options: Any) -> Loaded:
    """Return what was read with chains for labels; options as in `chains_of`."""
    groups = {
        name: chains_of(ratings, **options)._read_as(loaded.reading)
        for name, ratings in loaded.groups.items()
    }
    return replace(loaded, groups=groups)
