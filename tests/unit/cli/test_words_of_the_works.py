"""The words of the five works lead to what they mean, in any spelling, and what is advised runs."""

from __future__ import annotations

import contextlib
import io
import shlex
import shutil
from pathlib import Path

import pytest

import consilience as cs
from consilience.cli.program import run
from consilience.cli.words import found_for
from consilience.core.glossary import TOPICS
from consilience.core.works import WORKS

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"

# A word, as the works or their readers write it, and a piece of the first command it leads to.
LEADS = {
    # Stegmann & Lücking
    "reliability": "designs", "validity": "designs FILE --gold", "stability": "--occasion",
    "test-retest": "--occasion", "test vs. retest": "--occasion", "intra-observer": "--occasion",
    "Reproducibility": "measure FILE", "inter-observer reliability": "measure FILE",
    "accuracy": "--gold", "gold standards": "--gold", "contingency tables": "--shape table",
    "golden formula": "measure FILE", "Scott's pi": "-c scott_pi", "Scott 1955": "-c scott_pi",
    "K_pi": "-c scott_pi", "Cohen's kappa": "-c cohen_kappa", "κ": "-c cohen_kappa",
    "AC1": "-c gwet_ac", "AC_1": "-c gwet_ac", "Gwet [2001]": "-c gwet_ac", "AC2": "-c gwet_ac",
    "kappa paradoxes": "plot prevalence", "trait prevalence": "plot prevalence",
    "Feinstein and Cicchetti 1990": "plot prevalence", "coefficient of uncertainty": "omega",
    "null hypotheses": "test FILE", "watermarks": "test FILE", "Monte Carlo": "test FILE",
    "critical values": "critical", "Rietveld & van Hout": "--words", "quality scales": "--words",
    "Krippendorff 1980": "-c krippendorff_alpha", "covariance": "covariance", "r": "pearson",
    "rho": "spearman", "τ": "kendall_tau", "Spearman's ρ": "spearman", "regression": "regression",
    "Bravais-Pearson": "pearson", "concordant pairs": "kendall_tau", "Sprent": "critical",
    "omega": "--model omega", "ω": "--model omega", "urns": "omega", "r²": "pearson",
    "weighted kappa": "-c cohen_kappa", "intra-observer variation": "--occasion",
    "product-moment correlation": "pearson", "chance-infected": "omega",
    # Haley et al.
    "simple metric": "percent_agreement", "SM": "percent_agreement", "t-test": "t_test",
    "Student's t": "t_test", "Wilcoxon signed ranks": "wilcoxon", "effect sizes": "effect_size",
    "Manhattan distance": "manhattan", "L1": "manhattan", "Euclidean Distance": "euclidean",
    "L2": "euclidean", "precision and recall": "panel", "recall": "panel", "tau_b": "kendall_tau",
    "tau-c": "tau_c", "negatively skewed": "marks FILE", "histogram": "histogram",
    "amount of training data": "sweep", "calibration": "sweep", "LSA": "sweep",
    "bias problem": "bias FILE", "prevalence problem": "prevalence",
    # SIGIL
    "IAA": "measure FILE", "inter-annotator agreement": "measure FILE", "ANOVA": "icc",
    "analysis of variance": "icc", "sampling variation": "simulate", "Landis & Koch": "--words",
    "Green 1997": "--words", "confidence intervals": "measure FILE", "consensus annotation":
    "--expert", "homogeneity intervals": "--expert", "Krenn et al. 2004": "--expert",
    "multiple annotators": "raters FILE", "systematic disagreement": "report", "slips": "report",
    "observed agreement": "percent_agreement", "Bennett et al. 1954": "bennett_s", "S": "bennett_s",
    "ground truth": "--gold", "Fleiss et al. 1969": "scott_pi", "Fleiss, Cohen & Everitt":
    "measure",
    # Artstein & Poesio
    "missing data": "--missing", "Missing judgements": "--missing", "agreement tables": "counts",
    "categorisation agreement": "units", "Donner & Eliasziw (1987)": "donner-eliasziw",
    "Zwick": "--all", "Stuart": "--all", "Stuart 1955": "--all", "EM algorithm": "dawid-skene",
    "goodness of fit": "lca", "K": "-c scott_pi", "Siegel and Castellan": "-c scott_pi",
    "multi-π": "-c scott_pi", "multi-kappa": "-c cohen_kappa", "α": "-c krippendorff_alpha",
    "β": "-c cohen_kappa", "alpha prime": "scott_pi", "chi-square": "chi2", "χ²": "chi2",
    "chi-squared": "chi2", "measures of association": "chi2", "coder marginals": "--all",
    "annotator bias": "bias", "Byrt": "bennett_s", "coefficient cube": "bias", "Passonneau":
    "passonneau", "Jaccard": "jaccard", "Dice": "dice", "anaphoric chains": "--chains", "MUC":
    "--chains", "discourse deixis": "sets", "summarisation": "sets", "word senses": "taxonomy",
    "term extraction": "--pieces spans", "Hearst 1997": "boundaries", "latent class analysis":
    "lca", "latent trait analysis": "latent-trait", "sensitivity": "lca", "Uebersax": "lca",
    "Aickin's alpha": "aickin", "linear distribution model": "linear_distribution_model",
    "constant predictive probability": "aickin", "Neuendorf": "--words", "Davies & Fleiss":
    "-c cohen_kappa", "Bartko and Carpenter": "pearson", "distance metrics": "--distance file",
    "percentage agreement": "percent_agreement", "RE": "bennett_s", "G": "bennett_s",
    "C": "bennett_s", "Brennan & Prediger": "bennett_s", "hard items": "aickin",
    # Holle & Rein
    "structural zeros": "--table", "iterative proportional fitting": "--table", "IPF": "--table",
    "Deming & Stephan": "--table", "nil": "units", "errors of omission": "units", "rater disparity":
    "--disparity", "overlap thresholds": "--thresholds", "linking problem": "haccou-meelis",
    "Haccou & Meelis (1994)": "haccou-meelis", "GSEQ": "gseq", "GSEQ-DP": "gseq",
    "timed-event sequential data": "units", "segmentation agreement": "units", "McNemar": "--all",
    "κmax": "-c kappa", "positive agreement": "--all", "Jansen": "jansen", "INTERACT": "interact",
    "raw agreement": "percent_agreement", "NEUROGES": "units", "ELAN": "units", "EasyDIAg": "units",
    # what is not here is said, with what comes near
    "Lee & Tu (1994)": "profile", "logistic regression": "latent-trait",
    "agreement with the majority": "raters FILE", "random dropping": "--missing",
    "generalised linear models": "latent-trait",
    # numbered parts
    "Stegmann Table 2.1": "designs", "Stegmann & Lücking (2005), table 2.2": "--shape table",
    "eq. 2.14": "kendall_tau", "equation (2.9)": "gwet_ac", "fig. 2.3": "plot chance",
    "Haley Table 1-3": "pearson", "table 1-4": "sweep", "Haley, equation 1-5": "euclidean",
    "SIGIL slide 37": "raters FILE", "page 39": "report", "p. 36": "--expert",
    "Artstein & Poesio Table 2": "chi2", "A&P table 5": "counts",
    "Artstein section 5.1": "--missing",
    "Poesio appendix A": "bias", "Holle & Rein Table 3": "--table", "Rein figure 5": "--thresholds",
    "Artstein note 10": "donner-eliasziw",
}  # fmt: skip


