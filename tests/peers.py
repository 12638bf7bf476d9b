"""What other programs are called with, what they say, and the same call here.

``make peers`` runs the Python programs among them in environments of their own and records their
numbers in ``tests/references/peers``; ``tests/contract/test_golden_peers.py`` runs ours, and
``docs/howto/coming-from.md`` shows both. No line of any of these programs is used here.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "tests" / "references" / "peers"
EXACT = 1e-9

# The data that both calls see, as plain Python.
DATA = """
words = (
    ["yes", "no", "yes", "yes", "no", "no", "yes", "no", "yes", "maybe"],
    ["yes", "no", "no", "yes", "no", "yes", "yes", "no", "maybe", "maybe"],
)
steps = ([1, 2, 3, 4, 5, 2, 3, 4, 1, 5], [1, 3, 3, 4, 4, 2, 2, 5, 2, 5])
sizes = (
    ["low", "mid", "high", "low", "mid", "high", "low", "mid"],
    ["low", "high", "high", "mid", "mid", "high", "low", "low"],
)
table = [[20, 5, 1], [3, 30, 6], [2, 4, 29]]
counts = [[0, 0, 14], [2, 6, 6], [0, 3, 11], [10, 4, 0], [2, 2, 10], [7, 7, 0]]
marks = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
coders = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
sets = [
    ("ann", 1, frozenset("ab")),
    ("bob", 1, frozenset("a")),
    ("ann", 2, frozenset("b")),
    ("bob", 2, frozenset("b")),
    ("ann", 3, frozenset("bc")),
    ("bob", 3, frozenset("c")),
]
draw = __import__("random").Random(7)
noise = [[draw.randint(1, 5) for _ in range(3)] for _ in range(200)]
cuts = ([2, 3, 6], [2, 2, 7])
readers = {
    "1": [2, 3, 3, 1, 3, 6, 3],
    "2": [2, 8, 2, 4, 2, 3],
    "3": [2, 1, 2, 3, 1, 3, 1, 3, 2, 2, 1],
}
spans = [
    ("ann", "verb", 0, 6),
    ("ann", "noun", 8, 12),
    ("ann", "verb", 15, 19),
    ("bob", "verb", 1, 6),
    ("bob", "noun", 8, 13),
    ("bob", "noun", 15, 20),
]
"""
NLTK_TRIPLES = "[(c, i, v) for c, row in zip('ab', words) for i, v in enumerate(row)]"


@dataclass(frozen=True)
class Peer:
    """A program that people come from."""

    name: str
    package: str
    home: str
    setup: str


@dataclass(frozen=True)
class Call:
    """A call of theirs, ours beside it, and the defect that makes them differ."""

    theirs: str
    ours: str
    what: str
    differs: str = ""
    tolerance: float = EXACT


PEERS = {
    "scikit-learn": Peer(
        "scikit-learn", "scikit-learn", "peers",
        "from sklearn.metrics import accuracy_score, cohen_kappa_score",
    ),
    "statsmodels": Peer(
        "statsmodels", "statsmodels", "peers",
        "import numpy as np\nfrom statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa\n"
        "from statsmodels.stats.contingency_tables import SquareTable",
    ),
    "pingouin": Peer(
        "pingouin", "pingouin", "peers",
        "import pandas as pd, pingouin as pg\n"
        "long = pd.DataFrame(marks).melt(ignore_index=False).reset_index()\n"
        "found = pg.intraclass_corr(long, targets='index', raters='variable', ratings='value')\n"
        "found = found.set_index('Type')",
    ),
    "krippendorff": Peer(
        "krippendorff", "krippendorff", "peers",
        "import krippendorff, numpy as np\n"
        "units = np.array([[np.nan if x is None else x for x in row] for row in coders])",
    ),
    "nltk": Peer(
        "NLTK", "nltk", "peers",
        "from nltk.metrics import masi_distance\n"
        "from nltk.metrics.agreement import AnnotationTask\n"
        f"task = AnnotationTask(data={NLTK_TRIPLES})\n"
        "noisy = [(c, i, v) for i, row in enumerate(noise) for c, v in enumerate(row)]",
    ),
    "irrcac-python": Peer(
        "irrCAC (Python)", "irrCAC", "irrcac",
        "import pandas as pd\nfrom irrCAC.raw import CAC\n"
        "frame = pd.DataFrame({k: row for k, row in enumerate(coders)})\n"
        "def found(cac, method, what='coefficient_value'):\n"
        "    return getattr(cac, method)()['est'][what]\n",
    ),
    "segeval": Peer(
        "segeval", "segeval", "peers",
        "import segeval\nreaders = {'text': {k: tuple(v) for k, v in readers.items()}}\n"
        "dataset = segeval.Dataset(readers)",
    ),
    "pygamma": Peer(
        "pygamma-agreement", "pygamma-agreement", "pygamma",
        "from pygamma_agreement import CombinedCategoricalDissimilarity, Continuum\n"
        "from pyannote.core import Segment\n"
        "continuum = Continuum()\n"
        "for who, label, start, end in spans:\n"
        "    continuum.add(who, Segment(start, end), label)\n"
        "dissimilarity = CombinedCategoricalDissimilarity(alpha=3, beta=1)",
    ),
}  # fmt: skip
_WORDS = "cs.Ratings.from_wide(list(zip(*words)))"
_UNITS = "cs.Ratings.from_wide(list(zip(*coders)))"
_COUNTS = "cs.Ratings.from_counts(counts)"
_TABLE = "cs.Ratings.from_table(table)"
_SIZES = 'cs.Ratings.from_wide(list(zip(*sizes)), categories=["low", "mid", "high"])'
_SPANS = "cs.Units.from_records(spans)"
CALLS: dict[str, tuple[Call, ...]] = {
    "scikit-learn": (
        Call("cohen_kappa_score(*words)", "cs.cohen_kappa(*words).value", "Cohen's kappa"),
        Call('cohen_kappa_score(*steps, weights="linear")',
             'cs.cohen_kappa(*steps, distance="linear").value', "weighted kappa, linear"),
        Call('cohen_kappa_score(*steps, weights="quadratic")',
             'cs.cohen_kappa(*steps, distance="quadratic").value', "weighted kappa, quadratic"),
        Call("accuracy_score(*words)", "cs.percent_agreement(*words).value", "raw agreement"),
        Call('cohen_kappa_score(*sizes, weights="linear")',
             f'cs.cohen_kappa({_SIZES}, distance="linear").value',
             "ordered words", differs="irrcac-6"),
    ),
    "statsmodels": (
        Call("cohens_kappa(table).kappa", f"cs.cohen_kappa({_TABLE}).value", "Cohen's kappa"),
        Call("cohens_kappa(table).std_kappa",
             f'cs.cohen_kappa({_TABLE}, standard_error="fleiss-cohen-everitt").standard_error',
             "its standard error"),
        Call('cohens_kappa(table, wt="linear").kappa',
             f'cs.cohen_kappa({_TABLE}, distance="linear").value', "weighted kappa, linear"),
        Call("fleiss_kappa(np.array(counts))", f"cs.fleiss_kappa({_COUNTS}).value",
             "Fleiss' kappa"),
        Call('fleiss_kappa(np.array(counts), method="randolph")', f"cs.bennett_s({_COUNTS}).value",
             "Randolph's kappa"),
        Call("SquareTable(np.array(table), shift_zeros=False).symmetry().pvalue",
             f"cs.bowker({_TABLE}).p_value", "Bowker's test"),
        Call('SquareTable(np.array(table), shift_zeros=False).homogeneity(method="stuart_maxwell")'
             ".pvalue", f"cs.stuart_maxwell({_TABLE}).p_value", "Stuart-Maxwell test"),
    ),
    "pingouin": tuple(
        Call(f'found.loc["{theirs}", "ICC"]',
             f'cs.icc(cs.Ratings.from_wide(marks, scale="interval"), model="{ours}").value', what)
        for theirs, ours, what in (
            ("ICC(1,1)", "1", "one-way, single marks"),
            ("ICC(A,1)", "A,1", "agreement, single marks"),
            ("ICC(C,1)", "C,1", "consistency, single marks"),
            ("ICC(1,k)", "k", "one-way, means"),
            ("ICC(A,k)", "A,k", "agreement, means"),
            ("ICC(C,k)", "C,k", "consistency, means"),
        )
    ),
    "krippendorff": tuple(
        Call(f'krippendorff.alpha(units, level_of_measurement="{level}")',
             f'cs.krippendorff_alpha({_UNITS}, distance="{level}").value', f"alpha, {level}")
        for level in ("nominal", "ordinal", "interval", "ratio")
    ),
    "nltk": (
        Call("task.kappa()", "cs.cohen_kappa(*words).value", "Cohen's kappa"),
        Call("task.pi()", "cs.scott_pi(*words).value", "Scott's pi"),
        Call("task.S()", "cs.bennett_s(*words).value", "Bennett's S"),
        Call("task.alpha()", "cs.krippendorff_alpha(*words).value", "Krippendorff's alpha"),
        Call("task.avg_Ao()", "cs.percent_agreement(*words).value", "raw agreement"),
        Call("AnnotationTask(data=sets, distance=masi_distance).alpha()",
             'cs.krippendorff_alpha(cs.Ratings.from_long({"coder": [s[0] for s in sets], '
             '"item": [s[1] for s in sets], "label": [s[2] for s in sets]}, rater="coder"), '
             'distance="masi").value', "alpha of sets, MASI"),
        Call("AnnotationTask(data=noisy, distance=lambda a, b: (a - b) ** 2 / 16).pi()",
             'cs.scott_pi(cs.Ratings.from_wide(noise), distance="interval").value',
             "pi of noise, squared distance", differs="nltk-1"),
    ),
    "irrcac-python": (
        Call('found(CAC(frame), "gwet")', f"cs.gwet_ac({_UNITS}).value", "Gwet's AC1", "", 1e-5),
        Call('found(CAC(frame), "fleiss")', f"cs.fleiss_kappa({_UNITS}).value", "Fleiss' kappa", "",
             1e-5),
        Call('found(CAC(frame), "conger")', f"cs.conger_kappa({_UNITS}).value", "Conger's kappa",
             "", 1e-5),
        Call('found(CAC(frame), "krippendorff")', f"cs.krippendorff_alpha({_UNITS}).value",
             "Krippendorff's alpha", "", 1e-5),
        Call('found(CAC(frame), "bp")', f"cs.bennett_s({_UNITS}).value", "Brennan-Prediger", "",
             1e-5),
        Call('found(CAC(frame, weights="quadratic"), "gwet")',
             f'cs.gwet_ac({_UNITS}, distance="quadratic").value', "AC2, quadratic", "", 1e-5),
        Call('found(CAC(frame), "fleiss", "se")',
             f'cs.fleiss_kappa({_UNITS}, standard_error="gwet").standard_error',
             "error of Fleiss' kappa", "", 1e-5),
    ),
    "segeval": (
        Call("float(segeval.boundary_similarity(*cuts))",
             "cs.units.boundary_similarity(*cuts).value", "boundary similarity B"),
        Call("float(segeval.segmentation_similarity(*cuts))",
             "cs.units.boundary_similarity(*cuts).s", "segmentation similarity S"),
        Call("float(segeval.pk(*cuts))", "cs.units.pk(cuts[1], cuts[0]).value", "Pk"),
        Call("float(segeval.window_diff(*cuts))", "cs.units.window_diff(cuts[1], cuts[0]).value",
             "WindowDiff"),
        Call("float(segeval.fleiss_pi_linear(dataset))",
             "cs.units.segmentation(cs.Units.from_masses(readers)).pi", "pi* over B"),
        Call("float(segeval.actual_agreement_linear(dataset))",
             "cs.units.segmentation(cs.Units.from_masses(readers)).observed", "observed, over B"),
    ),
    "pygamma": (
        Call("float(continuum.get_best_alignment(dissimilarity).disorder)",
             f"cs.units.best_alignment({_SPANS}).disorder.sum() / 3", "disorder by unit", "", 1e-6),
    ),
}  # fmt: skip
# Programs that do not run here: what the records say, or what is known of them without a number.
RECORDED: dict[str, tuple[tuple[str, str, str, str], ...]] = {
    "irr (R)": (
        ("kappa2(ratings)", "cs.cohen_kappa("
         'cs.datasets.load("landis_koch_1977_pathologists"), distance="nominal").value',
         "irr.json", "sw-cohen_kappa-pathologists-identity-3"),
        ('kappa2(ratings, "squared")', "cs.cohen_kappa("
         'cs.datasets.load("landis_koch_1977_pathologists"), distance="quadratic").value',
         "irr.json", "sw-cohen_kappa-pathologists-quadratic-3"),
        ('kripp.alpha(ratings, "nominal")',
         'cs.krippendorff_alpha(cs.datasets.load("krippendorff_2011"), distance="nominal").value',
         "irr.json", "sw-krippendorff_alpha-kripp_4x12-nominal"),
        ('kripp.alpha(ratings, "ordinal")',
         'cs.krippendorff_alpha(cs.datasets.load("krippendorff_2011"), distance="ordinal").value',
         "irr.json", "sw-krippendorff_alpha-kripp_4x12-ordinal"),
        ('icc(ratings, "twoway", "agreement", "single")',
         'cs.icc(cs.datasets.load("shrout_fleiss_1979"), model="A,1").value',
         "magnitudes/irr.json", "sw-icc-shrout_fleiss-ICC(A,1)"),
        ('icc(ratings, "twoway", "consistency", "single")',
         'cs.icc(cs.datasets.load("shrout_fleiss_1979"), model="C,1").value',
         "magnitudes/irr.json", "sw-icc-shrout_fleiss-ICC(C,1)"),
        ("kendall(ratings, TRUE)",
         'cs.magnitudes.kendall_w(cs.datasets.load("shrout_fleiss_1979")).value',
         "magnitudes/irr.json", "sw-kendall_w-shrout_fleiss"),
        ("meanrho(ratings, fisher = TRUE)",
         'cs.magnitudes.mean_spearman(cs.datasets.load("shrout_fleiss_1979")).value',
         "magnitudes/irr.json", "sw-mean_spearman-shrout_fleiss"),
        ("bhapkar(ratings)$statistic", 'cs.bhapkar(cs.datasets.load("fleiss_1981")).statistic',
         "inference/irr.json", "sw-bhapkar-fleiss1981"),
    ),
    "irrCAC (R)": (
        ("pa.coeff.raw(ratings)",
         'cs.percent_agreement(cs.datasets.load("krippendorff_2011_binary")).value',
         "irrcac_raw.json", "sw-percent_agreement-kripp_binary-identity"),
        ("gwet.ac1.raw(ratings)", 'cs.gwet_ac(cs.datasets.load("krippendorff_2011_binary")).value',
         "irrcac_raw.json", "sw-gwet_ac-kripp_binary-identity"),
        ("fleiss.kappa.raw(ratings)",
         'cs.fleiss_kappa(cs.datasets.load("krippendorff_2011_binary")).value',
         "irrcac_raw.json", "sw-fleiss_kappa-kripp_binary-identity"),
        ("krippen.alpha.raw(ratings)",
         'cs.krippendorff_alpha(cs.datasets.load("krippendorff_2011_binary")).value',
         "irrcac_raw.json", "sw-krippendorff_alpha-kripp_binary-identity"),
        ("bp.coeff.raw(ratings)",
         'cs.bennett_s(cs.datasets.load("krippendorff_2011_binary")).value',
         "irrcac_raw.json", "sw-brennan_prediger-kripp_binary-identity"),
    ),
}  # fmt: skip


def namespace() -> dict[str, Any]:
    """Return the data that both calls see."""
    found: dict[str, Any] = {}
    exec(DATA, found)
    found.pop("__builtins__")
    found.pop("draw")
    return found


# What runs in the peer's environment: it reads the job and prints numbers.
_WORKER = """
import json, sys, warnings
warnings.simplefilter("ignore")
from importlib.metadata import metadata
job = json.load(sys.stdin)
names = {}
exec(job["data"], names)
exec(job["setup"], names)
values = [float(eval(call, names)) for call in job["calls"]]
about = metadata(job["package"])
licence = about.get("License-Expression") or next(
    (c.split(" :: ")[-1] for c in about.get_all("Classifier") or () if c.startswith("License")),
    "see the package")
