"""Chains of mentions from a table: each mention with its antecedent, or with the chain's name."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, Literal

from consilience.core.labels import LabelSet
from consilience.exceptions import InputError
from consilience.ratings import Ratings
from consilience.ratings.native import long_columns
from consilience.units.model.unit_checks import check_words
from consilience.units.spans._chains import ITEMS, ITSELF, SCOPES, chain_ratings

TABLE_FORMS = ("links", "entities")
UNMARKED = ("alone", "missing")


def chains_of(
    ratings: Ratings,
    *,
    form: Literal["links", "entities"] = "links",
    unmarked: Literal["alone", "missing"] | None = None,
    itself: Literal["include", "exclude"] = "include",
    scope: Literal["chain", "before"] = "chain",
    items: Literal["common", "any"] = "common",
) -> Ratings:
    """Turn a table of antecedents or entities into ratings whose labels are chains of mentions.

    Use it for coreference and anaphora that were read as ordinary ratings: items are mentions in
    the order of the text, and each label is the mention's antecedent, or the entity it belongs to.

    Parameters
    ----------
    ratings : Ratings
        Several antecedents of one mention are a set. With clusters (the text of each mention),
        the entity 1 of one text is not the entity 1 of another.
    form : {"links", "entities"}
    unmarked : {"alone", "missing"}, optional
        A mention to which a rater gave nothing stands alone, or was not marked. Default "alone"
        for links, where the first mention of a chain has no antecedent, else "missing".
    itself, scope, items
        As in `chain_ratings`.

    Returns
    -------
    Ratings

    Raises
    ------
    InputError
        An unknown word, or ratings without raters.
    UnsupportedDesignError
        Fewer than two raters, or no mention that all of them marked.

    References
    ----------
    .. [1] Artstein, R., & Poesio, M. (2005). Kappa³ = Alpha (or Beta). Technical report CSM-437,
       University of Essex, section 4.1.

    Examples
    --------
    >>> table = {"Ann": [None, "engine", "engine"], "Bob": [None, "engine", "it 1"]}
    >>> links = Ratings.from_wide(table, items=["engine", "it 1", "it 2"])
    >>> print(*chains_of(links).categories)
    {engine, it 1, it 2}
    """
    kind = "alone" if form == "links" else "missing"
    check_words(
        form=(form, TABLE_FORMS), unmarked=(unmarked or kind, UNMARKED), itself=(itself, ITSELF),
        scope=(scope, SCOPES), items=(items, ITEMS),
    )  # fmt: skip
    if not getattr(ratings, "raters", ()):
        raise InputError.expected(
            "ratings", "Ratings with raters", type(ratings).__name__, "see Ratings.from_wide"
        )
    given = _labels_by_rater(ratings)
    mentions = [str(item) for item in ratings.items]
    alone = (unmarked or kind) == "alone"
    if form == "links":
        marks: Any = {
            rater: {m: own.get(m) for m in mentions if alone or m in own}
            for rater, own in given.items()
        }
        order = [*mentions, *_only_antecedents(given, mentions)]
    else:
        marks = {rater: _entities(ratings, own, alone=alone) for rater, own in given.items()}
        order = mentions
    return chain_ratings(
        marks, form="links" if form == "links" else "chains", itself=itself, scope=scope,
        items=items, order=order,
    )  # fmt: skip


def _labels_by_rater(ratings: Ratings) -> dict[str, dict[str, Any]]:
    """Return what each rater gave each mention; several antecedents as a list."""
    columns = long_columns(ratings)
    found: dict[str, dict[str, Any]] = {str(rater): {} for rater in ratings.raters}
    rows = zip(columns["item"], columns["rater"], columns["label"], strict=True)
    for item, rater, label in rows:
        several = isinstance(label, (LabelSet, tuple, list))
        told = [str(one) for one in label] if several else str(label)
        found[str(rater)].setdefault(str(item), told)
    return found


def _only_antecedents(given: Mapping[str, dict[str, Any]], mentions: list[str]) -> list[str]:
    """Return antecedents that are no items of their own, such as a name before the text."""
    known = dict.fromkeys(
        one
        for own in given.values()
        for told in own.values()
        for one in (told if isinstance(told, list) else [told])
    )
    return [one for one in known if one not in set(mentions)]


def _entities(ratings: Ratings, own: Mapping[str, Any], *, alone: bool) -> list[list[Hashable]]:
    """Return the chains of one rater: the mentions with one entity, within each text."""
    codes = None if ratings.clusters is None else ratings.clusters.codes.tolist()
    chains: dict[Hashable, list[Hashable]] = {}
    for k, item in enumerate(ratings.items):
        told = own.get(str(item))
        if told is None and not alone:
            continue
        key = ("", k) if told is None else (str(told), None if codes is None else codes[k])
        chains.setdefault(key, []).append(str(item))
    return list(chains.values())
