"""Labels that are sets: chains of mentions, senses with what lies above them, sets of words."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from consilience.coefficients import cohen_kappa
from consilience.core.labels import LabelSet, Note, is_missing
from consilience.distances.sets import parents_of, senses_above
from consilience.document import Document, Table
from consilience.document.records import plain
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.ratings import Ratings
from consilience.ratings.rating_tables import long_columns
from consilience.units._boundaries import in_atoms
from consilience.units.checks import check_several_raters, check_words, heard
from consilience.units.model import Units, refuse_own_overlaps

FORMS = ("links", "chains")
ITSELF = ("include", "exclude")
SCOPES = ("chain", "before")
ITEMS = ("common", "any")
_MOST_MEMBERS = 20_000_000
ONE_TEXT = Note(
    "one_text",
    "All items are of one text. Intervals and tests take each of them to stand for itself, which "
    "mentions or words of one text hardly do: with several texts they rest on texts.",
)


def chain_ratings(
    marks: Mapping[str, Any],
    *,
    form: Literal["links", "chains"] = "links",
    itself: Literal["include", "exclude"] = "include",
    scope: Literal["chain", "before"] = "chain",
    items: Literal["common", "any"] = "common",
    order: Sequence[Hashable] | None = None,
) -> Ratings:
    """Turn anaphoric or coreference links into ratings whose labels are sets of mentions.

    Each mention is an item, and the label that a rater gives it is the chain to which that
    rater's links put it. Two raters who chose different antecedents in the same chain then agree.
    Use the ratings with ``distance="masi"``, "jaccard", "dice" or "passonneau".

    Parameters
    ----------
    marks : mapping
        With ``form="links"``: rater → {mention: antecedent}, where an antecedent is one mention, a
        list of them, or None for a mention that starts a chain or stands alone. Antecedents count
        as marked. With ``form="chains"``: rater → list of chains, each a list of mentions.
    form : {"links", "chains"}
    itself : {"include", "exclude"}
        Whether a mention belongs to its own label. A mention without links has the label
        {itself}, or the empty set.
    scope : {"chain", "before"}
        The whole chain, or only its mentions before the item, in `order`.
    items : {"common", "any"}
        Mentions that all raters marked, or all of them, missing where a rater did not mark one.
    order : list of mentions, optional
        As they stand in the text. Needed for "before" unless mentions are numbers.

    Returns
    -------
    Ratings

    Raises
    ------
    InputError
        An unknown word, a mention that is missing from `order`, chains that share a mention.
    UnsupportedDesignError
        Fewer than two raters, or no item.

    References
    ----------
    .. [1] Passonneau, R. J. (2004). Computing reliability for coreference annotation. LREC 2004,
       1503-1506.
    .. [2] Artstein, R., & Poesio, M. (2005). Kappa³ = Alpha (or Beta). Technical report CSM-437,
       University of Essex, section 4.1.

    Examples
    --------
    >>> marks = {"Ann": {"engine": None, "it 1": "engine", "it 2": "engine"},
    ...          "Bob": {"engine": None, "it 1": "engine", "it 2": "it 1"}}
    >>> ratings = chain_ratings(marks)
    >>> ratings.n_items, [sorted(label) for label in ratings.categories]
    (3, [['engine', 'it 1', 'it 2']])
    """
    check_words(
        form=(form, FORMS), itself=(itself, ITSELF), scope=(scope, SCOPES), items=(items, ITEMS)
    )
    if not isinstance(marks, Mapping):
        raise InputError.expected("marks", "a mapping of rater to links", marks, "{'Ann': {...}}")
    if len(marks) < 2:
        raise UnsupportedDesignError.needs(
            "agreement about chains", "at least two raters", len(marks), "add another rater"
        )
    read = _from_links if form == "links" else _from_chains
    chains = {str(rater): read(given, str(rater)) for rater, given in marks.items()}
    seen = dict.fromkeys(mention for one in chains.values() for mention in one)
    place = _places(seen, order, needed=scope == "before")
    wanted = sorted(seen, key=place.__getitem__)
    if items == "common":
        wanted = [m for m in wanted if all(m in one for one in chains.values())]
    if not wanted:
        raise UnsupportedDesignError.needs(
            "agreement about chains",
            "a mention to compare",
            "none that all raters marked",
            'use items="any"',
        )
    rows = [
        [
            _label(m, one.get(m), itself, place if scope == "before" else None)
            for one in chains.values()
        ]
        for m in wanted
    ]
    return Ratings.from_wide(rows, raters=list(chains), items=[str(m) for m in wanted])


def _label(
    mention: Hashable, chain: frozenset[Hashable] | None, itself: str, place: Any
) -> frozenset[Hashable] | None:
    if chain is None:
        return None
    if place is not None:
        chain = frozenset(m for m in chain if place[m] <= place[mention])
    return chain if itself == "include" else chain - {mention}


def _from_links(given: Any, rater: str) -> dict[Hashable, frozenset[Hashable]]:
    """Return the chain of each mention: the transitive closure of the links."""
    if not isinstance(given, Mapping):
        raise InputError.expected(
            f"the links of rater {rater!r}",
            "a mapping of mention to antecedent",
            given,
            "{'it': 'engine', 'engine': None}",
        )
    root: dict[Hashable, Hashable] = {}

    def find(mention: Hashable) -> Hashable:
        root.setdefault(mention, mention)
        while root[mention] is not mention:  # a NaN does not even equal itself
            root[mention] = root[root[mention]]
            mention = root[mention]
        return mention

    for mention, antecedent in given.items():
        several = antecedent if isinstance(antecedent, (list, set, frozenset)) else [antecedent]
        _refuse_missing(mention, rater)
        find(mention)
        for one in several:
            if is_missing(one):
                continue
            root[_hashed(find, one, rater)] = find(mention)
    members: dict[Hashable, set[Hashable]] = {}
    for mention in list(root):
        members.setdefault(find(mention), set()).add(mention)
    sets = {head: frozenset(found) for head, found in members.items()}
    return {mention: sets[find(mention)] for mention in root}


def _refuse_missing(mention: Any, rater: str) -> None:
    if is_missing(mention):
        hint = "name each mention by its id"
        raise InputError.expected(f"a mention of rater {rater!r}", "named", mention, hint)


def _hashed(find: Any, mention: Any, rater: str) -> Hashable:
    try:
        found: Hashable = find(mention)
    except TypeError:
        raise InputError.expected(
            f"an antecedent of rater {rater!r}",
            "a mention: a word, a number or a tuple",
            mention,
            "name each mention by its id",
        ) from None
    return found


def _from_chains(given: Any, rater: str) -> dict[Hashable, frozenset[Hashable]]:
    what, hint = f"the chains of rater {rater!r}", "[['engine', 'it'], ['boxcar']]"
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise InputError.expected(what, "a list of chains", given, hint)
    out: dict[Hashable, frozenset[Hashable]] = {}
    for chain in given:
        if isinstance(chain, (str, bytes)) or not isinstance(chain, Iterable):
            raise InputError.expected(what, "lists of mentions", chain, hint)
        try:
            found = frozenset(chain)
        except TypeError:
            raise InputError.expected(what, "lists of mentions", chain, hint) from None
        for mention in found:
            _refuse_missing(mention, rater)
            if mention in out:
                raise InputError.expected(
                    what, "apart from each other", mention, "join chains that share a mention"
                )
            out[mention] = found
    return out


def _places(seen: Mapping[Hashable, None], order: Any, *, needed: bool) -> dict[Hashable, int]:
    """Return the place of each mention in the text."""
    if order is not None:
        if isinstance(order, (str, bytes)) or not isinstance(order, Iterable):
            raise InputError.expected("order", "a list of mentions", order, "as in the text")
        try:
            place = {mention: k for k, mention in enumerate(order)}
        except TypeError:
            hint = "name mentions by words or numbers"
            raise InputError.expected("order", "a list of mentions", order, hint) from None
        lost = [mention for mention in seen if mention not in place]
        if lost:
            raise InputError.expected(
                "order", "a list of every mention", f"no {lost[0]!r}", "add the mention"
            )
        return place
    try:
        numbered = sorted(seen)  # type: ignore[type-var]
    except TypeError:
        numbered = list(seen)
    plain = all(isinstance(m, (int, float, np.number, tuple)) for m in seen)
    if needed and not plain:
        raise InputError.expected(
            'order, with scope="before",',
            "given unless mentions are numbers",
            None,
            "list the mentions as they stand in the text",
        )
    return {mention: k for k, mention in enumerate(numbered if plain else seen)}


def extended_senses(parents: Mapping[Hashable, Any]) -> dict[Hashable, frozenset[Hashable]]:
    """Return each label with everything above it, as sets to be compared.

    Use it where raters may choose a fine label or the group above it. Give the senses of the
    labels that occur to ``Ratings.collapse`` and a set distance to the coefficient;
    `distances.taxonomy` does both.

    Parameters
    ----------
    parents : mapping
        Label → its group, a list of groups, or None. Groups may have groups in turn.

    Returns
    -------
    dict of label to frozenset

    References
    ----------
    .. [1] Artstein, R., & Poesio, M. (2005). Kappa³ = Alpha (or Beta). Technical report CSM-437,
       University of Essex, section 4.4.

    Examples
    --------
    >>> from consilience.distances import passonneau_distance
    >>> senses = extended_senses({"WN1": "LABEL", "WN3": "LABEL", "WN19": "SEE"})
    >>> round(passonneau_distance(senses["WN1"], senses["WN3"]), 4)
    0.6667
    >>> round(passonneau_distance(senses["WN1"], senses["LABEL"]), 4)
    0.3333
    """
    if not isinstance(parents, Mapping):
        raise InputError.expected(
            "parents", "a mapping of label to the group above it", parents, "{'WN1': 'LABEL'}"
        )
    return senses_above({label: parents_of(label, above) for label, above in parents.items()})


def word_set_ratings(
    units: Units,
    *,
    items: Literal["texts", "labels", "words"] = "texts",
    pieces: Literal["words", "bigrams", "spans"] = "words",
    atom: float = 1,
) -> Ratings:
    """Turn spans into ratings whose labels are sets of words.

    Use it with the distances of sets. ``items="texts"``: each tier of each session is an item, and
    its label is the set of all words that the rater marked in it, as for antecedents of discourse
    deixis or sentences chosen for a summary. ``items="labels"``: the same for each label in each
    tier, as for the words of each content unit or each kind of term. ``items="words"``: each word
    is an item, and its label is the set of words of the segment in which it lies, as for discourse
    segments.

    Parameters
    ----------
    units : Units
    items : {"texts", "labels", "words"}
    pieces : {"words", "bigrams", "spans"}
        What the sets are made of: words; pairs of neighbouring words in a span (a span of one word
        counts as that word); or whole spans, as for terms that may lie in each other.
    atom : number, default 1
        Length of a word in the units' times.

    Returns
    -------
    Ratings
        Labels are sets of word numbers, from 1; with several texts each word is a pair of text and
        number, as words of different texts are different words. A rater who marked nothing in a
        text gave the empty set. The items of a text are a cluster: intervals rest on texts.

    References
    ----------
    .. [1] Artstein, R., & Poesio, M. (2005). Kappa³ = Alpha (or Beta). Technical report CSM-437,
       University of Essex, sections 4.2 to 4.5.

    Examples
    --------
    >>> units = Units.from_records([("Ann", "x", 0, 2), ("Bob", "x", 0, 3)], bounds=(0, 5))
    >>> print(*word_set_ratings(units).categories)
    {1, 2} {1, 2, 3}
    >>> print(*word_set_ratings(units, pieces="spans").categories)
    {1-2} {1-3}
    """
    check_several_raters(units, "agreement about sets of words")
    check_words(items=(items, ("texts", "labels", "words")), pieces=(pieces, PIECES))
    blocks = units.sorted_blocks()
    if not blocks.n_blocks:
        raise UnsupportedDesignError.needs(
            "agreement about sets of words", "at least one span", "none", "check the reader"
        )
    low, high = _word_numbers(units, blocks, atom)
    if items != "words":
        member = _PIECES[pieces]
        spans = [member(a, b) for a, b in zip(low, high, strict=True)]
        return _text_sets(units, blocks, spans, by_label=items == "labels")
    refuse_own_overlaps(units, blocks, "agreement about sets of words", 'use items="texts"')
    sets = [frozenset(range(a, b + 1)) for a, b in zip(low, high, strict=True)]
    return _word_sets(units, blocks, sets)


def _words(first: int, last: int) -> frozenset[Hashable]:
    return frozenset(range(first, last + 1))


def _bigrams(first: int, last: int) -> frozenset[Hashable]:
    if last == first:
        return frozenset((first,))
    return frozenset(f"{word}-{word + 1}" for word in range(first, last))


def _whole(first: int, last: int) -> frozenset[Hashable]:
    return frozenset((f"{first}-{last}",)) if last >= first else frozenset()


_PIECES = {"words": _words, "bigrams": _bigrams, "spans": _whole}
PIECES = tuple(_PIECES)


def _word_numbers(units: Units, blocks: Any, atom: float) -> tuple[list[int], list[int]]:
    """Return the first and the last word of each span, from 1."""
    origin = units.bounds[blocks.session, 0]
    low = in_atoms(blocks.start - origin[blocks.block], atom, "the start of a span")
    high = in_atoms(blocks.end - origin[blocks.block], atom, "the end of a span")
    if int((high - low).sum()) > _MOST_MEMBERS:
        raise UnsupportedDesignError.needs(
            "sets of words",
            f"at most {_MOST_MEMBERS:,} marked words",
            int((high - low).sum()),
            "give a larger atom=",
        )
    return (low + 1).tolist(), high.tolist()


def _name(units: Units, blocks: Any, block: int) -> str:
    session = units.sessions[blocks.session[block]]
    return session if len(units.tiers) < 2 else f"{session} {units.tiers[blocks.tier[block]]}"


def _text_sets(
    units: Units, blocks: Any, spans: list[frozenset[Hashable]], *, by_label: bool
) -> Ratings:
    counted = heard(units, "asked")  # of whoever was not asked nothing is known
    several = len(units.sessions) > 1
    marked: dict[tuple[int, int], dict[int, set[Hashable]]] = {}
    if not by_label:
        marked = {(b, -1): {} for b in range(blocks.n_blocks)}
    for k, found in enumerate(spans):
        block = int(blocks.block[k])
        session = units.sessions[blocks.session[block]]
        # Word 3 of one text is not word 3 of another.
        own = ((session, one) for one in found) if several else found
        item = marked.setdefault((block, int(blocks.label[k]) if by_label else -1), {})
        item.setdefault(int(blocks.rater[k]), set()).update(own)
    keys = sorted(marked)
    rows = [
        [
            marked[b, kind].get(r, set()) if counted[r, blocks.session[b]] else None
            for r in range(units.n_raters)
        ]
        for b, kind in keys
    ]
    names = [
        _name(units, blocks, b) + (f" {units.labels[kind]}" if by_label else "") for b, kind in keys
    ]
    sets = Ratings.from_wide(rows, raters=list(units.raters), items=names)
    return _by_text(sets, [int(blocks.session[b]) for b, _ in keys]) if by_label else sets


def _by_text(found: Ratings, sessions: Sequence[int]) -> Ratings:
    """Tell which items are of one text, or that all of them are."""
    if len(set(sessions)) > 1:
        return found.with_clusters(sessions, "text")
    return found.noting((ONE_TEXT,))


def _word_sets(units: Units, blocks: Any, sets: list[frozenset[int]]) -> Ratings:
    item, rater, label = [], [], []
    names: list[str] = []
    known: dict[tuple[int, frozenset[int]], int] = {}
    place: dict[tuple[int, int], int] = {}
    for row, members in enumerate(sets):
        block = int(blocks.block[row])
        # Word 3 of one text is not word 3 of another.
        code = known.setdefault((block, members), len(known))
        for word in members:
            at = place.setdefault((block, word), len(place))
            if at == len(names):
                names.append(f"{_name(units, blocks, block)} {word}")
            item.append(at)
            rater.append(int(blocks.rater[row]))
            label.append(code)
    texts = blocks.n_blocks > 1
    categories = [
        frozenset((_name(units, blocks, b), w) for w in members) if texts else members
        for b, members in known
    ]
    found = Ratings.from_codes(
        item=item,
        rater=rater,
        label=label,
        items=names,
        raters=list(units.raters),
        categories=categories,
    )
    home = {at: int(blocks.session[block]) for (block, _), at in place.items()}
    return _by_text(found, [home[at] for at in range(len(names))])


# ---- a measure of chains that corrects for nothing, beside one that does


@dataclass(frozen=True, kw_only=True)
class MucPair:
    """One rater's chains held against another's.

    Attributes
    ----------
    key, response : object
        The raters: of the links of `key`, `recall` says how many `response` has.
    recall, precision, f : float
        NaN where a rater linked nothing.
    corrected : float
        The coefficient with a distance of sets of these two, which allows for chance.
    """

    key: object
    response: object
    recall: float
    precision: float
    f: float
    corrected: float


@dataclass(frozen=True, kw_only=True)
class MucScores:
    """The MUC measure of every two raters, beside a coefficient that corrects for chance.

    Attributes
    ----------
    pairs : tuple of MucPair
    distance : str
        Of the coefficient.
    """

    pairs: tuple[MucPair, ...]
    distance: str

    @property
    def value(self) -> float:
        """The mean F of all pairs."""
        return float(np.mean([one.f for one in self.pairs]))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with stable keys."""
        found: dict[str, Any] = plain(
            {"value": self.value, "distance": self.distance, "pairs": self.pairs}
        )
        return found

    def document(self) -> Document:
        """Return the result as something to read."""
        table = Table.of(
            self.pairs,
            "key",
            "response",
            "recall",
            "precision",
            "F: f",
            f"beta ({self.distance}): corrected",
            caption="MUC beside a coefficient that corrects for chance",
            note="Recall: part of the links of the key that the response has. MUC counts links, "
            "whatever chance would give, and no mention that stands alone (Vilain et al. 1995).",
        )
        return Document.of(table, title="Chains of mentions")


