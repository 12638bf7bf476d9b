"""Draw ratings with a known truth, in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from consilience.core.resample import Seed
from consilience.simulate._simulator import Simulated, Simulator


def simulate(
    *,
    n_items: int = 100,
    n_raters: int = 3,
    categories: int | Sequence[object] = 2,
    prevalence: float | Sequence[float] | Mapping[Any, float] | None = None,
    accuracy: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    agreement: float | None = None,
    hard_share: float = 0.0,
    hard_accuracy: float | Sequence[float] | None = None,
    noise: float | Sequence[float] | None = None,
    shift: float | Sequence[float] = 0.0,
    hard_noise: float | Sequence[float] | None = None,
    mean: float = 0.0,
    spread: float = 1.0,
    missing: float = 0.0,
    ratings_per_item: int | None = None,
    occasions: int = 1,
    scale: str = "nominal",
    raters: Sequence[object] | None = None,
    rng: Seed = None,
) -> Simulated:
    """Draw ratings with a chosen design and a known truth.

    Use it to see what a coefficient makes of raters whose faults are known, to plan a study, or to
    make an example. Prefer the bootstrap when there are data: it needs no assumptions.

    Parameters
    ----------
    n_items, n_raters : int
        Size of the study; with `ratings_per_item`, `n_raters` is the pool of raters.
    categories : int or list of labels
        The labels; a number q stands for the labels 1 to q.
    prevalence : share, list of shares or mapping, default all equal
        How common each true label is; a single share is that of the first of two categories.
    accuracy : share, one share per rater, confusion matrix or one matrix per rater, default 0.8
        How often a rater gives the true label because she knows it. In a confusion matrix rows
        are the true labels and columns what the rater says.
    bias : list of shares, or one list per rater
        What a rater says when she does not know: labels drawn from these shares, which may be
        right by luck. Without it, errors fall evenly on the other labels. A rater with
        ``accuracy=0`` and ``bias=[1, 0]`` always says the first label.
    agreement : float
        Instead of `accuracy`: the chance-corrected agreement to have. A share `agreement` of the
        items is plain to all raters; on the others each draws a label from `prevalence`. Pi,
        kappa and alpha then have exactly this value in a large sample, with any distance.
        On an interval scale it is the share of the variance that is true.
    hard_share, hard_accuracy : share of hard items, and the raters' accuracy on them
    noise : float or one per rater, default 0.5
        Ordinal and interval scales: standard deviation of a rater's error. On an ordinal scale
        the true place of an item on the line has standard deviation 1, and the line is cut such
        that the true categories have their prevalence.
    shift : float or one per rater
        What a rater adds to everything: leniency or severity.
    hard_noise : float or one per rater
        The noise on hard items.
    mean, spread : mean and standard deviation of the true values on an interval scale
    missing : share of the ratings that are missing, completely at random
    ratings_per_item : int
        Each item is rated by so many raters drawn from the pool: a crowd.
    occasions : int
        How often each rater rates each of her items; the truth stays, errors are drawn anew.
    scale : {"nominal", "ordinal", "interval"}
    raters : names, default 0, 1, 2, ...
    rng : seed or numpy Generator
        The same seed gives the same bits.

    Returns
    -------
    Simulated
        ``ratings``, ``truth``, ``hard``, ``occasions`` and the ``design``, which can draw again.

    Raises
    ------
    InputError
        An option is out of range, or two options exclude each other.

    Notes
    -----
    With accuracy a and bias b a rater says label l of an item whose truth is k with chance
    a [k = l] + (1 - a) b_l, the model of [1]_; full confusion matrices are the model of [2]_.
    Under `agreement` rho the chance that all of m raters say k is (1 - rho) p_k^m + rho p_k, the
    common-correlation model of [3]_, and any other pattern has (1 - rho) times the product of the
    p_k; hence observed disagreement is 1 - rho times expected disagreement.

    References
    ----------
    .. [1] Hovy, D., Berg-Kirkpatrick, T., Vaswani, A. & Hovy, E. (2013). Learning whom to trust
       with MACE. Proceedings of NAACL-HLT 2013, 1120-1130.
    .. [2] Dawid, A. P. & Skene, A. M. (1979). Maximum likelihood estimation of observer
       error-rates using the EM algorithm. Applied Statistics 28, 20-28. doi:10.2307/2346806
    .. [3] Donner, A. & Eliasziw, M. (1992). A goodness-of-fit approach to inference procedures for
       the kappa statistic. Statistics in Medicine 11, 1511-1519. doi:10.1002/sim.4780111109

    Examples
    --------
    >>> import consilience as cs
    >>> study = simulate(n_items=20_000, n_raters=5, agreement=0.6, prevalence=0.3, rng=1)
    >>> round(cs.krippendorff_alpha(study.ratings).value, 2)
    0.6
    >>> spammer = simulate(accuracy=[0.9, 0.9, 0.0], bias=[1, 0], rng=1)
    >>> set(spammer.ratings.table(2, 2).diagonal().tolist())  # all items get the first label
    {0, 100}
    """
    design = Simulator(
        n_items=n_items,
        n_raters=n_raters,
        categories=categories,
        prevalence=prevalence,
        accuracy=accuracy,
        bias=bias,
        agreement=agreement,
        hard_share=hard_share,
        hard_accuracy=hard_accuracy,
        noise=noise,
        shift=shift,
        hard_noise=hard_noise,
        mean=mean,
        spread=spread,
        missing=missing,
        ratings_per_item=ratings_per_item,
        occasions=occasions,
        scale=scale,
        raters=raters,
    )
    return design.draw(rng=rng)
