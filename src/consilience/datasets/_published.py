"""Published tables by name, typed in from papers; their ratings are built when they are
asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from consilience.core.registry import Registry

if TYPE_CHECKING:
    from consilience.ratings import Ratings

# ---- Find a published data set by name and build its ratings when they are asked for.


Layout = Literal["table", "counts", "wide"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A published table: what it is, where it was printed, what it shows.

    Attributes
    ----------
    name : str
        The word that `load` takes.
    title : str
        What was rated, by whom.
    source : str
        The publication the numbers were typed in from.
    shows : str
        What the authors, or later ones, demonstrate with it.
    scale : str
        Nominal, ordinal, interval or ratio.
    layout : str
        ``table`` (two raters, rows are the first rater), ``counts`` (items by categories) or
        ``wide`` (items by raters).
    cells : sequence of sequences
        The printed numbers or labels; ``None`` is a missing rating.
    """

    name: str
    title: str
    source: str
    shows: str
    layout: Layout
    cells: Sequence[Sequence[Any]] = field(repr=False)
    scale: str = "nominal"
    categories: tuple[object, ...] | None = None
    raters: tuple[str, ...] | None = None
    items: tuple[str, ...] | None = None

    def __str__(self) -> str:
        return f"{self.name}: {self.title}\nShows: {self.shows}\nSource: {self.source}"

    def ratings(self) -> Ratings:
        """Build the ratings."""
        from consilience.ratings import Ratings

        if self.layout == "table":
            return Ratings.from_table(
                self.cells, categories=self.categories, raters=self.raters, scale=self.scale
            )
        if self.layout == "counts":
            return Ratings.from_counts(
                self.cells, categories=self.categories, items=self.items, scale=self.scale
            )
        return Ratings.from_wide(
            self.cells,
            raters=self.raters,
            items=self.items,
            scale=self.scale,
            categories=self.categories,
        )


DATASETS: Registry[Dataset] = Registry("name", group="datasets")


def names() -> tuple[str, ...]:
    """Name every data set, in alphabetical order.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> from consilience import datasets
    >>> "fleiss_1971" in datasets.names()
    True
    """
    return tuple(sorted(DATASETS))


def describe(name: str) -> Dataset:
    """Say what a data set is, where it was published and what it shows.

    Parameters
    ----------
    name : str
        One of `names`.

    Returns
    -------
    Dataset

    Raises
    ------
    InputError
        There is no data set of that name.

    Examples
    --------
    >>> from consilience import datasets
    >>> datasets.describe("cohen_1960").layout
    'table'
    """
    return DATASETS[name]


def load(name: str) -> Ratings:
    """Load a published data set.

    Parameters
    ----------
    name : str
        One of `names`.

    Returns
    -------
    Ratings

    Raises
    ------
    InputError
        There is no data set of that name.

    Examples
    --------
    >>> from consilience import datasets
    >>> datasets.load("fleiss_1971").n_items
    30
    """
    return describe(name).ratings()


# ---- The published tables themselves: numbers printed in papers, nothing computed.