def muc_scores(ratings: Ratings, *, distance: str = "dice") -> MucScores:
    """Hold the chains of every two raters against each other by the measure of MUC-6.

    Use it to compare a system with older work, and report the chance-corrected coefficient beside
    it: MUC is high where everything is put into one chain.

    Parameters
    ----------
    ratings : Ratings
        Labels are chains, as `chains_of` and `consilience.io.read_chains` make them, each with the
        mention itself.
    distance : str, default "dice"
        Of the coefficient that stands beside it.

    Returns
    -------
    MucScores

    References
    ----------
    .. [1] Vilain, M., Burger, J., Aberdeen, J., Connolly, D., & Hirschman, L. (1995). A
       model-theoretic coreference scoring scheme. MUC-6, 45-52.
    .. [2] Artstein, R., & Poesio, M. (2005). Kappa³ = Alpha (or Beta). Technical report CSM-437,
       University of Essex, section 4.5.

    Examples
    --------
    >>> marks = {"key": [["a", "b", "c", "d"]], "system": [["a", "b"], ["c", "d"]]}
    >>> one = muc_scores(chain_ratings(marks, form="chains")).pairs[0]
    >>> round(one.recall, 3), one.precision, round(one.f, 3)  # as Vilain et al. print them
    (0.667, 1.0, 0.8)
    """
    frame = _labels_by_rater(ratings)
    chains = {
        rater: {item: frozenset(_listed(told)) | {item} for item, told in own.items()}
        for rater, own in frame.items()
    }
    pairs = []
    for first, second in combinations(ratings.raters, 2):
        recall = _muc_recall(chains[str(first)], chains[str(second)])
        precision = _muc_recall(chains[str(second)], chains[str(first)])
        total = recall + precision
        both = ratings.select(raters=[first, second])
        beside = cohen_kappa(both, distance=distance, on_undefined="ignore").value
        pairs.append(
            MucPair(
                key=first,
                response=second,
                recall=recall,
                precision=precision,
                f=2 * recall * precision / total if total else 0.0,
                corrected=beside,
            )
        )
    return MucScores(pairs=tuple(pairs), distance=distance)


