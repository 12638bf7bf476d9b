"""What other programs call the options of Consilience: the one list of foreign names.

Names of scikit-learn, statsmodels, krippendorff, irrCAC, pingouin, SciPy, and of irr and irrCAC
in R, with the keyword of ours that does the same, or a sentence that says how it is done here.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

__all__ = ["FOREIGN", "Foreign", "advice", "written"]

_CLOSE = 0.7
_MOST_LISTED = 12


def _same(value: object) -> object:
    return value


def _complement(value: object) -> object:
    """Turn an error rate into a level of confidence; leave a level as it is."""
    if isinstance(value, (int, float)) and 0.0 < value < 0.5:
        return round(1.0 - value, 12)
    return value


@dataclass(frozen=True, slots=True)
class Foreign:
    """What does here what another program's option does there.

    Attributes
    ----------
    ours : names of our keywords; the first that a function has is meant
    values : their word for a value to ours
    change : how a value becomes ours where no word is listed
    otherwise : what to do where a function has none of the keywords
    """

    ours: tuple[str, ...] = ()
    values: Mapping[object, object] = field(default_factory=dict)
    change: Callable[[object], object] = _same
    otherwise: str = ""


_WEIGHTS = Foreign(
    ("distance",),
    {
        None: "nominal",
        "unweighted": "nominal",
        "identity": "nominal",
        "equal": "linear",
        "squared": "quadratic",
        "toeplitz": "linear",
        "fc": "quadratic",
        "ordinal": "ordinal-gwet",
    },
    otherwise="the weights of a coefficient are its distance, as in "
    'cohen_kappa(ratings, distance="quadratic")',
)
_SCALE = Foreign(
    ("scale", "distance"),
    otherwise='say it where the ratings are made, as in Ratings.from_wide(rows, scale="ordinal")',
)
_LEVEL = Foreign(
    ("confidence_level",),
    change=_complement,
    otherwise="ask the result: .confidence_interval(confidence_level=0.95)",
)
_INTERVAL = Foreign(
    ("interval",),
    otherwise="every result has its interval: .confidence_interval(confidence_level=0.95)",
)
_LABELS = Foreign(
    ("categories",),
    otherwise="declare the categories where the ratings are made, as in "
    'Ratings.from_wide(rows, categories=["low", "high"])',
)
_RESAMPLES = Foreign(
    ("n_resamples",),
    otherwise="for a bootstrap call consilience.bootstrap(estimate, n_resamples=9999)",
)
_SEED = Foreign(("rng", "seed"), otherwise="nothing here is drawn at random; leave it out")
_MISSING = Foreign(
    ("missing",),
    {
        True: "listwise",
        "omit": "listwise",
        "listwise.deletion": "listwise",
        "complete": "listwise",
    },
    otherwise="missing ratings are None or NaN and need no option; leave it out",
)
_DATA = Foreign(otherwise="pass the data first, without a name")
_ROUNDED = Foreign(otherwise="values are never rounded; print round(result.value, 3)")
_TIMES = Foreign(
    otherwise="count equal rows, and make the ratings from the counts: Ratings.from_table for "
    "two raters, Ratings.from_counts for more"
)

FOREIGN: dict[str, Foreign] = {
    **dict.fromkeys(("weights", "weight", "wt", "weighting", "weighted", "w"), _WEIGHTS),
    **dict.fromkeys(("level_of_measurement", "data_type", "measurement", "metric"), _SCALE),
    "scale": _SCALE,
    **dict.fromkeys(("alpha", "conf_level", "ci_level", "confidence", "conflev"), _LEVEL),
    **dict.fromkeys(("conf", "level", "credible_level"), _LEVEL),
    **dict.fromkeys(("ci", "conf_int", "confint", "return_ci", "ci_method"), _INTERVAL),
    **dict.fromkeys(("labels", "value_domain", "categ", "levels", "classes"), _LABELS),
    **dict.fromkeys(("category_names", "categ_labels", "category_labels"), _LABELS),
    **dict.fromkeys(("n_boot", "n_bootstrap", "n_bootstraps", "nboot", "B", "R"), _RESAMPLES),
    **dict.fromkeys(("n_iter", "n_permutations", "n_perm", "bootstrap_samples"), _RESAMPLES),
    **dict.fromkeys(("seed", "rng", "random_state", "random_seed", "set_seed"), _SEED),
    **dict.fromkeys(("na_rm", "nan_policy", "missing", "dropna", "na_action"), _MISSING),
    **dict.fromkeys(("reliability_data", "data", "x", "table", "ratings", "df"), _DATA),
    **dict.fromkeys(("y1", "y2", "rater1", "rater2", "value_counts", "raw_data"), _DATA),
    **dict.fromkeys(("digits", "decimals", "ndigits"), _ROUNDED),
    **dict.fromkeys(("sample_weight", "sample_weights", "freq", "frequencies"), _TIMES),
    "return_results": Foreign(otherwise="the result has it all; leave it out"),
    "exact": Foreign(
        otherwise="for the exact kappa of more than two raters call consilience.cohen_kappa"
    ),
    "targets": Foreign(("item",), otherwise="name the columns in Ratings.from_long(item=...)"),
    "annotators": Foreign(("raters", "rater")),
    "annotator": Foreign(("rater", "raters")),
    "coders": Foreign(("raters", "rater")),
    "coder": Foreign(("rater", "raters")),
    "subjects": Foreign(("items", "item")),
    "units": Foreign(("items", "item")),
    "sep": Foreign(("delimiter",)),
    "sheet_name": Foreign(("sheet",)),
    "na_values": Foreign(("missing_values",)),
    "significance": Foreign(("significance_level",)),
    "sig_level": Foreign(("significance_level",)),
}


def written(name: str, value: object) -> str:
    """Write a keyword with its value as in a program; without it where that would be long.

    >>> written("scale", "ordinal"), written("n_items", 80), written("distance", [[0, 1], [1, 0]])
    ('scale="ordinal"', 'n_items=80', 'distance=')
    """
    if isinstance(value, str):
        return f'{name}="{value}"'
    return f"{name}={value!r}" if isinstance(value, (bool, int, float)) else f"{name}="


def advice(name: str, value: object, known: Collection[str]) -> str:
    """Return what to write instead of a keyword that a function does not have.

    >>> advice("weights", "quadratic", ["distance", "missing"])
    'distance="quadratic" is what you look for'
    >>> advice("alpha", 0.05, ["confidence_level"])
    'confidence_level=0.95 is what you look for'
    >>> advice("distanse", "linear", ["distance", "missing"])
    "did you mean 'distance'?"
    """
    foreign = FOREIGN.get(name)
    if foreign is not None:
        found = next((one for one in foreign.ours if one in known), None)
        if found is not None:
            listed = isinstance(value, (str, bool, type(None))) and value in foreign.values
            ours = foreign.values[value] if listed else foreign.change(value)
            return f"{written(found, ours)} is what you look for"
        if foreign.otherwise:
            return foreign.otherwise
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=_CLOSE)
    if close:
        return f"did you mean {close[0]!r}?"
    if not known:
        return "it has no options"
    names = list(known)
    more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    return f"its options are {', '.join(names[:_MOST_LISTED])}{more}"
