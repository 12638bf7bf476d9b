"""The words of the literature, and where here each of them is found.

Names of coefficients, measures and distances are found in their registries. This is the list of
everything else that a reader of a paper looks for by the paper's own word.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from consilience.core.registry import folded

__all__ = ["TOPICS", "Topic", "topic_of"]

_CLOSE = 0.8


@dataclass(frozen=True, slots=True)
class Topic:
    """Something that has no name of its own here, and how it is done.

    Attributes
    ----------
    words : what the literature calls it
    about : what it is, in a few words
    library : how it is called from Python
    command : how it is typed
    """

    words: tuple[str, ...]
    about: str
    library: str
    command: str


TOPICS = (
    Topic(
        ("contingency", "contingency table", "cross table", "confusion matrix", "crosstab"),
        "the table of two raters' labels",
        "Ratings.from_table(...), ratings.table(rater, rater)",
        "consilience measure FILE --shape table",
    ),
    Topic(
        ("golden formula", "chance correction", "chance corrected", "expected agreement"),
        "(observed - expected) / (1 - expected), the form of all coefficients",
        "estimate.observed, estimate.expected, estimate.value",
        "consilience measure FILE",
    ),
    Topic(
        ("monte carlo", "simulated null", "watermark", "null hypothesis", "significance"),
        "tests of null values by simulated studies",
        'estimate.test(0.6, method="monte-carlo"), null_tests(estimate)',
        "consilience test FILE -c ac1 --null 0.6",
    ),
    Topic(
        ("critical value", "critical values", "gwet tables", "table of critical values"),
        "the smallest agreement that chance hardly ever reaches",
        "ac1_critical_values(...), inference.rank_critical_values(...)",
        "consilience critical --items 50 --raters 2 --categories 2",
    ),
    Topic(
        (
            "stability",
            "reproducibility",
            "test retest",
            "retest",
            "three designs",
            "intra observer",
            "inter observer",
        ),
        "raters against themselves, each other and a standard",
        "latent.reliability_designs(ratings, gold=...)",
        "consilience designs FILE --occasion ROUND --gold NAME",
    ),
    Topic(
        ("simple metric", "equal scores", "exact agreement", "percentage agreement"),
        "the share of identical marks",
        "percent_agreement(ratings), magnitudes.vector_distance(a, b).simple_metric",
        "consilience measure FILE -c percent_agreement",
    ),
    Topic(
        ("t test", "paired t test", "student t"),
        "the paired t-test of two raters' marks",
        "magnitudes.paired_differences(a, b).test()",
        "consilience marks FILE --measure t_test",
    ),
    Topic(
        ("wilcoxon", "wilcoxon test", "signed rank", "signed rank test"),
        "Wilcoxon's signed rank test of two raters' marks",
        "magnitudes.paired_differences(a, b).wilcoxon_p",
        "consilience marks FILE --measure wilcoxon",
    ),
    Topic(
        ("effect size", "cohen d", "hedges g"),
        "the mean difference in standard deviations, with an interval",
        "magnitudes.paired_differences(a, b).d_av_interval()",
        "consilience marks FILE --measure effect_size",
    ),
    Topic(
        ("manhattan", "manhattan distance", "l1", "city block"),
        "the sum of absolute differences of two raters' marks",
        "magnitudes.vector_distance(a, b).l1",
        "consilience marks FILE --measure manhattan",
    ),
    Topic(
        ("euclidean", "euclidean distance", "l2"),
        "the root of the sum of squared differences of two raters' marks",
        "magnitudes.vector_distance(a, b).l2",
        "consilience marks FILE --measure euclidean",
    ),
    Topic(
        ("tau c", "kendall tau c", "stuart tau c"),
        "Kendall's (Stuart's) tau-c",
        'magnitudes.kendall_tau(a, b, variant="c")',
        "consilience marks FILE --measure tau_c",
    ),
    Topic(
        ("skewness", "histogram of marks", "skewed marks"),
        "how lopsided each rater's marks are",
        "magnitudes.describe_marks(ratings), plot.marks(ratings)",
        "consilience marks FILE",
    ),
    Topic(
        ("sweep", "calibration", "amount of training data", "parameter", "settings"),
        "settings of a system against the same people, by every metric",
        "panel.sweep(settings, people=[...])",
        "consilience panel FILE --sweep COLUMN --people NAME",
    ),
    Topic(
        ("sampling variation", "sampling distribution", "more samples", "bias of kappa"),
        "how far a coefficient moves from sample to sample",
        "simulate.sampling_distribution(design), simulate.samples(ratings)",
        "consilience simulate FILE --samples 5",
    ),
    Topic(
        ("expert", "homogeneity", "homogeneity interval", "consensus annotation"),
        "every rater against one expert",
        "agreement_with_expert(ratings, expert=...)",
        "consilience raters FILE --expert NAME",
    ),
    Topic(
        (
            "word scale",
            "benchmark",
            "interpretation",
            "landis koch",
            "rietveld van hout",
            "strength of agreement",
        ),
        "what published scales call a value, and how sure that is",
        "interpret(estimate, scale=...)",
        "consilience test FILE --words landis-koch",
    ),
    Topic(
        ("chance surface", "chance agreement surface", "figure of chance"),
        "chance agreement by the shares of two raters",
        "plot.chance_surface(ratings)",
        "consilience plot chance FILE",
    ),
    Topic(
        ("bias b", "annotator bias", "artstein poesio bias"),
        "how far raters' own habits take kappa and pi apart",
        "rater_bias(ratings)",
        "consilience bias FILE",
    ),
    Topic(
        ("coreference", "coreference chains", "anaphora", "anaphoric chains", "antecedent"),
        "mentions linked to antecedents or entities: chains as labels",
        "read_chains(...) of consilience.io, units.chains_of(ratings)",
        "consilience measure FILE --chains links --distance dice",
    ),
    Topic(
        ("discourse deixis", "marked words", "summaries", "summarization", "content units"),
        "sets of words that raters marked",
        "units.word_set_ratings(units)",
        "consilience units FILE --method sets",
    ),
    Topic(
        ("term extraction", "relation extraction", "terms", "bigrams"),
        "sets of terms, that is of whole spans, or of pairs of words",
        'units.word_set_ratings(units, pieces="spans")',
        "consilience units FILE --method sets --pieces spans",
    ),
    Topic(
        ("word sense", "wordsense tagging", "extended sense", "hypernym", "tree of labels"),
        "labels in a tree: the more ancestors shared, the closer",
        "distances.taxonomy({'poodle': 'dog'}), read_taxonomy(...) of consilience.io",
        "consilience measure FILE --distance taxonomy:TREE:passonneau",
    ),
    Topic(
        ("weight matrix", "weights", "weighted coefficients", "cost matrix"),
        "how far apart labels are, from a table",
        "distances.matrix(d, labels), read_weights(...) of consilience.io",
        "consilience measure FILE --distance file:WEIGHTS",
    ),
    Topic(
        ("rater disparity", "disparity", "sources of disagreement", "agreement plot"),
        "the recordings and labels on which raters differ most",
        "units.easydiag(units).ranked_disparity",
        "consilience units FILE --disparity",
    ),
    Topic(
        ("nil", "commission", "omission", "commission errors", "omission errors"),
        "units that only one rater marked",
        "units.easydiag(units).table, units.easydiag_table(table, labels)",
        "consilience units FILE; a table from a paper: consilience units TABLE --table",
    ),
    Topic(
        ("overlap threshold", "threshold curve", "overlap criterion"),
        "kappa by the overlap that links two units",
        "units.threshold_curve(units)",
        "consilience units FILE --thresholds 51-90",
    ),
    Topic(
        ("multiple linking", "haccou meelis", "jansen", "linking problem"),
        "matching in which a unit may have several partners, for comparison",
        "units.multiple_links(units)",
        "consilience units FILE --method haccou-meelis",
    ),
    Topic(
        ("sensitivity", "specificity", "diagnostic accuracy", "marble", "urn"),
        "sensitivity of each rater from latent classes, and whether it is above a share",
        "latent.latent_classes(ratings, above=0.99)",
        "consilience latent FILE --model lca --above 0.99",
    ),
    Topic(
        ("proportions", "table of proportions", "shares"),
        "a cross-table of shares, as papers print them",
        "Ratings.from_table(shares, n_items=200)",
        "consilience measure FILE --shares-of 200",
    ),
)


def topic_of(word: object) -> Topic | None:
    """Return the topic that a word names, in any spelling, or nearly; None where there is none.

    Examples
    --------
    >>> topic_of("Monte-Carlo").command
    'consilience test FILE -c ac1 --null 0.6'
    >>> topic_of("golden formulae").about[:10]
    '(observed '
    >>> topic_of("weather") is None
    True
    """
    known = {folded(name): one for one in TOPICS for name in one.words}
    wanted = folded(word)
    if wanted in known:
        return known[wanted]
    close = difflib.get_close_matches(wanted, list(known), n=1, cutoff=_CLOSE)
    return known[close[0]] if close else None