def _muc_recall(
    key: Mapping[str, frozenset[Hashable]], response: Mapping[str, frozenset[Hashable]]
) -> float:
    """Return the sum of |S| - |p(S)| over that of |S| - 1, S the key's chains.

    p(S) are the parts into which the response cuts S, a mention without a chain alone.
    """
    found, links = 0, 0
    for chain in set(key.values()):
        parts = {response.get(str(m), frozenset((m,))) for m in chain}
        found += len(chain) - len(parts)
        links += len(chain) - 1
    return found / links if links else float("nan")


# ---- chains from a table

TABLE_FORMS = ("links", "entities")
UNMARKED = ("alone", "missing")


def chains_of(
    ratings: Ratings,
    *,
    texts: Mapping[object, tuple[object, object]] | None = None,
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
        the entity 1 of one text is not the entity 1 of another, and an antecedent is a mention of
        the same text.
    texts : dict, optional
        Item to its text and to what the mention is called in it, where mentions are called alike
        in several texts: antecedents are such names.
    form : {"links", "entities"}
    unmarked : {"alone", "missing"}, optional
        A mention to which a rater gave nothing stands alone, or was not marked. Default "alone"
        for links, where the first mention of a chain has no antecedent, else "missing".
    itself, scope, items
        As in `chain_ratings`.

    Returns
    -------
    Ratings
        With several texts, the mentions of each are a cluster: intervals rest on texts.

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
        form=(form, TABLE_FORMS),
        unmarked=(unmarked or kind, UNMARKED),
        itself=(itself, ITSELF),
        scope=(scope, SCOPES),
        items=(items, ITEMS),
    )
    if not getattr(ratings, "raters", ()):
        raise InputError.expected(
            "ratings", "Ratings with raters", type(ratings).__name__, "see Ratings.from_wide"
        )
    homes = _Homes.of(ratings, texts)
    given = _labels_by_rater(ratings)
    mentions = [str(item) for item in ratings.items]
    alone = (unmarked or kind) == "alone"
    if form == "links":
        marks: Any = {
            rater: {
                m: [homes.antecedent(m, one) for one in _listed(own[m])] if m in own else None
                for m in mentions
                if alone or m in own
            }
            for rater, own in given.items()
        }
        known = (one for own in marks.values() for told in own.values() for one in told or ())
        order = list(dict.fromkeys((*mentions, *known)))
    else:
        marks = {
            rater: _entities(mentions, own, homes, alone=alone) for rater, own in given.items()
        }
        order = mentions
    found = chain_ratings(
        marks,
        form="links" if form == "links" else "chains",
        itself=itself,
        scope=scope,
        items=items,
        order=order,
    )
    return homes.kept(found, ratings)