@pytest.mark.parametrize("word", LEADS)
def test_a_word_of_the_works_leads_home(word: str) -> None:
    hits = found_for(word)
    assert hits, word
    assert LEADS[word] in hits[0].command, (word, [hit.command for hit in hits[:3]])


@pytest.mark.parametrize("work", WORKS, ids=lambda work: work.title)
def test_every_numbered_part_of_a_work_leads_somewhere(work: object) -> None:
    for part, word in next(one for one in WORKS if one is work).numbered().items():
        (first, *_) = found_for(f"{work.names[0]} {part}")  # type: ignore[attr-defined]
        assert first.name.startswith(work.title), part  # type: ignore[attr-defined]
        assert word in found_for(word)[0].name or found_for(word), part


@pytest.mark.parametrize(
    "word", ["gold_standard", "structural_zero", "mcnemar_test", "gseq", "dice"]
)
def test_python_leads_where_find_leads(word: str) -> None:
    told = found_for(word)[0]
    with pytest.raises(AttributeError) as caught:
        getattr(cs, word)
    assert (told.library or told.command) in str(caught.value)


# ---- what is advised runs

# What a reader has: by what stands in the command, its file and the names to be put in.
_WORKS = EXAMPLES / "works"
HAVING = (
    ("--table", "works/holle_rein_2015_table_1.csv", ""),
    ("--method sets", "works/marked_words.csv", "--time-unit token --session column:document"),
    ("--method spans", "works/marked_words.csv", "--time-unit token --session column:document"),
    ("--method boundaries", "gestures.csv", "--time-unit ms"),
    ("units", "gestures.csv", "--time-unit ms"),
    ("--chains", "works/trains_links.csv", ""),
    ("taxonomy:TREE", "works/call_senses.csv", ""),
    ("file:WEIGHTS", "works/artstein_poesio_2005_table_6.csv", ""),
    ("--shares-of", "works/artstein_poesio_2005_table_2.csv", ""),
    ("--shape counts", "tweets_counts.csv", ""),
    ("--shape table", "works/artstein_poesio_2005_table_6.csv", ""),
    ("donner-eliasziw", "two_labels.csv", ""),
    ("--interval profile", "two_labels.csv", ""),
    ("sweep", "swept.csv", ""),
    ("--system", "labels.csv", ""),
    ("--occasion", "retest.csv", ""),
    ("--gold NAME", "labels.csv", ""),
    ("--expert NAME", "labels.csv", ""),
    ("chi2", "labels.csv", ""),
    ("--model lca", "works/marbles.csv", "--starts 2"),
    ("--model latent-trait", "essays_wide.csv", "--scale ordinal"),
    ("--model aickin", "works/artstein_poesio_2005_table_6.csv", ""),
    ("marks", "essays_two.csv", ""),
    ("plot chance", "reviewers_table.csv", "-o drawn.svg"),
    ("plot prevalence", "reviewers_table.csv", "-o drawn.svg"),
    ("judges", "verdicts_long.csv", ""),
    ("", "labels.csv", ""),
)
NAMES = {"--gold": "eve", "--expert": "eve", "--system": "eve", "--people": "tutor",
         "--setting": "amount", "--occasion": "round"}  # fmt: skip