print(json.dumps({"values": values, "version": about["Version"], "license": licence}))
"""


def record(name: str, python: str) -> dict[str, Any]:
    """Run a program's calls and return its file of records."""
    peer, calls = PEERS[name], CALLS[name]
    job = {
        "data": DATA,
        "setup": peer.setup,
        "calls": [call.theirs for call in calls],
        "package": peer.package,
    }
    command = [python, "-c", _WORKER]
    done = subprocess.run(
        command, input=json.dumps(job), stdout=subprocess.PIPE, text=True, check=True
    )
    said = json.loads(done.stdout.splitlines()[-1])
    return {
        "source": {
            "tool": f"Python {peer.package}",
            "version": said["version"],
            "license": said["license"],
            "command": "each record has its own",
            "date": "2026-11",
        },
        "precision": "double precision; tolerance of each record",
        "why": f"What somebody who comes from {peer.name} calls, and what it says.",
        "data": {},
        "expect": [
            {
                "id": f"peer-{name}-{number + 1}",
                "coefficient": call.what,
                "params": {"theirs": call.theirs, "ours": call.ours, "differs": call.differs},
                "expected": {"value": value},
                "tolerance": {"abs": call.tolerance},
                "source": f"Python {peer.package} {said['version']}",
            }
            for number, (call, value) in enumerate(zip(calls, said["values"], strict=True))
        ],
    }


def main() -> None:
    """Record what the programs say; ``--only`` names one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", required=True)
    parser.add_argument("--only", choices=sorted(PEERS))
    wishes = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    from benchmarks._environment import python_of

    FOLDER.mkdir(exist_ok=True)
    for name in [wishes.only] if wishes.only else PEERS:
        content = record(name, python_of(PEERS[name].home))
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        (FOLDER / f"{name}.json").write_text(text, encoding="utf-8")
        print(f"{name} {content['source']['version']}: {len(content['expect'])} records")


if __name__ == "__main__":
    main()
