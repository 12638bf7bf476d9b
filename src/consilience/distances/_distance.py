"""The interface of a distance, the registry of named ones, and the lookup."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TypeVar

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.registry import BY_CLASS, Registry, registered_in
from consilience.distances.label_scores import LabelSpace
from consilience.exceptions import InputError

__all__ = ["Distance", "Floats", "LabelSpace", "get_distance", "names", "register", "registry"]


class Distance(ABC):
    """How different two labels are: zero for a label and itself, never negative, symmetric.

    Subclasses are frozen dataclasses, equal when their parameters are. A named one carries
    `name` and the decorator `register`.

    Attributes
    ----------
    name : str
        The word for it in calls, results and reports.
    fits_scale : str
        The scale this distance is the default for; empty for most.
    recipe : str
        How to make one, when the name alone is not enough; empty for most.
    data_dependent : bool
        Whether `matrix` uses `counts`, so that it must be recomputed for every resample.
    of_sets : bool
        Whether labels are sets, and sets that overlap are closer than disjoint ones.
    """

    name: str
    fits_scale: str = ""
    recipe: str = ""
    data_dependent: bool = False
    of_sets: bool = False

    @abstractmethod
    def matrix(self, space: LabelSpace, counts: Floats) -> Floats:
        """Return the distance of every two labels.

        Parameters
        ----------
        space : LabelSpace
            The labels.
        counts : numpy.ndarray
            Pairable ratings per label; only a data-dependent distance looks at them.

        Returns
        -------
        numpy.ndarray
            q × q in the distance's own units.

        Raises
        ------
        InputError
            The labels are not of the kind this distance compares.
        """

    def coordinates(self, space: LabelSpace, counts: Floats) -> Floats | None:
        """Return points (q × dimension) whose squared Euclidean distance this is, or None."""
        return None

    def pull_back(self, slopes: Floats) -> Floats | None:
        """Turn slopes with respect to coordinates into slopes with respect to the counts.

        Only for data-dependent distances on a line: the transposed derivative of `coordinates`,
        so that standard errors allow for the metric's own dependence on the data. Slopes lie along
        the first axis; a second one is for several sets of counts.
        """
        return None

    def embed(self, values: Floats) -> Floats | None:
        """Do the same for raw numbers of any shape: one array per dimension, or None.

        NaN stays NaN; the numbers' range has been checked with `matrix` before.
        """
        return None


registry: Registry[type[Distance]] = Registry(
    "distance",
    group="distances",
    homes=registered_in("consilience.distances", name=BY_CLASS),
)

_Class = TypeVar("_Class", bound=type[Distance])


def register(distance: _Class) -> _Class:
    """Make a distance known by its name; a class decorator.

    Parameters
    ----------
    distance : subclass of Distance

    Returns
    -------
    type
        The same class.

    Examples
    --------
    >>> class Same(Distance):
    ...     name = "nominal"
    >>> register(Same)  # a name that is taken is refused
    Traceback (most recent call last):
    ...
    ValueError: a distance named 'nominal' is already registered
    """
    registry.add(distance)
    return distance


def names() -> tuple[str, ...]:
    """Return the names that can be given as ``distance=``, in alphabetical order.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> "ordinal" in names(), "circular" in names()      # circular needs its circumference
    (True, False)
    """
    return tuple(sorted(name for name, made in registry.items() if not made.recipe))


def get_distance(spec: object = None, *, scale: str) -> Distance:
    """Return the distance that is meant.

    Parameters
    ----------
    spec : str, Distance, callable or None
        A name, a distance, a function of two labels; None for the one that fits the scale.
    scale : str
        The scale of the ratings.

    Returns
    -------
    Distance

    Raises
    ------
    InputError
        An unknown name or scale, a name that needs a parameter, or something else altogether.

    Examples
    --------
    >>> get_distance(scale="interval").name
    'interval'
    >>> get_distance("masi", scale="nominal").name
    'masi'
    """
    if spec is None:
        return _fitting(scale)
    if isinstance(spec, Distance):
        return spec
    if isinstance(spec, str):
        return _named(spec)
    if isinstance(spec, type) and issubclass(spec, Distance):
        raise _not_a_distance(spec, f"give an instance: {spec.recipe or spec.__name__ + '()'}")
    if isinstance(spec, np.ndarray | list | tuple) or hasattr(spec, "to_numpy"):
        raise _not_a_distance(
            spec, "wrap it as distances.matrix(d, categories), which says which row is which label"
        )
    if callable(spec):
        # The callable distance builds on this module.
        from consilience.distances._callable import CallableDistance

        return CallableDistance(spec)
    raise _not_a_distance(spec, f"choose one of {', '.join(names())}")


def _fitting(scale: str) -> Distance:
    named: type[Distance] | None = registry.get(scale)
    if named is not None and named.fits_scale == scale:  # as ours are called
        return named()
    fitting = {made.fits_scale: made for made in registry.values() if made.fits_scale}
    if scale not in fitting:
        raise InputError.unknown_word("scale", scale, fitting)
    return fitting[scale]()


def _named(name: str) -> Distance:
    made: type[Distance] | None = registry.get(name)
    if made is None:
        raise InputError.unknown_word("distance", name, names())
    if made.recipe:
        raise InputError.expected("distance", "given with its parameter", name, made.recipe)
    return made()


def _not_a_distance(spec: object, hint: str) -> InputError:
    return InputError.expected(
        "distance", "a name, a Distance or a function of two labels", spec, hint
    )
