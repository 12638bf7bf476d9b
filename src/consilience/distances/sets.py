"""Distances between labels that are sets, and between nodes of a taxonomy."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Hashable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats
from consilience.distances._distance import Distance, LabelSpace, is_among, register, registry
from consilience.exceptions import InputError

# ---- Distances between labels that are sets: Jaccard, Dice, Passonneau's, MASI.

Label = Collection[Hashable]
Members = NDArray[np.float32]

# Columns of the incidence matrix multiplied at once: bounds the memory for large vocabularies.
_BLOCK = 4096
# Rows of the distance matrix computed at once: the intermediate arrays stay in the cache.
_ROWS = 32
_MOST_WORDS = 8  # of 64 members each: beyond, a product of matrices is quicker
_WORD = (1 << 64) - 1
_MASKS = (np.uint8, np.uint16, np.uint32, np.uint64)  # the narrower, the quicker


class SetDistance(Distance):
    """A distance that follows from the sizes of two sets and of their intersection."""

    of_sets = True

    @abstractmethod
    def from_overlap(self, shared: Members, size: Members, size_other: Members) -> Floats:
        """Return the distances of sets, given |A ∩ B|, |A| and |B| as arrays that broadcast."""

    def matrix(self, space: LabelSpace, counts: Floats) -> Floats:
        """Return the distance of every two sets."""
        return self.between_sets([_as_set(label, self.name) for label in space.labels])

    def between_sets(self, sets: Sequence[Set[Hashable]]) -> Floats:
        """Return the distance of every two of these sets."""
        masks_kw = _masks(sets)
        if masks_kw is not None:
            return self._from_masks(masks_kw)
        shared_kl, size_k = _overlaps(sets)
        d_kl = np.empty(shared_kl.shape)
        for start in range(0, len(sets), _ROWS):
            rows = slice(start, start + _ROWS)
            d_kl[rows] = self.from_overlap(shared_kl[rows], size_k[rows, None], size_k[None, :])
        return d_kl

    def _from_masks(self, masks_kw: NDArray[Any]) -> Floats:
        """Return the distances of sets of few members by bit operations.

        |A ∩ B| is the number of bits that two masks share; the distance for every possible
        (|A|, |B|, |A ∩ B|) is computed once, and looked up.
        """
        size_k = np.bitwise_count(masks_kw).sum(axis=1, dtype=np.intp)
        n = int(size_k.max(initial=0)) + 1
        size, other, shared = np.indices((n, n, n)).astype(np.float32)
        possible = np.minimum(shared, np.minimum(size, other))
        table = np.asarray(self.from_overlap(possible, size, other)).ravel()
        first_k, second_k = (size_k * n * n).astype(np.uint16), (size_k * n).astype(np.uint16)
        d_kl = np.empty((len(size_k), len(size_k)))
        for start in range(0, len(size_k), _ROWS):
            rows = slice(start, start + _ROWS)
            place = first_k[rows, None] + second_k
            for word in masks_kw.T:
                place += np.bitwise_count(word[rows, None] & word)
            np.take(table, place, out=d_kl[rows], mode="clip")  # "clip" needs no copy
        return d_kl


@register
@dataclass(frozen=True)
class Jaccard(SetDistance):
    """One minus the share of the union that two sets have in common; see `jaccard_distance`."""

    name = "jaccard"

    def from_overlap(self, shared: Members, size: Members, size_other: Members) -> Floats:
        """Return 1 − |A ∩ B|/|A ∪ B|."""
        union = size + size_other - shared
        return _share(union - shared, union)


@register
@dataclass(frozen=True)
class Dice(SetDistance):
    """One minus twice the intersection over the sum of sizes; see `dice_distance`."""

    name = "dice"

    def from_overlap(self, shared: Members, size: Members, size_other: Members) -> Floats:
        """Return 1 − 2|A ∩ B|/(|A| + |B|)."""
        total = size + size_other
        return _share(total - 2 * shared, total)


@register
@dataclass(frozen=True)
class Passonneau(SetDistance):
    """Equal, subset, overlap or disjoint; see `passonneau_distance`."""

    name = "passonneau"

    def from_overlap(self, shared: Members, size: Members, size_other: Members) -> Floats:
        """Return 0, 1/3, 2/3 or 1."""
        return _thirds(shared, size, size_other) / np.float64(3)


@register
@dataclass(frozen=True)
class Masi(SetDistance):
    """Jaccard similarity weighed by how the sets lie to each other; see `masi_distance`."""

    name = "masi"

    def from_overlap(self, shared: Members, size: Members, size_other: Members) -> Floats:
        """Return 1 − m |A ∩ B|/|A ∪ B|, with m in exact thirds."""
        thirds = 3 * (size + size_other - shared)
        monotone = 3 - _thirds(shared, size, size_other)
        return _share(thirds - monotone * shared, thirds)


def jaccard_distance(a: Label, b: Label) -> float:
    """Return the Jaccard distance of two sets, 1 − |A ∩ B|/|A ∪ B|.

    Parameters
    ----------
    a, b : set, frozenset, tuple or list
        The two labels; a plain text is refused, it is not a set.

    Returns
    -------
    float
        0 for equal sets (two empty ones as well), 1 for sets that share nothing.

    Raises
    ------
    InputError
        A label is not a set of hashable members.

    References
    ----------
    .. [1] Jaccard, P. (1912). The distribution of the flora in the Alpine zone. New Phytologist
       11, 37–50.
    .. [2] Artstein, R., & Poesio, M. (2005). Kappa³ = Alpha (or Beta). Technical report CSM-437,
       University of Essex.

    Examples
    --------
    >>> jaccard_distance({"fear", "anger"}, {"anger"})
    0.5
    >>> jaccard_distance({1, 2, 3}, {4})
    1.0
    """
    return between(Jaccard(), a, b)


def dice_distance(a: Label, b: Label) -> float:
    """Return the Dice distance of two sets, 1 − 2|A ∩ B|/(|A| + |B|).

    Parameters
    ----------
    a, b : set, frozenset, tuple or list
        The two labels; a plain text is refused, it is not a set.

    Returns
    -------
    float
        0 for equal sets (two empty ones as well), 1 for sets that share nothing.

    Raises
    ------
    InputError
        A label is not a set of hashable members.

    References
    ----------
    .. [1] Dice, L. R. (1945). Measures of the amount of ecologic association between species.
       Ecology 26, 297–302. doi:10.2307/1932409
    .. [2] Artstein, R., & Poesio, M. (2005). Kappa³ = Alpha (or Beta). Technical report CSM-437,
       University of Essex.

    Examples
    --------
    >>> dice_distance({"fear", "anger", "joy"}, {"anger"})
    0.5
    """
    return between(Dice(), a, b)


def passonneau_distance(a: Label, b: Label) -> float:
    """Return Passonneau's distance of two sets: equal, subset, overlap, disjoint.

    Parameters
    ----------
    a, b : set, frozenset, tuple or list
        The two labels; a plain text is refused, it is not a set.

    Returns
    -------
    float
        0 for equal sets, 1/3 when one is a proper subset of the other, 2/3 when they overlap
        otherwise, 1 when they share nothing.

    Raises
    ------
    InputError
        A label is not a set of hashable members.

    Notes
    -----
    The empty set is both a subset of any other set and disjoint from it. It counts as disjoint,
    distance 1, as under the Jaccard, Dice and MASI distances; two empty sets are equal.

    References
    ----------
    .. [1] Passonneau, R. J. (2004). Computing reliability for coreference annotation. LREC 2004,
       1503–1506.

    Examples
    --------
    >>> passonneau_distance({"WN1", "LABEL"}, {"LABEL"})
    0.3333333333333333
    >>> passonneau_distance({"WN1", "LABEL"}, {"WN3", "LABEL"})
    0.6666666666666666
    """
    return between(Passonneau(), a, b)


def masi_distance(a: Label, b: Label) -> float:
    """Return the MASI distance of two sets, 1 − m |A ∩ B|/|A ∪ B|.

    Parameters
    ----------
    a, b : set, frozenset, tuple or list
        The two labels; a plain text is refused, it is not a set.

    Returns
    -------
    float
        0 for equal sets (two empty ones as well), 1 for sets that share nothing.

    Raises
    ------
    InputError
        A label is not a set of hashable members.

    Notes
    -----
    m is 1 for equal sets, 2/3 when one is a proper subset of the other, 1/3 when they overlap
    otherwise, 0 when they are disjoint. Programs that use .67 and .33 differ in the third digit.

    References
    ----------
    .. [1] Passonneau, R. J. (2006). Measuring agreement on set-valued items (MASI) for semantic
       and pragmatic annotation. LREC 2006, 831–836.

    Examples
    --------
    >>> masi_distance({1, 2}, {1, 2, 3, 4})
    0.6666666666666666
    >>> masi_distance({1, 2}, {2, 3})
    0.8888888888888888
    """
    return between(Masi(), a, b)


def between(distance: SetDistance, a: Label, b: Label) -> float:
    """Return the distance of two sets."""
    return float(distance.matrix(LabelSpace((a, b), ordered=False), np.ones(2))[0, 1])


def _share(part: Members, whole: Members) -> Floats:
    """Return part/whole in double precision, 0 where the whole is empty."""
    d: Floats = np.divide(part, np.maximum(whole, 1), dtype=np.float64)
    return d


def _thirds(shared: Members, size: Members, size_other: Members) -> Members:
    """Return 0 for equal sets, 1 for a proper subset, 2 for an overlap, 3 for disjoint ones."""
    thirds = np.full(shared.shape, 3, dtype=np.float32)
    thirds -= shared > 0
    thirds -= (shared > 0) & (shared == np.minimum(size, size_other))
    thirds[shared == np.maximum(size, size_other)] = 0
    return thirds


def _masks(sets: Sequence[Set[Hashable]]) -> NDArray[Any] | None:
    """Return each set as bits of a few words; None where there are too many members for that."""
    if not hasattr(np, "bitwise_count"):  # numpy 1
        return None
    members = {member: k for k, member in enumerate(dict.fromkeys(m for s in sets for m in s))}
    largest = max(map(len, sets), default=0)
    if len(members) > 64 * _MOST_WORDS or (largest + 1) ** 3 > 1 << 16:
        return None
    words = max(1, -(-len(members) // 64))
    bit_of = {member: 1 << k for member, k in members.items()}
    bits = [sum(map(bit_of.__getitem__, one)) for one in sets]
    masks = [[(one >> (64 * w)) & _WORD for w in range(words)] for one in bits]
    kind = next((k for k in _MASKS if len(members) <= 8 * k().itemsize), np.uint64)
    return np.array(masks, dtype=kind).reshape(len(sets), words)


def _overlaps(sets: Sequence[Set[Hashable]]) -> tuple[Members, Members]:
    """Return |A ∩ B| for every two sets and |A| for every set.

    Sizes below 2²⁴ are exact in single precision, which multiplies twice as fast.
    """
    column: dict[Hashable, int] = {}
    pairs = [
        (k, column.setdefault(member, len(column))) for k, one in enumerate(sets) for member in one
    ]
    size_k = np.array([len(one) for one in sets], dtype=np.float32)
    shared_kl = np.zeros((len(sets), len(sets)), dtype=np.float32)
    if pairs:
        row, member = np.array(pairs, dtype=np.intp).T
        # A member of one set only is in no intersection of two.
        common = np.bincount(member) > 1
        kept = common[member]
        row, member = row[kept], (np.cumsum(common) - 1)[member[kept]]
        for start in range(0, int(common.sum()), _BLOCK):
            inside = (member >= start) & (member < start + _BLOCK)
            block = np.zeros((len(sets), min(_BLOCK, int(common.sum()) - start)), dtype=np.float32)
            block[row[inside], member[inside] - start] = 1
            shared_kl += block @ block.T
    np.fill_diagonal(shared_kl, size_k)
    return shared_kl, size_k


def _as_set(label: object, distance: str) -> frozenset[Hashable]:
    if isinstance(label, Set | tuple | list):
        try:
            return frozenset(label)
        except TypeError:
            problem = "a set of hashable members"
            hint = "use text, numbers or tuples as members"
    else:
        problem = "a set, frozenset, tuple or list"
        hint = "write the set with one member as {member}, and split joined text into its members"
    raise InputError.expected(f"a label for the {distance} distance", problem, label, hint)


# ---- The overlap distance of labels that are sets: how much of the smaller set is shared.


@register
@dataclass(frozen=True)
class Overlap(SetDistance):
    """One minus the share of the smaller set that both have; see `overlap_distance`."""

    name = "overlap"

    def from_overlap(self, shared: Members, size: Members, size_other: Members) -> Floats:
        """Return 1 − |A ∩ B|/min(|A|, |B|); an empty set is far from all but the empty set."""
        smaller = np.minimum(size, size_other)
        d: Floats = 1.0 - np.divide(shared, np.maximum(smaller, 1), dtype=np.float64)
        d[np.maximum(size, size_other) == 0] = 0.0
        return d


def overlap_distance(a: Label, b: Label) -> float:
    """Return the overlap distance of two sets, 1 − |A ∩ B|/min(|A|, |B|).

    Parameters
    ----------
    a, b : set, frozenset, tuple or list
        The two labels; a plain text is refused, it is not a set.

    Returns
    -------
    float
        0 when one set holds the other (two empty ones as well), 1 for sets that share nothing.

    Raises
    ------
    InputError
        A label is not a set of hashable members.

    Notes
    -----
    A set and any part of it have the distance 0: it suits raters who may stop early, and no others.
    The empty set shares nothing with any other set, so its distance from them is 1.

    References
    ----------
    .. [1] Szymkiewicz, D. (1934). Une contribution statistique à la géographie floristique. Acta
       Societatis Botanicorum Poloniae 11, 249–265.

    Examples
    --------
    >>> overlap_distance({1, 2}, {1, 2, 3, 4})
    0.0
    >>> overlap_distance({"fear", "anger"}, {"anger", "joy", "pride"})
    0.5
    """
    return between(Overlap(), a, b)


# ---- What dkpro-statistics calls MASI, to compare numbers with it: another measure than MASI.


@register
@dataclass(frozen=True)
class MasiDkpro(SetDistance):
    """Jaccard's distance times Passonneau's, which is not MASI; see `masi_dkpro_distance`."""

    name = "masi_dkpro"

    def from_overlap(self, shared: Members, size: Members, size_other: Members) -> Floats:
        """Return the product of the two distances, where MASI multiplies two similarities."""
        jaccard = Jaccard().from_overlap(shared, size, size_other)
        return jaccard * Passonneau().from_overlap(shared, size, size_other)


def masi_dkpro_distance(a: Label, b: Label) -> float:
    """Return what dkpro-statistics computes as MASI: Jaccard's distance times Passonneau's.

    Parameters
    ----------
    a, b : set, frozenset, tuple or list
        The two labels; a plain text is refused, it is not a set.

    Returns
    -------
    float
        0 for equal sets (two empty ones as well), 1 for sets that share nothing.

    Raises
    ------
    InputError
        A label is not a set of hashable members.

    Notes
    -----
    For comparison with that program only: MASI itself is one minus a product of similarities, so
    that sets which overlap in part are farther apart than here. See `masi_distance`.

    References
    ----------
    .. [1] Passonneau, R. J. (2006). Measuring agreement on set-valued items (MASI) for semantic
       and pragmatic annotation. LREC 2006, 831–836.

    Examples
    --------
    >>> round(masi_dkpro_distance({1, 2}, {1, 2, 3, 4}), 4)  # MASI: 0.6667
    0.1667
    """
    return between(MasiDkpro(), a, b)


# ---- The distance of two nodes of a taxonomy, by the ancestors they share.

Senses = dict[Hashable, frozenset[Hashable]]


@register
@dataclass(frozen=True)
class Taxonomy(Distance):
    """The set distance of two labels together with their ancestors; see `taxonomy`."""

    links: frozenset[tuple[Hashable, frozenset[Hashable]]]
    distance: SetDistance = field(default_factory=Jaccard)

    name = "taxonomy"
    recipe = "give the tree, such as distances.taxonomy({'poodle': 'dog', 'dog': 'animal'})"

    def matrix(self, space: LabelSpace, counts: Floats) -> Floats:
        """Return the set distances of the extended senses."""
        sense_of = senses_above(dict(self.links))
        unknown = [label for label in space.labels if not is_among(label, sense_of)]
        if unknown:
            raise InputError.expected(
                "labels for the taxonomy distance",
                "nodes of the taxonomy",
                unknown,
                "add each to parents, with None as the parent of a root",
            )
        return self.distance.between_sets([sense_of[label] for label in space.labels])


def taxonomy(
    parents: Mapping[Hashable, object], *, distance: str | SetDistance = "jaccard"
) -> Taxonomy:
    """Return the distance of labels in a tree or hierarchy: the more ancestors shared, the closer.

    Use it when raters may choose a specific label or a broader one above it. Each label stands
    for its extended sense, the set of the label and all its ancestors, and two labels are as far
    apart as these sets.

    Parameters
    ----------
    parents : mapping
        Label → its parent; several parents as a list, tuple or set; None for a root. A parent
        that is no key is a root.
    distance : {"jaccard", "dice", "masi", "overlap", "passonneau"}, default "jaccard"
        How far apart two sets are.

    Returns
    -------
    Distance

    Raises
    ------
    InputError
        `parents` is no mapping, runs in a circle, or `distance` is no set distance.

    Notes
    -----
    d_kl = d(es(k), es(l)), es(k) = {k and its ancestors}                               (1)

    Under a common root no two labels are at distance 1: leave the root out if labels in different
    branches should count as entirely different.

    References
    ----------
    .. [1] Artstein, R., & Poesio, M. (2005). Kappa³ = Alpha (or Beta). Technical report CSM-437,
       University of Essex, section 4.4.

    Examples
    --------
    Two senses of *to call* under one hypernym are 2/3 apart, sense and hypernym 1/3 [1]_:

    >>> import numpy as np
    >>> senses = taxonomy({"WN1": "LABEL", "WN3": "LABEL", "WN19": "SEE"}, distance="passonneau")
    >>> senses.matrix(LabelSpace.of(["WN1", "WN3", "LABEL", "WN19"]), np.ones(4))[0].round(3)
    array([0.   , 0.667, 0.333, 1.   ])
    """
    if not isinstance(parents, Mapping):
        raise InputError.expected(
            "parents", "a mapping from each label to its parent", parents, Taxonomy.recipe
        )
    links = {label: parents_of(label, parent) for label, parent in parents.items()}
    senses_above(links)
    return Taxonomy(frozenset(links.items()), _set_distance(distance))


def parents_of(label: Hashable, parent: object) -> frozenset[Hashable]:
    """Return the labels right above a label."""
    if parent is None:
        return frozenset()
    several = parent if isinstance(parent, list | tuple | set | frozenset) else (parent,)
    try:
        return frozenset(several)
    except TypeError:
        raise InputError.expected(
            f"the parents of {label!r}",
            "one hashable label or a list of them",
            parent,
            "name each parent by its label",
        ) from None


def senses_above(links: Mapping[Hashable, frozenset[Hashable]]) -> Senses:
    """Return every node with all its ancestors, parents before children."""
    try:
        order = list(TopologicalSorter(links).static_order())
    except CycleError as error:
        circle = list(reversed(error.args[1]))
        raise InputError.expected(
            "parents",
            "free of circles",
            circle,
            "a label cannot be its own ancestor: remove one of these links",
        ) from None
    sense_of: Senses = {}
    for node in order:
        above = (sense_of[parent] for parent in links.get(node, ()))
        sense_of[node] = frozenset({node}).union(*above)
    return sense_of


def _set_distance(distance: object) -> SetDistance:
    if isinstance(distance, SetDistance):
        return distance
    known = {name: made for name, made in registry.items() if issubclass(made, SetDistance)}
    if not isinstance(distance, str) or distance not in known:
        raise InputError.unknown_word("the distance within a taxonomy", distance, sorted(known))
    return known[distance]()