@dataclass(frozen=True)
class _Homes:
    """The text of each mention, and the mention of each name in a text."""

    text: dict[str, object]  # of each item
    item: dict[tuple[object, str], str]

    @classmethod
    def of(cls, ratings: Ratings, texts: Mapping[object, tuple[object, object]] | None) -> _Homes:
        """Take texts and names as told, or the clusters of the ratings."""
        if texts is not None:
            pairs = {str(item): texts[item] for item in ratings.items}
        else:
            codes = None if ratings.clusters is None else ratings.clusters.codes.tolist()
            pairs = {
                str(item): (None if codes is None else codes[k], item)
                for k, item in enumerate(ratings.items)
            }
        text = {item: home for item, (home, _) in pairs.items()}
        return cls(text, {(home, str(name)): item for item, (home, name) in pairs.items()})

    @property
    def several(self) -> bool:
        """There are at least two texts."""
        return len(set(self.text.values())) > 1

    def antecedent(self, mention: str, name: str) -> str:
        """Return the mention of that name in the same text, or else a name of that text alone."""
        home = self.text[mention]
        found = self.item.get((home, name))
        if found is not None or not self.several:
            return found or name
        # A name that is a mention of another text only links across texts.
        return name if name in self.text else f"{name} ({home})"

    def kept(self, found: Ratings, ratings: Ratings) -> Ratings:
        """Tell chains which mentions go together, or that all of them do."""
        if self.several:
            homes = dict(self.text)
            for mention in found.items:
                homes.setdefault(str(mention), self._home_of(found, mention))
            name = "text" if ratings.clusters is None else ratings.clusters.name
            try:
                return found.with_clusters([str(homes[str(item)]) for item in found.items], name)
            except InputError:  # the mentions that are left are of one text
                pass
        return found.noting((ONE_TEXT,))

    def _home_of(self, found: Ratings, mention: object) -> object:
        """Return the text of what is an antecedent only: its name ends with it."""
        return next(
            (home for home in self.text.values() if str(mention).endswith(f" ({home})")), None
        )


def _listed(told: Any) -> list[str]:
    return told if isinstance(told, list) else [told]


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


def _entities(
    mentions: Sequence[str], own: Mapping[str, Any], homes: _Homes, *, alone: bool
) -> list[list[Hashable]]:
    """Return the chains of one rater: the mentions with one entity, within each text."""
    chains: dict[Hashable, list[Hashable]] = {}
    for k, mention in enumerate(mentions):
        told = own.get(mention)
        if told is None and not alone:
            continue
        key = ("", k) if told is None else (str(told), homes.text[mention])
        chains.setdefault(key, []).append(mention)
    return list(chains.values())
