"""The words of the literature, and where here each of them is found.

Names of coefficients, measures and distances are found in their registries. This is the list of
everything else that a reader of a paper looks for by the paper's own word.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from consilience.core.registry import folded

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
        ("skewness", "histogram of marks", "skewed marks", "normal distribution"),
        "how lopsided each rater's marks are",
        "magnitudes.describe_marks(ratings), plot.histogram(ratings)",
        "consilience marks FILE",
    ),
    Topic(
        ("sweep", "calibration", "amount of training data", "parameter", "settings"),
        "settings of a system against the same people, by every metric",
        "panel.sweep(settings, people=[...])",
        "consilience sweep FILE --setting COLUMN --people NAME",
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
        (
            "coreference",
            "coref",
            "coreference chains",
            "anaphora",
            "anaphoric chains",
            "antecedent",
        ),
        "mentions linked to antecedents or entities: chains as labels",
        "read_chains(...) of consilience.io, units.chains_of(ratings)",
        "consilience measure FILE --chains links --distance dice; CoNLL: without --chains",
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
        "units.programs.multiple_links(units)",
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
    Topic(
        ("holle rein", "holle", "rein", "modified kappa", "neuroges", "timed event"),
        "agreement on timed events: units linked by their overlap, then their labels",
        "units.easydiag(units)",
        "consilience units FILE",
    ),
    Topic(
        ("pabak", "prevalence adjusted kappa", "bias adjusted kappa", "byrt"),
        "kappa with chance at one half, for two labels: the coefficient S",
        "pabak(ratings), prevalence_index(ratings), bias_index(ratings)",
        "consilience measure FILE -c bennett_s",
    ),
    Topic(
        ("kappa max", "largest kappa", "maximum kappa", "maxwell", "maxwell re"),
        "indices beside kappa: the largest that the margins allow, Maxwell's RE",
        "kappa_max(ratings), maxwell_re(ratings)",
        "consilience measure FILE -c kappa; the indices in Python only",
    ),
    Topic(
        ("prevalence", "paradox", "kappa paradox", "skewed labels", "feinstein cicchetti"),
        "high agreement with a low kappa, because one label is common",
        "plot.prevalence_effect(ratings), findings.checks",
        "consilience plot prevalence FILE",
    ),
    Topic(
        ("confidence interval", "bootstrap", "jackknife", "standard error", "margin of error"),
        "how sure a coefficient is",
        'estimate.confidence_interval(method="bootstrap"), estimate.standard_error',
        "consilience measure FILE --interval bootstrap",
    ),
    Topic(
        ("sample size", "power", "how many items", "how many raters", "plan"),
        "how many items and raters a study needs",
        "plan(kappa0=..., kappa1=...), plan(pilot=...)",
        "consilience plan",
    ),
    Topic(
        ("f1", "f measure", "span f1", "named entities", "exact match"),
        "precision, recall and F1 of marked spans",
        "units.span_f1(units)",
        "consilience units FILE --method spans",
    ),
    Topic(
        ("precision", "recall", "confusion with gold"),
        "precision, recall and F of systems against people",
        "panel.compare(ratings, systems=[...])",
        "consilience panel FILE --system NAME",
    ),
    Topic(
        ("windowdiff", "pk", "segmentation", "boundary similarity", "segment boundaries"),
        "where segments begin and end: boundary similarity, Pk, WindowDiff",
        "units.segmentation(units), units.window_diff(...)",
        "consilience units FILE --method boundaries",
    ),
    Topic(
        ("adjudication", "gold standard", "gold", "curation", "contested items", "disagreements"),
        "the items on which raters differ, ranked, and decided by a person",
        "latent.adjudication, io.write_sheet(...)",
        "consilience adjudicate FILE",
    ),
    Topic(
        ("llm", "llm judge", "judge", "model as annotator", "machine annotator", "system"),
        "systems beside people: do they agree as people do?",
        "panel.compare(ratings, systems=[...])",
        "consilience panel FILE --system NAME",
    ),
    Topic(
        ("bayes", "bayesian", "posterior", "credible interval", "probability above"),
        "how likely agreement is above a value",
        "estimate.probability_above(0.8)",
        "consilience measure FILE",
    ),
    Topic(
        ("mcnemar", "bowker", "stuart maxwell", "bhapkar", "cochran q", "marginal homogeneity"),
        "tests of whether raters use labels equally often",
        "marginal_homogeneity(ratings), mcnemar(ratings), stuart_maxwell(ratings)",
        "consilience measure FILE --all",
    ),
    Topic(
        ("cronbach alpha", "cronbach", "finn", "rwg", "r wg"),
        "not here: of marks, an intraclass correlation answers the same question",
        "magnitudes.icc(ratings)",
        "consilience marks FILE --measure icc",
    ),
    Topic(
        ("specific agreement", "positive agreement", "negative agreement", "per category"),
        "agreement on each label by itself",
        "specific_agreement(ratings), category_agreement(ratings)",
        "consilience measure FILE --all",
    ),
    Topic(
        ("percent overlap", "time overlap", "time kappa", "time unit kappa"),
        "agreement at each moment of time",
        "units.time_kappa(units)",
        "consilience units FILE --method time",
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