_COHEN_1960 = (
    "Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and "
    "Psychological Measurement, 20, 37-46. doi:10.1177/001316446002000104"
)
_LANDIS_KOCH_1977 = (
    "Landis, J. R., & Koch, G. G. (1977). The measurement of observer agreement for categorical "
    "data. Biometrics, 33(1), 159-174. doi:10.2307/2529310"
)
_FLEISS_1971 = (
    "Fleiss, J. L. (1971). Measuring nominal scale agreement among many raters. Psychological "
    "Bulletin, 76(5), 378-382. doi:10.1037/h0031619"
)
_FLEISS_1981 = (
    "Fleiss, J. L. (1981). Statistical Methods for Rates and Proportions (2nd ed.), chapter 13. "
    "Wiley"
)
_SHROUT_FLEISS_1979 = (
    "Shrout, P. E., & Fleiss, J. L. (1979). Intraclass correlations: uses in assessing rater "
    "reliability. Psychological Bulletin, 86(2), 420-428. doi:10.1037/0033-2909.86.2.420"
)
_ARTSTEIN_POESIO_2005 = (
    "Artstein, R., & Poesio, M. (2005). Kappa3 = Alpha (or Beta). NLE Technical Note 05-1, "
    "University of Essex"
)
_ZWICK_1988 = (
    "Zwick, R. (1988). Another look at interrater agreement. Psychological Bulletin, 103(3), "
    "374-378. doi:10.1037/0033-2909.103.3.374; printed with dialogue-act labels in Artstein & "
    "Poesio (2005), Table 4"
)
_DI_EUGENIO_GLASS_2004 = (
    "Di Eugenio, B., & Glass, M. (2004). The kappa statistic: a second look. Computational "
    "Linguistics, 30(1), 95-101. doi:10.1162/089120104773633402"
)
_SIGIL = "Evert, S., & Baroni, M. Statistics for Linguists with R: a SIGIL course. Unit 9"
_HALEY_2008 = (
    "Haley, D. T., Thomas, P., Petre, M., & De Roeck, A. (2008). Using a New Inter-rater "
    "Reliability Statistic. The Open University, Department of Computing"
)
_KRIPPENDORFF_2011 = (
    "Krippendorff, K. (2011). Computing Krippendorff's Alpha-Reliability. University of "
    "Pennsylvania, Annenberg School for Communication"
)
_VAN_OEST_2019 = (
    "van Oest, R. (2019). A new coefficient of interrater agreement: the challenge of highly "
    "unequal category proportions. Psychological Methods, 24(4), 439-451. doi:10.1037/met0000183"
)
_HOLLE_REIN_2015 = (
    "Holle, H., & Rein, R. (2015). EasyDIAg: a tool for easy determination of interrater "
    "agreement. Behavior Research Methods, 47, 837-847. doi:10.3758/s13428-014-0506-7"
)
_DIALOGUE_ACTS = ("Statement", "Info-Request", "Check")
_FORWARD_FUNCTIONS = ("Statement", "Info-Request", "IAFA", "CSFA")
_MS_DIAGNOSES = ("certain", "probable", "possible", "doubtful")

