"""Any function of two labels as a distance."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from consilience.core.arrays import Floats
from consilience.distances._distance import Distance, LabelSpace
from consilience.distances._matrix_checks import checked
from consilience.distances.label_scores import as_number
from consilience.exceptions import InputError


@dataclass(frozen=True)
class CallableDistance(Distance):
    """A function of two labels that returns how different they are.

    The function is called for every two labels in both orders and checked: finite numbers, zero
    for equal labels, never negative, symmetric.

    Parameters
    ----------
    function : callable
        ``function(a, b)`` returns a number, or True for different labels.

    Raises
    ------
    InputError
        On use, when the function breaks one of these rules; the message names the labels.

    Examples
    --------
    >>> def length_difference(a, b):
    ...     return abs(len(a) - len(b))
    >>> distance = CallableDistance(length_difference)
    >>> distance.name
    'callable:length_difference'
    >>> distance.matrix(LabelSpace.of(["a", "bb", "dddd"]), np.ones(3))[0]
    array([0., 1., 3.])
    """

    function: Callable[[object, object], object]
    name: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if not _takes_two(self.function):
            raise InputError.expected(
                "distance",
                "a function of two labels",
                self.function,
                "write it as distance(a, b), and call functions that make a distance first",
            )
        called = getattr(self.function, "__name__", "<none>")
        name = "callable" if called.startswith("<") else f"callable:{called}"
        object.__setattr__(self, "name", name)

    def matrix(self, space: LabelSpace, counts: Floats) -> Floats:
        """Return what the function says about every two labels."""
        d_kl = np.array(
            [[self._value(a, b) for b in space.labels] for a in space.labels], dtype=np.float64
        ).reshape(space.size, space.size)
        return checked(d_kl, space.labels, what=f"the distance {self.name!r}")

    def _value(self, a: object, b: object) -> float:
        value = self.function(a, b)
        number = as_number(value)
        if number is None:
            raise InputError.expected(
                f"the distance {self.name!r} of {a!r} and {b!r}",
                "a number",
                value,
                "return a float from the function",
            )
        return number


def _takes_two(function: Callable[[object, object], object]) -> bool:
    try:
        inspect.signature(function).bind(None, None)
    except TypeError:
        return False
    except ValueError:
        # Some built-in functions do not tell their signature.
        return True
    return True
