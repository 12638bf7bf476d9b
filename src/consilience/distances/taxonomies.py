"""The distance of two nodes of a taxonomy, by the ancestors they share."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

from consilience.core.arrays import Floats
from consilience.distances._distance import Distance, LabelSpace, register, registry
from consilience.distances._sets import Jaccard, SetDistance
from consilience.distances.label_scores import is_among
from consilience.exceptions import InputError

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