PUBLISHED: tuple[Dataset, ...] = (
    Dataset(
        name="fleiss_1971",
        title="Psychiatric diagnoses of 30 patients, six diagnoses per patient",
        source=_FLEISS_1971,
        shows="Fleiss' kappa .430. The six psychiatrists differ from patient to patient, so only "
        "the number of diagnoses of each kind is known, not who made them.",
        layout="counts",
        categories=(
            "depression",
            "personality disorder",
            "schizophrenia",
            "neurosis",
            "other",
        ),
        cells=(
            (0, 0, 0, 6, 0),
            (0, 3, 0, 0, 3),
            (0, 1, 4, 0, 1),
            (0, 0, 0, 0, 6),
            (0, 3, 0, 3, 0),
            (2, 0, 4, 0, 0),
            (0, 0, 4, 0, 2),
            (2, 0, 3, 1, 0),
            (2, 0, 0, 4, 0),
            (0, 0, 0, 0, 6),
            (1, 0, 0, 5, 0),
            (1, 1, 0, 4, 0),
            (0, 3, 3, 0, 0),
            (1, 0, 0, 5, 0),
            (0, 2, 0, 3, 1),
            (0, 0, 5, 0, 1),
            (3, 0, 0, 1, 2),
            (5, 1, 0, 0, 0),
            (0, 2, 0, 4, 0),
            (1, 0, 2, 0, 3),
            (0, 0, 0, 0, 6),
            (0, 1, 0, 5, 0),
            (0, 2, 0, 1, 3),
            (2, 0, 0, 4, 0),
            (1, 0, 0, 4, 1),
            (0, 5, 0, 1, 0),
            (4, 0, 0, 0, 2),
            (0, 2, 0, 4, 0),
            (1, 0, 5, 0, 0),
            (0, 0, 0, 0, 6),
        ),
    ),
    Dataset(
        name="fleiss_1981",
        title="Diagnoses of 100 patients by two raters: psychotic, neurotic, organic",
        source=_FLEISS_1981,
        shows="Cohen's kappa and its large-sample standard errors.",
        layout="table",
        categories=("psychotic", "neurotic", "organic"),
        cells=((75, 1, 4), (5, 4, 1), (0, 0, 10)),
    ),
    Dataset(
        name="cohen_1960",
        title="200 subjects classified by two judges into three categories",
        source=_COHEN_1960 + "; with weights in Cohen (1968), doi:10.1037/h0026256",
        shows="Cohen's kappa .492; with disagreement weights 1, 3 and 6 it is .348.",
        layout="table",
        categories=(1, 2, 3),
        cells=((88, 14, 18), (10, 40, 10), (2, 6, 12)),
    ),
    Dataset(
        name="landis_koch_1977_pathologists",
        title="Carcinoma of the uterine cervix, 118 slides, two of seven pathologists, four grades",
        source=_LANDIS_KOCH_1977 + "; 4 x 4 table as printed by Agresti, A. (1990), Categorical "
        "Data Analysis, Wiley",
        shows="Raters who rank the slides alike but place the cut points differently.",
        layout="table",
        scale="ordinal",
        categories=(1, 2, 3, 4),
        cells=((22, 2, 2, 0), (5, 7, 14, 0), (0, 2, 36, 0), (0, 1, 17, 10)),
    ),
    Dataset(
        name="landis_koch_1977_winnipeg",
        title="Multiple sclerosis, 149 Winnipeg patients, neurologists of New Orleans and Winnipeg",
        source=_LANDIS_KOCH_1977,
        shows="Ordered diagnoses with unequal margins.",
        layout="table",
        scale="ordinal",
        categories=_MS_DIAGNOSES,
        cells=((38, 5, 0, 1), (33, 11, 3, 0), (10, 14, 5, 6), (3, 7, 3, 10)),
    ),
    Dataset(
        name="landis_koch_1977_new_orleans",
        title="Multiple sclerosis, 69 New Orleans patients, the same two neurologists",
        source=_LANDIS_KOCH_1977,
        shows="The second group to compare with landis_koch_1977_winnipeg.",
        layout="table",
        scale="ordinal",
        categories=_MS_DIAGNOSES,
        cells=((5, 3, 0, 0), (3, 11, 4, 0), (2, 13, 3, 4), (1, 2, 4, 14)),
    ),
    Dataset(
        name="shrout_fleiss_1979",
        title="Six targets rated by four judges on a ten-point scale",
        source=_SHROUT_FLEISS_1979 + ", Table 2",
        shows="Judges who differ in level: interval alpha .147, far below the correlations.",
        layout="wide",
        scale="interval",
        raters=("judge 1", "judge 2", "judge 3", "judge 4"),
        cells=(
            (9, 2, 5, 8),
            (6, 1, 3, 2),
            (8, 4, 6, 8),
            (7, 1, 2, 6),
            (10, 5, 6, 9),
            (6, 2, 4, 7),
        ),
    ),
    Dataset(
        name="krippendorff_2011",
        title="Twelve units, four observers, five values, with missing ratings",
        source=_KRIPPENDORFF_2011 + ", example C",
        shows="Alpha for nominal .743, ordinal .815, interval .849 and ratio .797 data; unit 12 "
        "has one value only and drops out.",
        layout="wide",
        categories=(1, 2, 3, 4, 5),
        raters=("A", "B", "C", "D"),
        cells=(
            (1, 1, None, 1),
            (2, 2, 3, 2),
            (3, 3, 3, 3),
            (3, 3, 3, 3),
            (2, 2, 2, 2),
            (1, 2, 3, 4),
            (4, 4, 4, 4),
            (1, 1, 2, 1),
            (2, 2, 2, 2),
            (None, 5, 5, 5),
            (None, None, 1, 1),
            (None, 3, None, None),
        ),
    ),
    Dataset(
        name="krippendorff_2011_binary",
        title="Ten units, two observers, yes or no",
        source=_KRIPPENDORFF_2011 + ", example A",
        shows="Agreement on 60% of the units is alpha .095.",
        layout="wide",
        categories=(0, 1),
        raters=("Meg", "Owen"),
        cells=(
            (0, 1),
            (1, 1),
            (0, 1),
            (0, 0),
            (0, 0),
            (0, 1),
            (0, 0),
            (0, 0),
            (1, 0),
            (0, 0),
        ),
    ),
    Dataset(
        name="krippendorff_2011_nominal",
        title="Twelve units, two observers, five nominal values",
        source=_KRIPPENDORFF_2011 + ", example B",
        shows="Nominal alpha .692.",
        layout="wide",
        categories=("a", "b", "c", "d", "e"),
        raters=("Ben", "Gerry"),
        cells=(
            ("a", "b"),
            ("a", "a"),
            ("b", "b"),
            ("b", "b"),
            ("d", "b"),
            ("c", "c"),
            ("c", "c"),
            ("c", "c"),
            ("e", "e"),
            ("d", "d"),
            ("d", "d"),
            ("a", "d"),
        ),
    ),
    Dataset(
        name="artstein_poesio_2005_table1",
        title="Dialogue acts of 100 utterances, two coders, two categories",
        source=_ARTSTEIN_POESIO_2005 + ", Table 1",
        shows="S .4, pi .341, kappa .348 from one observed agreement of .7.",
        layout="table",
        categories=_DIALOGUE_ACTS[:2],
        raters=("B", "A"),
        cells=((20, 20), (10, 50)),
    ),
    Dataset(
        name="artstein_poesio_2005_table2",
        title="Dialogue acts, two coders, three categories, as counts of 200",
        source=_ARTSTEIN_POESIO_2005 + ", Table 2, adapted from Cohen (1960)",
        shows="Strong association without agreement. Printed as proportions; the printed "
        "chi-square 64.59 belongs to 200 utterances.",
        layout="table",
        categories=_DIALOGUE_ACTS,
        raters=("B", "A"),
        cells=((50, 26, 24), (24, 4, 32), (6, 30, 4)),
    ),
    Dataset(
        name="artstein_poesio_2005_table3_experiment1",
        title="Marks of five items by coders A and B",
        source=_ARTSTEIN_POESIO_2005 + ", Table 3, adapted from Bartko & Carpenter (1976)",
        shows="Full agreement and a correlation of 1.",
        layout="wide",
        scale="interval",
        raters=("A", "B"),
        items=("a", "b", "c", "d", "e"),
        cells=((1, 1), (2, 2), (3, 3), (4, 4), (5, 5)),
    ),
    Dataset(
        name="artstein_poesio_2005_table3_experiment2",
        title="Marks of five items by coders C and D",
        source=_ARTSTEIN_POESIO_2005 + ", Table 3, adapted from Bartko & Carpenter (1976)",
        shows="A correlation of 1 although no mark is the same.",
        layout="wide",
        scale="interval",
        raters=("C", "D"),
        items=("a", "b", "c", "d", "e"),
        cells=((1, 2), (2, 4), (3, 6), (4, 8), (5, 10)),
    ),
    Dataset(
        name="artstein_poesio_2005_table6",
        title="Dialogue acts of 100 utterances, two coders, three categories",
        source=_ARTSTEIN_POESIO_2005 + ", Table 6",
        shows="S .82, pi .7995, kappa .8013; with a Check half as far from both other categories "
        "alpha prime .8146, alpha .8156, beta .8163.",
        layout="table",
        categories=_DIALOGUE_ACTS,
        raters=("B", "A"),
        cells=((46, 6, 0), (0, 32, 0), (0, 6, 10)),
    ),
    Dataset(
        name="zwick_1988_case1",
        title="100 utterances, two coders, four categories, uniform margins",
        source=_ZWICK_1988,
        shows="Uniform margins: S = pi = kappa = .467.",
        layout="table",
        categories=_FORWARD_FUNCTIONS,
        raters=("B", "A"),
        cells=((20, 0, 0, 5), (0, 10, 15, 0), (0, 15, 10, 0), (5, 0, 0, 20)),
    ),
    Dataset(
        name="zwick_1988_case2",
        title="100 utterances, two coders, four categories, equal margins",
        source=_ZWICK_1988,
        shows="Equal but uneven margins: S .467, pi = kappa = .444.",
        layout="table",
        categories=_FORWARD_FUNCTIONS,
        raters=("B", "A"),
        cells=((20, 10, 10, 0), (10, 10, 0, 0), (10, 0, 10, 0), (0, 0, 0, 20)),
    ),
    Dataset(
        name="zwick_1988_case3",
        title="100 utterances, two coders, four categories, unequal margins",
        source=_ZWICK_1988,
        shows="Unequal margins: S .467, pi .459, kappa .474. The coders who differ in their "
        "margins have the higher kappa.",
        layout="table",
        categories=_FORWARD_FUNCTIONS,
        raters=("B", "A"),
        cells=((20, 5, 5, 10), (0, 10, 5, 5), (0, 5, 10, 5), (0, 0, 0, 20)),
    ),
    Dataset(
        name="di_eugenio_glass_2004_balanced",
        title="100 items, two coders, two categories used alike",
        source=_DI_EUGENIO_GLASS_2004,
        shows="Agreement .9 with even categories: kappa .8.",
        layout="table",
        categories=(1, 2),
        cells=((45, 5), (5, 45)),
    ),
    Dataset(
        name="di_eugenio_glass_2004_skewed",
        title="100 items, two coders, one category used 95% of the time",
        source=_DI_EUGENIO_GLASS_2004,
        shows="The prevalence problem: agreement .9, yet kappa -.0526; AC1 is .8895.",
        layout="table",
        categories=(1, 2),
        cells=((90, 5), (5, 0)),
    ),
    Dataset(
        name="di_eugenio_glass_2004_bias",
        title="150 items, two coders who use the two categories differently",
        source=_DI_EUGENIO_GLASS_2004 + "; printed in Evert & Baroni, SIGIL unit 9, slide 25",
        shows="The bias problem: kappa .672 and pi .663 fall on two sides of .67, while the "
        "interval of kappa reaches from .562 to .783.",
        layout="table",
        categories=("yes", "no"),
        raters=("A", "B"),
        cells=((70, 25), (0, 55)),
    ),
    Dataset(
        name="sigil_sentences",
        title="Five sentences, two annotators: does it mention a container and its content?",
        source=_SIGIL + ", slide 6",
        shows="Observed agreement 60%.",
        layout="wide",
        categories=("yes", "no"),
        raters=("A", "B"),
        cells=(("yes", "yes"), ("no", "yes"), ("no", "no"), ("yes", "yes"), ("yes", "no")),
    ),
    Dataset(
        name="sigil_homework",
        title="70 sentences, two annotators, container-content relation: yes or no",
        source=_SIGIL + ", slides 7-21",
        shows="Observed agreement .686 is kappa .376.",
        layout="table",
        categories=("yes", "no"),
        raters=("A", "B"),
        cells=((24, 8), (14, 24)),
    ),
    Dataset(
        name="sigil_resample",
        title="A second sample of 150 items from the two coders of di_eugenio_glass_2004_bias",
        source=_SIGIL + ", slide 27",
        shows="Kappa is .659 here and .672 there: a statistic of a sample, not a constant.",
        layout="table",
        categories=("yes", "no"),
        raters=("A", "B"),
        cells=((67, 24), (2, 57)),
    ),
    Dataset(
        name="haley_2008_table_1_3",
        title="50 answers marked by two markers, 48 of them alike",
        source=_HALEY_2008 + ", Table 1-3",
        shows="96% identical marks, and every correlation about zero.",
        layout="table",
        scale="interval",
        categories=(2, 4),
        cells=((0, 1), (1, 48)),
    ),
    Dataset(
        name="holle_rein_2015_shift",
        title="1964 movement annotations, two raters: shift or anything else",
        source=_HOLLE_REIN_2015 + ", Table 2",
        shows="Agreement .97 is less impressive beside a chance agreement of .92.",
        layout="table",
        categories=("shift", "other"),
        cells=((52, 20), (43, 1849)),
    ),
    Dataset(
        name="van_oest_2019_case1",
        title="100 items, two raters who agree exactly as often as chance predicts",
        source=_VAN_OEST_2019,
        shows="van Oest's coefficient .034 where pi and kappa are 0.",
        layout="table",
        categories=(1, 2),
        cells=((81, 9), (9, 1)),
    ),
    Dataset(
        name="van_oest_2019_case2a",
        title="125 items, two raters, one category nearly always",
        source=_VAN_OEST_2019,
        shows="van Oest's coefficient .089 with few items.",
        layout="table",
        categories=(1, 2),
        cells=((118, 5), (2, 0)),
    ),
    Dataset(
        name="van_oest_2019_case2b",
        title="500 items, the proportions of van_oest_2019_case2a",
        source=_VAN_OEST_2019,
        shows="van Oest's coefficient falls to .004 as the same proportions come from more items.",
        layout="table",
        categories=(1, 2),
        cells=((472, 20), (8, 0)),
    ),
)

for _one in PUBLISHED:
    DATASETS.add(_one)
