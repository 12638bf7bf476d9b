"""The words of the literature, and where here each of them is found.

Names of coefficients, measures and distances are found in their registries. This is the list of
everything else that a reader of a paper looks for by the paper's own word.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from consilience.core.registry import folded

_SHORT = 3  # words of so few letters have no plural here


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
        (
            *("contingency", "contingency table", "cross table", "confusion matrix", "crosstab"),
            *(
                "cross tabulation",
                "off diagonal",
                "agreement matrix",
                "fourfold table",
                "2 x 2 table",
            ),
            *("two way table", "coincidence matrix", "joint distribution"),
        ),
        "the table of two raters' labels",
        "Ratings.from_table(...), ratings.table(rater, rater)",
        "consilience measure FILE --shape table",
    ),
    Topic(
        (
            *("golden formula", "chance correction", "chance corrected", "expected agreement"),
            *("chance corrected agreement", "chance agreement", "agreement by chance"),
            *("agreement beyond chance", "observed disagreement", "expected disagreement"),
            *("ao", "ae", "p a", "p c", "p e", "general form"),
        ),
        "(observed - expected) / (1 - expected), the form of all coefficients",
        "estimate.observed, estimate.expected, estimate.value",
        "consilience measure FILE",
    ),
    Topic(
        (
            *("monte carlo", "monte carlo simulation", "simulated null", "watermark"),
            *("null hypothesis", "significance", "significance test", "p value", "test of kappa"),
            *("error of the first kind", "statistical significance", "no agreement but chance"),
        ),
        "tests of null values by simulated studies",
        'estimate.test(0.6, method="monte-carlo"), null_tests(estimate)',
        "consilience test FILE -c ac1 --null 0.6",
    ),
    Topic(
        ("critical value", "gwet tables", "table of critical values"),
        "the smallest agreement that chance hardly ever reaches",
        "ac1_critical_values(...), inference.rank_critical_values(...)",
        "consilience critical --items 50 --raters 2 --categories 2",
    ),
    Topic(
        (
            *("reliability", "types of reliability", "three designs", "test design"),
            *("focus of error", "carmines zeller"),
        ),
        "raters against themselves, each other and a standard: what the data allow of these",
        "latent.reliability_designs(ratings, gold=...)",
        "consilience designs FILE",
    ),
    Topic(
        (
            *("stability", "test retest", "test vs retest", "retest", "intra observer"),
            *("intra rater reliability", "intra observer reliability", "consistency over time"),
            "repeated ratings",
        ),
        "raters against themselves on another occasion",
        "latent.reliability_designs(ratings), latent.intra_rater(ratings)",
        "consilience designs FILE --occasion COLUMN",
    ),
    Topic(
        (
            *("reproducibility", "inter observer", "test vs test", "inter rater reliability"),
            *("inter annotator agreement", "iaa", "irr", "inter coder agreement", "replication"),
            *("inter observer agreement", "inter rater agreement"),
        ),
        "raters against each other",
        "measure(ratings), latent.reliability_designs(ratings)",
        "consilience measure FILE",
    ),
    Topic(
        (
            *("accuracy of raters", "accuracy", "test vs standard", "deviation from norm"),
            *("gold standard", "gold", "standard", "ground truth", "true score", "validity"),
            *("valid annotation", "external validity", "known standard", "correctness"),
            *("agreement with gold", "reference annotation", "answer key"),
        ),
        "each rater against a standard that is taken for right; without one, validity is not seen",
        "latent.reliability_designs(ratings, gold=...)",
        "consilience designs FILE --gold NAME",
    ),
    Topic(
        (
            *("simple metric", "sm", "equal scores", "exact agreement", "percentage agreement"),
            *("percentage of agreement", "proportion of agreement", "identical marks"),
            "identical scores",
        ),
        "the share of identical marks",
        "percent_agreement(ratings), magnitudes.vector_distance(a, b).simple_metric",
        "consilience measure FILE -c percent_agreement",
    ),
    Topic(
        (
            "t test",
            "paired t test",
            "student t",
            "repeated measures",
            "within participants",
            "parametric test",
        ),
        "the paired t-test of two raters' marks",
        "magnitudes.paired_differences(a, b).test()",
        "consilience marks FILE --measure t_test",
    ),
    Topic(
        (
            *(
                "wilcoxon",
                "wilcoxon test",
                "wilcoxon signed rank",
                "signed rank",
                "signed rank test",
            ),
            *("non parametric test", "distribution free", "wilcoxon t test"),
        ),
        "Wilcoxon's signed rank test of two raters' marks",
        "magnitudes.paired_differences(a, b).wilcoxon_p",
        "consilience marks FILE --measure wilcoxon",
    ),
    Topic(
        ("effect size", "cohen d", "hedges g", "aberson", "standardised difference", "d av"),
        "the mean difference in standard deviations, with an interval",
        "magnitudes.paired_differences(a, b).d_av_interval()",
        "consilience marks FILE --measure effect_size",
    ),
    Topic(
        ("manhattan", "manhattan distance", "l1", "l1 norm", "1 norm", "city block"),
        "the sum of absolute differences of two raters' marks",
        "magnitudes.vector_distance(a, b).l1",
        "consilience marks FILE --measure manhattan",
    ),
    Topic(
        ("euclidean", "euclidean distance", "l2", "l2 norm", "2 norm", "vector distance"),
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
        (
            *("skewness", "histogram of marks", "skewed marks", "normal distribution"),
            *("negatively skewed", "skewed distribution", "normality", "descriptive statistics"),
        ),
        "how lopsided each rater's marks are",
        "magnitudes.describe_marks(ratings), plot.histogram(ratings)",
        "consilience marks FILE",
    ),
    Topic(
        (
            *("sweep", "calibration", "amount of training data", "parameter", "settings"),
            *("training data", "calibrating a system", "optimal parameters", "marking system"),
            *("computer assisted assessment", "caa", "lsa", "latent semantic analysis", "emma"),
            *("automated marking", "automated essay scoring", "external metric"),
            "internal metric",
        ),
        "settings of a system against the same people, by every metric",
        "panel.sweep(settings, people=[...])",
        "consilience sweep FILE --setting COLUMN --people NAME",
    ),
    Topic(
        (
            *("sampling variation", "sampling distribution", "more samples", "bias of kappa"),
            *("random variation", "simulation", "unbiased estimator", "boleda evert"),
            *("gaussian approximation", "sampling simulation"),
        ),
        "how far a coefficient moves from sample to sample",
        "simulate.sampling_distribution(design), simulate.samples(ratings)",
        "consilience simulate FILE --samples 5",
    ),
    Topic(
        (
            *("expert", "agreement with an expert", "homogeneity", "homogeneity interval"),
            *("consensus annotation", "krenn", "krenn evert zinsmeister"),
        ),
        "every rater against one expert",
        "agreement_with_expert(ratings, expert=...)",
        "consilience raters FILE --expert NAME",
    ),
    Topic(
        (
            *("word scale", "benchmark", "interpretation", "landis koch", "rietveld van hout"),
            *("strength of agreement", "quality scale", "neuendorf", "green 1997", "carletta"),
            *("tentative conclusions", "definite conclusions", "good enough", "cutoff"),
            *("threshold of kappa", "0.67", "0.8", "acceptable reliability", "almost perfect"),
            *("conventions", "content analysis"),
        ),
        "what published scales call a value, and how sure that is",
        "interpret(estimate, scale=...)",
        "consilience test FILE --words landis-koch",
    ),
    Topic(
        (
            *("chance surface", "chance agreement surface", "figure of chance"),
            *("surface plot", "value pattern", "classification proportions"),
        ),
        "chance agreement by the shares of two raters",
        "plot.chance_surface(ratings)",
        "consilience plot chance FILE",
    ),
    Topic(
        (
            *("bias b", "annotator bias", "artstein poesio bias", "bias problem", "rater bias"),
            *("individual distributions", "single distribution", "biased coefficients"),
            *("hsu field", "craggs mcgee wood", "coefficient cube", "cube"),
            *("weighted bias", "bias of weighted measures"),
        ),
        "how far raters' own habits take kappa and pi apart",
        "rater_bias(ratings)",
        "consilience bias FILE",
    ),
    Topic(
        (
            *("coreference", "coref", "coreference chains", "anaphora", "anaphoric chains"),
            *("antecedent", "mention", "anaphoric annotation", "discourse entity", "vilain"),
            *("muc", "trains", "poesio vieira", "anaphora resolution"),
        ),
        "mentions linked to antecedents or entities: chains as labels",
        "read_chains(...) of consilience.io, units.chains_of(ratings)",
        "consilience measure FILE --chains links --distance dice",
    ),
    Topic(
        (
            *("discourse deixis", "marked words", "summaries", "summarization", "content units"),
            *("discourse antecedent", "sets of words", "nenkova passonneau", "scu", "webber"),
        ),
        "sets of words that raters marked",
        "units.word_set_ratings(units)",
        "consilience units FILE --method sets",
    ),
    Topic(
        ("term extraction", "relation extraction", "parsing", "terms", "bigrams"),
        "sets of terms, that is of whole spans, or of pairs of words",
        'units.word_set_ratings(units, pieces="spans")',
        "consilience units FILE --method sets --pieces spans",
    ),
    Topic(
        (
            *("word sense", "wordsense tagging", "extended sense", "hypernym", "tree of labels"),
            *("taxonomy", "wordnet", "senseval", "palmer", "grouped senses", "sense tagging"),
        ),
        "labels in a tree: the more ancestors shared, the closer",
        "distances.taxonomy({'poodle': 'dog'}), read_taxonomy(...) of consilience.io",
        "consilience measure FILE --distance taxonomy:TREE:passonneau",
    ),
    Topic(
        (
            *("weight matrix", "weights", "weighted coefficients", "cost matrix"),
            *(
                "distance metric",
                "distance matrix",
                "partial agreement",
                "weighted agreement",
                "disagreement weights",
            ),
        ),
        "how far apart labels are, from a table",
        "distances.matrix(d, labels), read_weights(...) of consilience.io",
        "consilience measure FILE --distance file:WEIGHTS",
    ),
    Topic(
        (
            "rater disparity",
            "disparity",
            "sources of disagreement",
            "agreement plot",
            "rater training",
        ),
        "the recordings and labels on which raters differ most",
        "units.easydiag(units).ranked_disparity",
        "consilience units FILE --disparity",
    ),
    Topic(
        (
            *("nil", "commission", "omission", "commission errors", "omission errors"),
            *(
                "unlinked events",
                "unlinked units",
                "kappa with nil",
                "false positives",
                "missed events",
            ),
        ),
        "units that only one rater marked",
        "units.easydiag(units).table",
        "consilience units FILE",
    ),
    Topic(
        (
            *("structural zero", "nil nil", "iterative proportional fitting", "ipf", "raking"),
            *("deming stephan", "quasi independence", "k + 1 table", "agreement table with nil"),
            "quasi kappa",
        ),
        "kappa of a table in which a cell cannot be filled: its margins are fitted step by step",
        "units.easydiag_table(table, labels), units.quasi_kappa(table)",
        "consilience units TABLE --table",
    ),
    Topic(
        (
            *("categorization agreement", "segmentation agreement", "linked units", "bavelas"),
            *("agreement on categories", "linked events", "shared units", "excl nil", "incl nil"),
            *("composite agreement", "segmentation and categorization"),
        ),
        "which units both raters saw, and how they named those: two answers beside the whole",
        "units.easydiag(units).linked_share, .raw_linked, .kappa_linked",
        "consilience units FILE --all",
    ),
    Topic(
        (
            *("overlap threshold", "threshold curve", "overlap criterion", "% overlap"),
            *("overlap percentage", "overlap matrix", "temporal overlap"),
        ),
        "kappa by the overlap that links two units",
        "units.threshold_curve(units)",
        "consilience units FILE --thresholds 51-90",
    ),
    Topic(
        ("multiple linking", "haccou meelis", "haccou", "linking problem", "matching rules"),
        "matching in which a unit may have several partners, for comparison",
        "units.programs.multiple_links(units)",
        "consilience units FILE --method haccou-meelis",
    ),
    Topic(
        (
            *("sensitivity", "specificity", "diagnostic accuracy", "marble", "bowl"),
            *("latent class", "latent class analysis", "latent class modelling", "uebersax"),
            *("uebersax grove", "goodness of fit", "goodness of fit test", "g2", "model fit"),
            *("number of latent classes", "noisy channel", "ratings per item"),
        ),
        "sensitivity of each rater from latent classes, and whether it is above a share",
        "latent.latent_classes(ratings, above=0.99)",
        "consilience latent FILE --model lca --above 0.99",
    ),
    Topic(
        (
            *("em algorithm", "em", "expectation maximization", "dempster", "maximum likelihood"),
            *("true labels", "majority vote", "truth inference", "bruce wiebe"),
        ),
        "true labels and raters' errors, estimated together by the EM algorithm",
        "latent.dawid_skene(ratings), latent.latent_classes(ratings)",
        "consilience latent FILE --model dawid-skene",
    ),
    Topic(
        ("latent trait", "latent trait analysis", "item response", "rasch"),
        "ordered labels from a trait that cannot be seen",
        "latent.latent_trait(ratings)",
        "consilience latent FILE --model latent-trait",
    ),
    Topic(
        (
            *("omega", "chance infected", "infected items", "epistemic uncertainty"),
            *("coefficient of uncertainty", "random ratings", "spurious agreement", "urn"),
            *(
                "deterministic ratings",
                "serious agreement",
                "certainty of raters",
                "type ii",
                "lottery",
            ),
            "guessing",
        ),
        "agreement corrected for chance only where raters do not repeat themselves",
        "latent.omega(ratings)",
        "consilience latent FILE --model omega --occasion COLUMN",
    ),
    Topic(
        (
            *("easy and hard items", "easy items", "hard items", "aickin alpha"),
            *("constant predictive probability model", "difficulty of items"),
        ),
        "the share of items on which two raters agree for cause",
        "aickin_alpha(ratings), latent.easy_and_hard(ratings)",
        "consilience latent FILE --model aickin",
    ),
    Topic(
        ("proportions", "table of proportions", "shares", "table of shares"),
        "a cross-table of shares, as papers print them",
        "Ratings.from_table(shares, n_items=200)",
        "consilience measure FILE --shares-of 200",
    ),
    Topic(
        (
            *("holle rein", "holle", "rein", "modified kappa", "neuroges", "timed event"),
            *("timed event sequential data", "gesture", "lausberg", "lausberg sloetjes"),
            *("annotation of video", "onset offset", "units linked", "positive agreement of units"),
        ),
        "agreement on timed events: units linked by their overlap, then their labels",
        "units.easydiag(units)",
        "consilience units FILE",
    ),
    Topic(
        ("pabak", "prevalence adjusted kappa", "bias adjusted kappa", "byrt", "bias index"),
        "kappa with chance at one half, for two labels: the coefficient S",
        "pabak(ratings), prevalence_index(ratings), bias_index(ratings)",
        "consilience measure FILE -c bennett_s",
    ),
    Topic(
        ("g", "c", "re", "kappa n", "uniform distribution", "equally likely", "coin tosses"),
        "the coefficient S: chance gives every label the same share",
        "bennett_s(ratings)",
        "consilience measure FILE -c bennett_s",
    ),
    Topic(
        ("kappa max", "largest kappa", "maximum kappa", "maxwell", "maxwell re", "kmax"),
        "kappa; beside it, in Python only, the largest that the margins allow, and Maxwell's RE",
        "kappa_max(ratings), maxwell_re(ratings)",
        "consilience measure FILE -c kappa",
    ),
    Topic(
        (
            *("prevalence", "paradox", "kappa paradox", "skewed labels", "feinstein cicchetti"),
            *("prevalence problem", "absurd kappa", "cicchetti feinstein", "trait prevalence"),
            *("di eugenio glass", "dieugenio glass", "marginal imbalance", "balanced and skewed"),
            *("negative kappa", "skewed table"),
        ),
        "high agreement with a low kappa, because one label is common",
        "plot.prevalence_effect(ratings), findings.checks",
        "consilience plot prevalence FILE",
    ),
    Topic(
        (
            *("confidence interval", "standard error", "margin of error", "ci", "interval"),
            *("asymptotic interval", "sigma kappa", "variance of kappa", "uncertainty"),
            *("standard deviation of kappa", "fleiss cohen everitt", "kappa as a sample statistic"),
            *("95% interval", "confidence limits", "variance estimator"),
        ),
        "how sure a coefficient is: beside every number",
        "estimate.confidence_interval(), estimate.standard_error",
        "consilience measure FILE",
    ),
    Topic(
        ("bootstrap", "resampling", "bca", "percentile interval"),
        "an interval from items drawn anew, again and again",
        'estimate.confidence_interval(method="bca"), estimate.bootstrap()',
        "consilience measure FILE --interval bca",
    ),
    Topic(
        ("jackknife", "leave one out", "leave one item out"),
        "an interval from leaving out each item in turn",
        'estimate.confidence_interval(method="jackknife")',
        "consilience measure FILE --interval jackknife",
    ),
    Topic(
        ("donner eliasziw", "donner", "eliasziw", "arbitrary level of agreement"),
        "a test of any level of kappa, and the interval of the levels it lets stand",
        "goodness_of_fit_test(ratings, null=0.8), goodness_of_fit_interval(ratings)",
        "consilience measure FILE -c pi --interval donner-eliasziw",
    ),
    Topic(
        ("lee tu", "lee", "tu", "lee tu interval"),
        "not here: Lee & Tu's interval; the one from the likelihood answers the same question",
        "profile_interval(ratings)",
        "consilience measure FILE -c kappa --interval profile",
    ),
    Topic(
        ("logistic regression", "generalised linear model", "glm", "mixed model"),
        "not here: a regression of labels; a latent trait says how items and raters differ",
        "latent.latent_trait(ratings)",
        "consilience latent FILE --model latent-trait",
    ),
    Topic(
        ("agreement with the majority", "majority opinion", "percent agreement with majority"),
        "not here: the share that goes with the majority; each rater beside all others is",
        "pairwise(ratings)",
        "consilience raters FILE",
    ),
    Topic(
        ("profile likelihood", "likelihood interval", "profile interval", "better interval"),
        "an interval for kappa of two labels from the likelihood",
        "profile_interval(ratings)",
        "consilience measure FILE -c kappa --interval profile",
    ),
    Topic(
        (
            *("missing data", "missing", "missing judgments", "missing ratings", "gaps"),
            *("incomplete data", "incomplete ratings", "data points missing"),
            *("random dropping", "dropped judgments", "equal numbers of judgments"),
        ),
        "items that not all raters rated: all their ratings are used",
        'cohen_kappa(ratings, missing="ap")',
        "consilience measure FILE --missing ap",
    ),
    Topic(
        (
            *(
                "agreement table",
                "table of counts",
                "counts per category",
                "judgments per category",
            ),
            *("table of judgments", "fleiss table", "counts", "psychiatric diagnoses"),
        ),
        "a row for each item, with the number of raters for each label",
        "Ratings.from_counts(...)",
        "consilience measure FILE --shape counts",
    ),
    Topic(
        (
            *(
                "anova",
                "analysis of variance",
                "variance components",
                "repeated measures anova",
                "psycholinguistic experiment",
            ),
            *("classical test theory", "classical reliability theory", "measurement error"),
            "generalizability",
        ),
        "marks split into items, raters and error, as intraclass correlations need it",
        "magnitudes.icc(ratings)",
        "consilience marks FILE --measure icc",
    ),
    Topic(
        (
            *("systematic disagreement", "slips", "random errors", "types of non reliability"),
            *("different intuitions", "misinterpretation", "guidelines", "boundary cases"),
            *("causes of disagreement", "why raters disagree", "unreliability"),
        ),
        "why raters disagree, by cause",
        "diagnose(ratings)",
        "consilience report FILE -o report.html",
    ),
    Topic(
        (
            *("correlations between raters", "pairwise kappa", "pairs of raters", "mean kappa"),
            *("every pair", "mean of pairs", "multiple annotators", "average kappa"),
        ),
        "agreement of every pair of raters",
        "pairwise(ratings)",
        "consilience raters FILE",
    ),
    Topic(
        (
            *("association", "chi square", "chi squared", "chi2", "x2", "measures of association"),
            *("pearson chi square", "test of independence"),
        ),
        "whether two raters' labels hang together at all, which is not agreement",
        "magnitudes.pearson_chi2(ratings)",
        "consilience marks FILE --measure chi2 --scale nominal",
    ),
    Topic(
        (
            *("correlation", "correlation coefficient", "bartko carpenter", "pearson r", "r"),
            *("product moment correlation", "linear relationship", "strength of correlation"),
            *("bravais", "bravais pearson", "variance explained", "r squared", "r2"),
            *("proportion of variance", "coefficient of determination"),
        ),
        "Pearson's correlation of two raters' marks",
        "magnitudes.pearson(a, b)",
        "consilience marks FILE --measure pearson",
    ),
    Topic(
        ("magnitude scale", "type i", "marks", "numbers", "scores", "correlation measures"),
        "numbers that raters gave: how alike, and how far apart",
        "magnitudes.describe_marks(ratings)",
        "consilience marks FILE",
    ),
    Topic(
        (
            *("gap events", "bakeman", "quera", "dynamic programming", "gseq dp"),
            *("all others", "event tolerance", "needleman wunsch"),
        ),
        "GSEQ's alignment of two sequences of events with gaps",
        "units.timed_alignment(units)",
        "consilience units FILE --method gseq",
    ),
    Topic(
        ("rank correlation", "rank order", "power efficiency", "rho", "spearman rho", "r s", "rs"),
        "Spearman's correlation of ranks",
        "magnitudes.spearman(a, b)",
        "consilience marks FILE --measure spearman",
    ),
    Topic(
        ("concordant", "discordant", "concordant pairs", "tied ranks", "kendall tau b", "ties"),
        "Kendall's tau: pairs of items that both raters put in the same order",
        "magnitudes.kendall_tau(a, b)",
        "consilience marks FILE --measure kendall_tau",
    ),
    Topic(
        (
            *(
                "regression line",
                "linear regression",
                "scatter diagram",
                "scatter plot",
                "slope",
                "intercept",
                "least squares",
            ),
            "reversed regression",
        ),
        "the line from one rater's marks to another's",
        "magnitudes.regression(a, b)",
        "consilience marks FILE --measure regression",
    ),
    Topic(
        ("sprent", "critical values of rho", "critical values of tau", "table a9", "table a10"),
        "critical values of rank correlations",
        "inference.rank_critical_values(n_items=10)",
        "consilience critical --statistic spearman --items 10",
    ),
    Topic(
        (
            *("internal ranking", "ranking of results", "compare results", "several variables"),
            "results by variable",
        ),
        "coefficients of several variables side by side",
        "measure({'move': ratings, 'gesture': others})",
        "consilience measure FILE",
    ),
    Topic(
        (
            *("cosine", "shares of differences", "off by one", "differ by one mark"),
            *("within one point", "adjacent agreement", "tolerance of marks"),
        ),
        "how often marks lie 0, 1, 2 or more points apart",
        "panel.differences(shares), magnitudes.vector_distance(a, b)",
        "consilience marks FILE --measure vector_distance",
    ),
    Topic(
        ("sample size", "power", "how many items", "how many raters", "plan"),
        "how many items and raters a study needs",
        "plan(kappa0=..., kappa1=...), plan(pilot=...)",
        "consilience plan --kappa0 0.4 --kappa1 0.6",
    ),
    Topic(
        ("f1", "f measure", "f score", "span f1", "named entities", "exact match"),
        "precision, recall and F1 of marked spans",
        "units.span_f1(units)",
        "consilience units FILE --method spans",
    ),
    Topic(
        ("precision", "recall", "precision recall", "confusion with gold", "information retrieval"),
        "precision, recall and F of systems against people",
        "panel.compare(ratings, systems=[...])",
        "consilience panel FILE --system NAME",
    ),
    Topic(
        (
            *("windowdiff", "pk", "segmentation", "boundary similarity", "segment boundaries"),
            *("hearst", "discourse segmentation", "texttiling", "marcu"),
        ),
        "where segments begin and end: boundary similarity, Pk, WindowDiff",
        "units.segmentation(units), units.window_diff(...)",
        "consilience units FILE --method boundaries",
    ),
    Topic(
        ("adjudication", "curation", "contested items", "disagreements", "reconciliation"),
        "the items on which raters differ, ranked, and decided by a person",
        "latent.adjudication, io.write_sheet(...)",
        "consilience adjudicate FILE",
    ),
    Topic(
        (
            *("llm", "llm judge", "judge", "model as annotator", "machine annotator", "system"),
            *("system performance", "evaluation of systems", "human and computer"),
        ),
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
        (
            *("mcnemar", "bowker", "stuart maxwell", "stuart", "stuart test", "bhapkar"),
            *("cochran q", "marginal homogeneity", "zwick", "zwick test", "coder marginals"),
            *("unequal marginals", "marginals", "modified chi square", "equal marginals"),
            *("mackinnon", "marginal distribution", "category distribution"),
        ),
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
        (
            *("specific agreement", "positive agreement", "negative agreement", "per category"),
            *("p pos", "p neg", "agreement by category", "category specific agreement"),
        ),
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


# ---- Words as people spell them

_GREEK = dict(zip("αβγκπρτχωλσ", ("alpha", "beta", "gamma", "kappa", "pi", "rho", "tau", "chi",
                                  "omega", "lambda", "sigma"), strict=True))  # fmt: skip
_UNLIKE_PLURALS = {
    "analyses": "analysis", "hypotheses": "hypothesis", "criteria": "criterion", "biases": "bias",
    "matrices": "matrix", "indices": "index", "indexes": "index", "data": "datum",
    "formulae": "formula", "classes": "class", "axes": "axis", "guesses": "guess",
    "unlinked": "unlinked", "judgements": "judgment", "judgement": "judgment",
}  # fmt: skip
_SPELLINGS = (
    (re.compile(r"is(ation|ed|ing|e|er)$"), r"iz\1"),
    (re.compile(r"our$"), "or"),
    (re.compile(r"ell(ed|ing)$"), r"el\1"),
    (re.compile(r"(?<=[^aeiou])re$"), "er"),
)
_SAME = {"coder": "rater", "annotator": "rater", "marker": "rater",
         "interrater": "inter rater", "intercoder": "inter rater", "interannotator": "inter rater",
         "interobserver": "inter rater", "intraobserver": "intra rater",
         "intrarater": "intra rater", "intracoder": "intra rater", "luecking": "lucking",
         "krippendorf": "krippendorff", "vs": "versus", "squared": "square"}  # fmt: skip
_PASSED_OVER = {
    *("a", "an", "the", "of", "for", "and", "et", "al", "in", "on", "to", "by", "with", "between"),
    *("from", "paper", "coefficient", "statistic", "statistics", "how", "do", "i", "is", "what"),
}
_YEAR = re.compile(r"(19|20)\d\d[a-z]?")


def words_in(name: object) -> tuple[str, ...]:
    """Return the words of a name, each in one spelling: no plural, British or Greek letters.

    >>> words_in("Cohen's κ (1960)"), words_in("Modelling of the Annotators' Biases")
    (('cohen', 'kappa'), ('modeling', 'rater', 'bia'))
    >>> words_in("inter-coder agreement") == words_in("interannotator agreements")
    True
    """
    plain = "".join(_GREEK.get(sign, sign) for sign in str(name).casefold())
    plain = unicodedata.normalize("NFKD", plain.replace("ß", "ss"))
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    told = folded(plain).split("_")
    kept = [word for word in told if word not in _PASSED_OVER and not _YEAR.fullmatch(word)]
    spelt = " ".join(_spelt(word) for word in (kept or told))
    if len(kept) > 1:  # alone, it is the name of a program
        spelt = spelt.replace("observer", "rater")
    return tuple(spelt.split())


def _spelt(word: str) -> str:
    word = _singular(_UNLIKE_PLURALS.get(word, word))
    for pattern, usual in _SPELLINGS:
        word = pattern.sub(usual, word)
    return _SAME.get(word, word)


def _singular(word: str) -> str:
    if len(word) <= _SHORT or word.endswith("ss"):
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    if word.endswith(("xes", "sses", "ches")):
        return word[:-2]
    return word[:-1] if word.endswith("s") else word