OTHERS = {"TREE": "works/artstein_poesio_2005_senses.csv",
          "WEIGHTS": "works/artstein_poesio_2005_weights.csv"}  # fmt: skip


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tables of the works and those that their readers type."""
    folder = tmp_path_factory.mktemp("study")
    shutil.copytree(EXAMPLES, folder, dirs_exist_ok=True)
    (folder / "two_labels.csv").write_text("CODER B,STAT,IREQ\nSTAT,20,20\nIREQ,10,50\n")
    essays = (EXAMPLES / "essays_wide.csv").read_text().splitlines()
    two = "\n".join(line.rpartition(",")[0] for line in essays if ",," not in line)
    (folder / "essays_two.csv").write_text(two + "\n")
    rows = [
        f"m{k},{rater},{turn},{'ab'[(k * 7 + turn * (k % 5 == 0) + (rater == 'B')) % 3 > 0]}"
        for k in range(20) for rater in "AB" for turn in (1, 2)
    ]  # fmt: skip
    (folder / "retest.csv").write_text("\n".join(["move,rater,round,label", *rows]) + "\n")
    rows = [
        f"{amount},q{k},{who},{(k + (who == 'emma') * (k % (amount // 10) == 0)) % 5}"
        for amount in (20, 30) for k in range(12) for who in ("tutor", "emma")
    ]  # fmt: skip
    (folder / "swept.csv").write_text("\n".join(["amount,answer,marker,mark", *rows]) + "\n")
    return folder


def typed(command: str) -> list[str]:
    """Put names into a command as it is advised."""
    _, file, more = next(having for having in HAVING if having[0] in command)
    words = shlex.split(command)[1:]
    for place, word in enumerate(words):
        if word in ("FILE", "TABLE"):
            words[place] = file
        elif word in ("NAME", "COLUMN"):
            words[place] = NAMES[words[place - 1]]
        for sign, name in OTHERS.items():
            words[place] = words[place].replace(sign, name)
    return words + shlex.split(more)


COMMANDS = sorted({topic.command for topic in TOPICS})


@pytest.mark.parametrize("command", COMMANDS)
def test_what_find_recommends_runs(
    command: str, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(study)
    shown = io.StringIO()
    words = typed(command)
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
        code = run([*words, "--force"] if {"-o"} & set(words) else words)
    assert code == 0, (words, shown.getvalue())
