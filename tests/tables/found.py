"""Tables as they stand in public places: criteria side by side, forms, gold, occasions, blocks.

Each function draws one kind of table with its truth. `expected` says what a careful reader would
do: "read" it, "ask" because it cannot be known (or because there is nothing to compare), or
"either" of the two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from tables import found_words as words
from tables.ids import draw_ids, sentence
from tables.kit import Cells, Table, Truth
from tables.labels import Labels, draw_labels
from tables.lists import listed
from tables.studies import Study, draw_study
from tables.vocabulary import draw_raters, kept

Column = tuple[str, str, Sequence[str]]  # name, role, cells
_ID_KINDS = listed("running running coded coded letter_number files gapped uuid tweets words")
_LABEL_KINDS = listed("words words words binary likert5 likert5 likert7 zero_to_three letters")
_SIDES = listed(
    "frequency source n_words seconds country age arm cohort genre text url year split n_tokens "
    "model_conf doi author subreddit length score0"
)


@dataclass
class Draw:
    """Draws the parts of a table from the words of one half."""

    rng: Random
    half: str
    features: list[str] = field(default_factory=list)

    def chance(self, p: float) -> bool:
        """Toss a coin that falls on its head with chance p."""
        return self.rng.random() < p

    def word(self, among: Sequence[str], taken: Sequence[str] = ()) -> str:
        """Draw a word of this half."""
        able = [word for word in kept(among, self.half) or among if word not in taken]
        return self.rng.choice(able)

    def words(self, among: Sequence[str], n: int) -> list[str]:
        """Draw so many words of this half."""
        able = kept(among, self.half)
        return self.rng.sample(able if len(able) >= n else list(among), n)

    def n_items(self, low: int = 12, high: int = 90) -> int:
        """Draw how many items there are."""
        return self.rng.choice(
            (self.rng.randrange(low, min(high, 31)), self.rng.randrange(low, high))
        )

    def labels(self, kinds: Sequence[str] = _LABEL_KINDS) -> Labels:
        """Draw a list of labels."""
        return draw_labels(self.rng, "en", self.half, list(kinds))

    def ids(self, n: int, kinds: Sequence[str] = _ID_KINDS) -> Column:
        """Draw a column that names the items."""
        name = self.word(words.ITEMS)
        return name, "item", draw_ids(self.rng, n, list(kinds)).values

    def raters(self, n: int) -> list[str]:
        """Draw how raters are called in public places."""
        how = self.rng.choice(_RATERS)
        self.features.append(f"raters {how}")
        return _NAMES[how](self, n)

    def persons(self, n: int) -> list[str]:
        """Draw names of persons."""
        return self.words(self.rng.choice((words.FIRST_NAMES, words.SURNAMES)), n)

    def study(
        self,
        n: int,
        raters: Sequence[str],
        labels: Labels | None = None,
        *,
        gaps: str | None = None,
        odd: float = 0.15,
    ) -> Study:
        """Draw ratings."""
        drawn = labels or self.labels()
        gaps = gaps or self.rng.choice(("none", "none", "none", "few"))
        study = draw_study(self.rng, n, raters, drawn, gaps=gaps, odd_raters=odd)
        self.features.append(f"labels {drawn.kind}")
        return study

    def sides(self, n: int, most: int = 3) -> list[Column]:
        """Draw columns that tell something about the items."""
        kinds = self.rng.sample(_SIDES, self.rng.randrange(most + 1))
        self.features += [f"side {kind}" for kind in kinds]
        return [_side(self, kind, n) for kind in kinds]

    def table(
        self,
        columns: Sequence[Column],
        truth: Truth,
        *,
        expected: str = "read",
        footers: Sequence[Cells] = (),
    ) -> Table:
        """Put columns together."""
        return Table(
            header=tuple(name for name, _, _ in columns),
            rows=tuple(zip(*(cells for _, _, cells in columns), strict=True)),
            roles=tuple(role for _, role, _ in columns),
            truth=truth,
            legend=tuple(footers),
            expected=expected,
        )


def _of(study: Study, r: int) -> list[str]:
    return [row[r] or "" for row in study.rows]


def _columns(study: Study, names: Sequence[str] | None = None) -> list[Column]:
    return [(n, "rater", _of(study, r)) for r, n in enumerate(names or study.raters)]


def _one(study: Study, naming: str = "names") -> Truth:
    return Truth((("", study),), naming)


_NONE = Study((), ())
_NOTHING = Truth((("", _NONE),))  # there is nothing to compare, or nobody can know what


# ---- how raters are called


def _numbered(*patterns: str) -> Callable[[Draw, int], list[str]]:
    def draw(d: Draw, n: int) -> list[str]:
        pattern = d.word(patterns)
        return [pattern.format(k) for k in range(1, n + 1)]

    return draw


def _lettered(*patterns: str) -> Callable[[Draw, int], list[str]]:
    def draw(d: Draw, n: int) -> list[str]:
        pattern = d.word(patterns)
        letters = [chr(65 + k) for k in range(n)]
        return [pattern.format(x.lower() if pattern.islower() else x) for x in letters]

    return draw


def _initialled(d: Draw, n: int) -> list[str]:
    pattern = d.word(("{}", "{}_score", "score_{}", "label_{}", "{} rating", "coded_{}", "{}_code"))
    first = d.rng.sample("ABCDEFGHJKLMNPRSTW", n)
    return [pattern.format(a + d.rng.choice("BCDFGHKLMPRSTW")) for a in first]


def _professions(d: Draw, n: int) -> list[str]:
    if n > 3 or d.chance(0.4):
        stem = d.word(words.PROFESSIONS)
        return [f"{stem}{k}" for k in range(1, n + 1)]
    return d.words(words.PROFESSIONS, n)


def _models(d: Draw, n: int) -> list[str]:
    return d.words(words.MODELS, min(n, 6)) + [f"human{k}" for k in range(1, max(0, n - 6) + 1)]


def _mixed(d: Draw, n: int) -> list[str]:
    people = (
        [f"human{k}" for k in range(1, n)] if d.chance(0.5) else d.words(words.FIRST_NAMES, n - 1)
    )
    return d.rng.sample([*people, d.word(words.MODELS)], n)


def _persons(d: Draw, n: int) -> list[str]:
    names = d.persons(n)
    return [name.lower() for name in names] if d.chance(0.15) else names


def _labelled(d: Draw, n: int) -> list[str]:
    pattern = d.word(("{}_label", "{} code", "label_{}", "{}'s rating", "Rating {}", "{}_rating"))
    return [pattern.format(name) for name in d.words(words.FIRST_NAMES, n)]


_NAMES: dict[str, Callable[[Draw, int], list[str]]] = {
    "numbered": _numbered(
        "annotator{}",
        "rater_{}",
        "coder {}",
        "Annotator {}",
        "A{}",
        "R{}",
        "Reviewer{}",
        "ann_{}",
        "annot{}",
        "judge{}",
        "Obs.{}",
        "observer_{}",
        "label_{}",
        "label{}",
        "rating_{}",
        "score{}",
        "annotation_{}",
        "Coder{}",
        "ASSESSOR{}",
        "evaluator{}",
        "reader{}",
        "h{}",
        "human_{}",
        "annotator_{}_label",
        "rater{}_score",
        "worker_{}",
        "vote_{}",
        "turker_{}",
    ),
    "lettered": _lettered(
        "Rater {}",
        "coder_{}",
        "Expert{}",
        "Annotator{}",
        "label_{}",
        "Judge {}",
        "ann{}",
        "reviewer_{}",
        "Reader {}",
    ),
    "initials": _initialled,
    "professions": _professions,
    "models": _models,
    "mixed": _mixed,
    "persons": _persons,
    "labelled": _labelled,
    "family": lambda d, n: list(
        draw_raters(
            d.rng,
            n,
            d.half,
            listed("surnames first_names full_names titled emails worker_ids accounts local_1"),
        ).names
    ),
}
_RATERS = listed(
    "numbered numbered numbered lettered initials professions models mixed persons persons "
    "labelled family"
)


# ---- facts about items


def _side(d: Draw, kind: str, n: int) -> Column:
    rng = d.rng
    name = {
        "n_words": rng.choice(("Word count", "n_words", "num_words")),
        "seconds": rng.choice(("Seconds", "rt_ms", "time_on_task")),
        "model_conf": rng.choice(("model_conf", "prob", "p_toxic", "score_pred")),
        "score0": rng.choice(("upvotes", "likes", "retweets", "karma")),
        "n_tokens": rng.choice(("n_tokens", "tokens", "n_chars")),
        "frequency": rng.choice(("frequency", "freq", "Freq.", "count_per_million")),
        "source": rng.choice(("Source", "source", "medium", "outlet")),
        "arm": rng.choice(("arm", "group", "condition", "treatment")),
    }.get(kind, kind)
    pair = rng.choice(words.COMPANIES)
    make: dict[str, Callable[[], str]] = {
        "frequency": lambda: str(int(rng.paretovariate(0.7) * 3)),
        "source": lambda: rng.choice(pair),
        "n_words": lambda: str(rng.randrange(12, 480)),
        "seconds": lambda: str(round(rng.lognormvariate(4, 0.6))),
        "country": lambda: rng.choice(words.COUNTRIES),
        "age": lambda: str(rng.randrange(18, 80)),
        "arm": lambda: rng.choice(("control", "treat", "placebo")[:2]),
        "cohort": lambda: rng.choice(("2019", "2020", "2021")),
        "genre": lambda: rng.choice(("news", "blog", "forum", "novel")),
        "text": lambda: f"{sentence(rng)} {sentence(rng)}",
        "url": lambda: f"https://example.org/{rng.randrange(10**6)}",
        "year": lambda: str(rng.randrange(1990, 2024)),
        "split": lambda: rng.choice(("train", "train", "dev", "test")),
        "n_tokens": lambda: str(rng.randrange(5, 300)),
        "model_conf": lambda: f"{rng.random():.3f}",
        "doi": lambda: f"10.{rng.randrange(1000, 9999)}/j.{rng.randrange(10**5)}",
        "author": lambda: f"user{rng.randrange(10**5)}",
        "subreddit": lambda: rng.choice(("askscience", "politics", "gaming", "books", "aww")),
        "length": lambda: str(rng.randrange(20, 900)),
        "score0": lambda: str(int(rng.paretovariate(1.1)) - 1),
    }
    return name, "side", [make[kind]() for _ in range(n)]


def _counter(d: Draw, n: int) -> Column:
    start = d.rng.choice((0, 0, 1))
    name = d.rng.choice(("", "Unnamed: 0", "X", "index", "Unnamed: 0.1"))
    return name, "side", [str(start + k) for k in range(n)]


# ---- a column for each rater


def plain_wide(d: Draw) -> Table:
    """Items by raters, with facts about the items before, and counters."""
    n, m = d.n_items(), d.rng.choice((2, 2, 3, 3, 4, 5, 8))
    study = d.study(n, d.raters(m))
    front = [d.ids(n), *d.sides(n)]
    if d.chance(0.25):
        front.insert(0, _counter(d, n))
        d.features.append("counter")
    return d.table([*front, *_columns(study)], _one(study))


def sides_behind(d: Draw) -> Table:
    """The same with facts behind or between, sums, and what was computed from the ratings."""
    n, m = d.n_items(), d.rng.choice((2, 2, 3, 4))
    labels = d.labels()
    study = d.study(n, d.raters(m), labels, gaps="none")
    behind = d.sides(n, 2)
    computed = _computed(d, study, labels)
    front = [d.ids(n), *d.sides(n, 2)]
    taken = {name for name, _, _ in front}
    behind = [one for one in behind if one[0] not in taken]
    return d.table([*front, *_columns(study), *computed, *behind], _one(study))


def _computed(d: Draw, study: Study, labels: Labels) -> list[Column]:
    def of(make: Callable[[list[str]], str]) -> list[str]:
        return [make([cell for cell in row if cell is not None]) for row in study.rows]

    agree = d.rng.choice((("1", "0"), ("yes", "no"), ("TRUE", "FALSE"), ("match", "mismatch")))
    found: list[Column] = [
        (
            d.rng.choice(("agree", "Agreement", "match", "agreed?", "same")),
            "derived",
            of(lambda row: agree[len(set(row)) > 1]),
        ),
    ]
    if labels.numeric:

        def number(make: Callable[[list[float]], float]) -> list[str]:
            return of(lambda row: f"{round(make(list(map(float, row))), 2):g}")

        found += [
            ("max", "derived", number(max)),
            ("min", "derived", number(min)),
            (
                d.rng.choice(("mean", "avg_rating", "Average")),
                "derived",
                number(lambda row: sum(row) / len(row)),
            ),
            (
                d.rng.choice(("diff", "range", "Difference")),
                "derived",
                number(lambda row: max(row) - min(row)),
            ),
            (
                "median",
                "derived",
                number(
                    lambda row: (sorted(row)[len(row) // 2] + sorted(row)[(len(row) - 1) // 2]) / 2
                ),
            ),
        ]
    return d.rng.sample(found, d.rng.randrange(1, min(3, len(found)) + 1))


def gold_beside(d: Draw) -> Table:
    """Gold or what was agreed on, in some language, behind or before the raters."""
    n, m = d.n_items(15), d.rng.choice((2, 3, 3, 4))
    labels = d.labels()
    study = d.study(n, d.raters(m), labels, gaps="none", odd=0.05)
    share = d.rng.choice((1.0, 1.0, 0.95, 0.85))
    values = []
    for row in study.rows:
        most = Counter(row).most_common()
        tied = [v for v, times in most if times == most[0][1]]
        values.append(d.rng.choice(tied) or "")
        if not d.chance(share):
            values[-1] = d.rng.choice(labels.values)
    gold: Column = (d.word(words.GOLD), "derived", values)
    raters = _columns(study)
    first = [d.ids(n), *d.sides(n, 2)]
    whole = [*first, *raters, gold] if d.chance(0.75) else [*first, gold, *raters]
    return d.table(whole, _one(study))


def no_id(d: Draw) -> Table:
    """The raters' columns and nothing else."""
    n, m = d.n_items(), d.rng.choice((2, 2, 3, 4))
    how = d.rng.choice(("obs{}", "Rater {}", "rater{}", "Coder{}", "annotator_{}"))
    names = [how.format(k) for k in range(1, m + 1)] if d.chance(0.6) else d.persons(m)
    study = d.study(n, names)
    return d.table(_columns(study), _one(study))


def extended_names(d: Draw) -> Table:
    """One rater's name begins another's: gpt-4 and gpt-4-turbo, Ann and Ann-Marie."""
    n = d.n_items(15)
    if d.chance(0.6):
        base = d.word(("gpt-4", "claude", "llama-3", "gemini", "qwen2", "mistral"))
        names = [base, base + d.word(("-turbo", "-mini", "-large", "-instruct", "_v2", "-8b"))]
        names += d.words(words.FIRST_NAMES, d.rng.choice((0, 1, 2)))
    else:
        base = d.word(words.FIRST_NAMES)
        names = [base, base + d.word(("-Marie", " B.", "-Lee", " Jr.", " K", "-Sophie"))]
        names += [one for one in d.words(words.FIRST_NAMES, 3) if one != base][
            : d.rng.choice((1, 2))
        ]
    study = d.study(n, names, odd=0.6)
    return d.table([d.ids(n), *d.sides(n, 1), *_columns(study)], _one(study))


def screening(d: Draw) -> Table:
    """Titles and abstracts with what reviewers decided."""
    n, m = d.n_items(15), d.rng.choice((2, 2, 3))
    labels = Labels(
        d.rng.choice(
            (
                ("include", "exclude", "maybe"),
                ("include", "exclude"),
                ("Yes", "No", "Maybe"),
                ("1", "0"),
                ("in", "out"),
            )
        ),
        "screening",
    )
    names = d.rng.choice(
        (
            [f"Reviewer{k}" for k in range(1, m + 1)],
            [f"Reviewer {chr(64 + k)}" for k in range(1, m + 1)],
            d.persons(m),
            _initialled(d, m),
            [f"{name} decision" for name in d.words(words.FIRST_NAMES, m)],
        )
    )
    study = d.study(n, names, labels, gaps="none")
    front: list[Column] = [
        ("Title", "item", draw_ids(d.rng, n, ["sentences"]).values),
        ("Authors", "side", [f"{d.word(words.SURNAMES)} et al." for _ in range(n)]),
        ("Year", "side", [str(d.rng.randrange(2000, 2024)) for _ in range(n)]),
        (
            "Journal",
            "side",
            [d.rng.choice(("J. Med.", "Lancet", "PLoS", "Trials")) for _ in range(n)],
        ),
    ]
    front = [front[0], *d.rng.sample(front[1:], d.rng.randrange(4))]
    if d.chance(0.5):
        front.insert(0, ("PMID", "item", draw_ids(d.rng, n, ["long_numbers"]).values))
    conflict: Column = (
        "Conflict",
        "derived",
        [d.rng.choice((("yes", "no"),))[len(set(row)) == 1] for row in study.rows],
    )
    rest = [conflict] if d.chance(0.5) else []
    if d.chance(0.4):
        rest.append(("Final decision", "derived", [row[0] or "" for row in study.rows]))
    return d.table([*front, *_columns(study), *rest], _one(study))


def remarks_beside(d: Draw) -> Table:
    """Each rater's code with her remark, time or sureness beside it."""
    n, m = d.n_items(), d.rng.choice((2, 2, 3))
    stems = d.rng.choice(
        (
            [f"Coder{k}" for k in range(1, m + 1)],
            [f"Annotator {k}" for k in range(1, m + 1)],
            [f"rater_{chr(96 + k)}" for k in range(1, m + 1)],
            d.persons(m),
        )
    )
    study = d.study(n, stems)
    label, beside = d.rng.choice(
        (
            ("", " comments"),
            ("", "_notes"),
            (" Code", " Notes"),
            ("_label", "_confidence"),
            ("", "_rt"),
            ("_label", "_time"),
            (" rating", " comment"),
            ("Code", "Text"),
            ("", " (how sure)"),
        )
    )
    columns: list[Column] = []
    for r, stem in enumerate(stems):
        columns.append((stem + label, "rater", _of(study, r)))
        columns.append((stem + beside, "side", [_beside(d, beside) for _ in range(n)]))
    named = Study(tuple(stem + label for stem in stems), study.rows)
    return d.table([d.ids(n), *d.sides(n, 1), *columns], _one(named))


def _beside(d: Draw, what: str) -> str:
    if what[-1] == "t" or "notes" in what.casefold() or "comment" in what:
        return sentence(d.rng) if d.chance(0.3) else ""
    if what in ("_rt", "_time"):
        return str(round(d.rng.lognormvariate(4, 0.6)))
    return d.rng.choice("12345")


def pairs_of_columns(d: Draw) -> Table:
    """Who annotated, and the label, in columns by place: annotator_1, annotator_1_label, ..."""
    n, k = d.n_items(20), d.rng.choice((2, 2, 3))
    people = d.rng.choice(
        (d.persons(k + 2), [f"A{i}" for i in range(1, k + 3)], _worker_ids(d, k + 2))
    )
    whole = d.study(n, people, gaps="none", odd=0.0)
    chosen = [sorted(d.rng.sample(range(k + 2), k)) for _ in range(n)]
    rows = [
        tuple(v if r in mine else None for r, v in enumerate(row))
        for row, mine in zip(whole.rows, chosen, strict=True)
    ]
    study = Study(tuple(people), tuple(rows))
    who, what = d.rng.choice(
        (
            ("annotator_{}", "annotator_{}_label"),
            ("annotator{}", "label{}"),
            ("rater_{}", "rating_{}"),
            ("coder_{}", "code_{}"),
            ("Worker{}", "Answer{}"),
            ("user_{}", "user_{}_label"),
        )
    )
    pairs: list[list[Column]] = []
    for place in range(k):
        names = [people[mine[place]] for mine in chosen]
        given = [whole.rows[i][mine[place]] or "" for i, mine in enumerate(chosen)]
        pairs.append(
            [(who.format(place + 1), "who", names), (what.format(place + 1), "label", given)]
        )
    columns = [c for pair in pairs for c in pair]
    if d.chance(0.3):
        columns = [pair[0] for pair in pairs] + [pair[1] for pair in pairs]
    return d.table([d.ids(n), *d.sides(n, 1), *columns], _one(study))


def _worker_ids(d: Draw, n: int) -> list[str]:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    return ["A" + "".join(d.rng.choice(letters) for _ in range(12)) for _ in range(n)]


def double_coding(d: Draw) -> Table:
    """Every variable once more for each further coder: type, type1, type2, power, power1."""
    n, m, k = d.n_items(20), d.rng.choice((2, 3, 3)), d.rng.choice((2, 2, 3))
    names = d.words(words.QUESTIONS, k)
    tails = ["", *(d.rng.choice(("{}", "_{}", ".{}")).format(i) for i in range(1, m))]
    sign = tails[1][:-1]
    tails = ["", *(f"{sign}{i}" for i in range(1, m))]
    kinds = d.rng.sample(("words", "binary", "likert5", "zero_to_three", "words"), k)
    studies = [
        (v, d.study(n, [f"{v}{t}" for t in tails], d.labels([kind]), gaps="none"))
        for v, kind in zip(names, kinds, strict=True)
    ]
    columns = [c for _, study in studies for c in _columns(study)]
    truth = Truth(tuple(studies), "order")
    return d.table([d.ids(n), *d.sides(n, 1), *columns], truth, expected="either")


def grid_of_flags(d: Draw) -> Table:
    """Rater and flag in each name, 0 and 1 below: Ann_anger, Ann_joy, Bob_anger, ..."""
    n, m, k = d.n_items(20), 2, d.rng.choice((3, 4))
    raters = d.rng.choice((d.persons(m), ["annotator1", "annotator2"], ["coder_A", "coder_B"]))
    flags = d.words(words.EMOTIONS, k)
    pattern = d.rng.choice(("{r}_{v}", "{r}.{v}", "{v}_{r}", "{r} {v}", "{v} ({r})"))
    studies = [(v, d.study(n, raters, d.labels(["binary"]), gaps="none", odd=0)) for v in flags]
    columns = [
        (pattern.format(r=r, v=v), "rater", _of(study, i))
        for i, r in enumerate(raters)
        for v, study in studies
    ]
    return d.table([d.ids(n), *d.sides(n, 1), *columns], Truth(tuple(studies)))


def bare_blocks(d: Draw) -> Table:
    """Blocks of flags under letters and numbers, C1 to C4 and D1 to D4: nobody can know."""
    n, k = d.n_items(20), d.rng.choice((3, 4))
    letters = d.rng.sample("ABCDEKLMXY", 2)
    columns: list[Column] = []
    for letter in letters:
        chosen = [d.rng.randrange(k) for _ in range(n)]
        columns += [
            (f"{letter}{j + 1}", "flag", [str(int(c == j)) for c in chosen]) for j in range(k)
        ]
    return d.table([d.ids(n), *d.sides(n, 1), *columns], _NOTHING, expected="ask")


def multi_hot(d: Draw) -> Table:
    """Cells such as 1 0 0 0, one column for each rater."""
    n, m, k = d.n_items(20), d.rng.choice((2, 3)), d.rng.choice((3, 4))
    sign = d.rng.choice((" ", " ", "", "-"))
    values = tuple(sign.join(str(int(j == i)) for j in range(k)) for i in range(k))
    study = d.study(n, d.raters(m), Labels(values, "multi-hot"), gaps="none")
    return d.table([d.ids(n, ["coded", "files"]), *_columns(study)], _one(study))


def preferences(d: Draw) -> Table:
    """Two systems' answers, and who prefers which."""
    n, m = d.n_items(15), d.rng.choice((2, 3))
    names = d.rng.choice(
        (
            ["human_preference", "gpt4_preference", "claude_preference"][:m],
            [f"judge_{k}" for k in range(1, m + 1)],
            [f"annotator_{k}_choice" for k in range(1, m + 1)],
        )
    )
    study = d.study(
        n, names, Labels(d.rng.choice((("A", "B", "tie"), ("model_a", "model_b", "tie"))), "pref")
    )
    front: list[Column] = [
        d.ids(n),
        ("prompt", "side", [f"{sentence(d.rng)} {sentence(d.rng)}" for _ in range(n)]),
        ("model_a", "side", [d.rng.choice(("gpt-4", "llama-3", "claude")) for _ in range(n)]),
        ("model_b", "side", [d.rng.choice(("mistral", "gemini", "qwen")) for _ in range(n)]),
    ]
    return d.table([*front, *_columns(study)], _one(study))


def word_pairs(d: Draw) -> Table:
    """Two words that make the item, the mean, and a column for each subject."""
    n, m = d.n_items(25), d.rng.choice((5, 8, 10))
    labels = Labels(tuple(map(str, range(0, 11))), "similarity", numeric=True, ordered=True)
    names = d.rng.choice(
        (
            [str(k) for k in range(1, m + 1)],
            [f"Subj {k}" for k in range(1, m + 1)],
            [f"s{k}" for k in range(1, m + 1)],
            [f"Annotator {k}" for k in range(1, m + 1)],
        )
    )
    study = d.study(n, names, labels, gaps="none")
    pairs = draw_ids(d.rng, 2 * n, ["words"]).values
    first: list[Column] = [("word1", "item", pairs[:n]), ("word2", "item", pairs[n:])]
    mean: list[Column] = (
        [
            (
                d.rng.choice(("Human (mean)", "mean", "avg")),
                "derived",
                [f"{sum(int(c or 0) for c in row) / m:.2f}" for row in study.rows],
            )
        ]
        if d.chance(0.6)
        else []
    )
    return d.table([*first, *mean, *_columns(study)], _one(study, "order"))


def unused_columns(d: Draw) -> Table:
    """Labels by number, and much about the item: label_1 to label_10, filename, subject."""
    n, m = d.n_items(20), d.rng.choice((5, 7, 10, 11))
    stem = d.word(
        ("label_{}", "rating{}", "ann_{}", "annotation.{}", "score_{}", "Reader{}", "L{}")
    )
    study = d.study(n, [stem.format(k) for k in range(1, m + 1)])
    front = [d.ids(n), ("filename", "side", draw_ids(d.rng, n, ["files"]).values), *d.sides(n)]
    return d.table([*front, *_columns(study)], _one(study))


def joined_sheets(d: Draw) -> Table:
    """Two sheets side by side, the id twice: ID, Ann, , ID, Bob."""
    n = d.n_items()
    study = d.study(n, d.persons(2), gaps="none")
    name, role, values = d.ids(n)
    left, right = _columns(study)
    empty: list[Column] = [("", "empty", [""] * n)] if d.chance(0.5) else []
    return d.table(
        [(name, role, values), left, *empty, (name, "again", values), right],
        _one(study),
        expected="either",
    )


def timestamp_wide(d: Draw) -> Table:
    """A time in the first column of an ordinary table."""
    n, m = d.n_items(), d.rng.choice((2, 3))
    study = d.study(n, d.raters(m))
    return d.table([_stamps(d, n), d.ids(n), *d.sides(n, 1), *_columns(study)], _one(study))


def _stamps(d: Draw, n: int, name: str | None = None) -> Column:
    day = d.rng.randrange(1, 28)
    seconds = sorted(d.rng.randrange(40_000) for _ in range(n))
    pattern = d.rng.choice(
        (
            "{d}/3/2023 {h}:{m:02d}:{s:02d}",
            "2023-03-{d:02d} {h:02d}:{m:02d}:{s:02d}",
            "{d:02d}.03.2023 {h:02d}:{m:02d}:{s:02d}",
        )
    )
    cells = [pattern.format(d=day, h=8 + x // 3600, m=x // 60 % 60, s=x % 60) for x in seconds]
    return (
        name or d.rng.choice(("Timestamp", "Timestamp", "Zeitstempel", "created_at")),
        "side",
        cells,
    )


def numbered_subjects(d: Draw) -> Table:
    """Persons are rated by people whose names are words: StudentID, expert, novice."""
    n = d.n_items()
    names = d.rng.choice(
        (
            d.words(words.PROFESSIONS, 2),
            d.words(words.PROFESSIONS, 3),
            [*d.words(words.MODELS, 2), "human1"],
            [*d.words(words.MODELS, 1), "human"],
        )
    )
    study = d.study(n, names)
    name = d.rng.choice(
        ("StudentID", "idx", "anon_subject_id", "Participant", "patient_no", "case")
    )
    return d.table(
        [
            (name, "item", draw_ids(d.rng, n, ["running", "coded"]).values),
            *d.sides(n, 1),
            *_columns(study),
        ],
        _one(study),
    )


# ---- one judge's criteria, taken for several judges


def criteria(d: Draw) -> Table:
    """Several criteria about each item and one judge, or nobody knows how many."""
    n, k = d.n_items(), d.rng.choice((2, 3, 3, 4, 5, 6, 8))
    how = d.rng.choice(
        ("words", "words", "words", "subjects", "emotions", "elsewhere", "cut", "stems")
    )
    d.features.append(f"criteria {how}")
    if how == "subjects":
        names = d.words(words.SUBJECTS, k)
    elif how == "emotions":
        names = d.words(words.EMOTIONS, k)
    elif how == "elsewhere":
        among = words.CRITERIA_ELSEWHERE[d.rng.choice(sorted(words.CRITERIA_ELSEWHERE))]
        names = d.words(among, min(k, 3))
    elif how == "stems":
        names = d.words([" ".join(stem.split()) for stem in words.STEMS], min(k, 5))
    else:
        names = d.words(words.CRITERIA, k)
        pattern = (
            d.word(("score_{}", "{}_score", "rating_{}", "{} rating", "{}_1to5", "avg_{}"))
            if how == "cut"
            else "{}"
        )
        names = [pattern.format(name) for name in names]
    if how in ("words", "emotions", "cut") and d.chance(0.5):
        change = d.rng.choice((str.title, str.upper, str.capitalize))
        names = [change(name) for name in names]
    labels = d.labels(listed("likert5 likert5 likert7 binary zero_to_three marks words"))
    study = d.study(n, names, labels, odd=0.3)
    extra: list[Column] = []
    if labels.numeric and d.chance(0.15):
        extra = [
            ("Total", "derived", [f"{sum(float(c or 0) for c in row):g}" for row in study.rows])
        ]
    return d.table([d.ids(n), *d.sides(n, 2), *_columns(study), *extra], _NOTHING, expected="ask")


def questions(d: Draw) -> Table:
    """Numbered questions or criteria about each item."""
    n, k = d.n_items(), d.rng.choice((3, 4, 5, 8, 10))
    pattern = d.word(
        ("Q{}", "q{}", "question_{}", "crit{}", "dim_{}", "criterion {}", "item{}", "Q{}_score")
    )
    study = d.study(n, [pattern.format(j) for j in range(1, k + 1)], odd=0.3)
    return d.table([d.ids(n), *d.sides(n, 2), *_columns(study)], _NOTHING, expected="ask")


def flags(d: Draw) -> Table:
    """What holds of an item, each in a column of 0 and 1."""
    n, k = d.n_items(20), d.rng.choice((2, 3, 4, 6))
    names = d.words(words.FLAGS if d.chance(0.6) else words.EMOTIONS, k)
    labels = Labels(d.rng.choice((("0", "1"), ("yes", "no"), ("TRUE", "FALSE"))), "flags")
    study = d.study(n, names, labels, odd=0.3)
    return d.table([d.ids(n), *d.sides(n, 2), *_columns(study)], _NOTHING, expected="ask")


def one_hot_item(d: Draw) -> Table:
    """One coder's choice among labels, each in a column of 0 and 1."""
    n, k = d.n_items(20), d.rng.choice((3, 4, 6))
    chosen = [d.rng.randrange(k) for _ in range(n)]
    names = d.words(words.EMOTIONS, k)
    columns: list[Column] = [
        (name, "flag", [str(int(c == j)) for c in chosen]) for j, name in enumerate(names)
    ]
    return d.table([d.ids(n), *d.sides(n, 1), *columns], _NOTHING, expected="ask")


# ---- one row for each rating


def _long(
    d: Draw,
    study: Study,
    item: Column,
    rater: str,
    labels: Sequence[tuple[str, Study]],
    *,
    more: Sequence[Column] = (),
    first: Sequence[Callable[[int], Column]] = (),
    last: Sequence[Callable[[int], Column]] = (),
) -> list[Column]:
    """Write studies of the same raters as rows; `more` are facts about the items."""
    pairs = [(i, r) for i, row in enumerate(study.rows) for r, c in enumerate(row) if c is not None]
    if d.chance(0.3):
        pairs.sort(key=lambda pair: pair[1])
    n = len(pairs)
    core: list[Column] = [
        (item[0], "item", [item[2][i] for i, _ in pairs]),
        (rater, "rater", [study.raters[r] for _, r in pairs]),
    ]
    if d.chance(0.25):
        core.reverse()
    about = [(name, role, [cells[i] for i, _ in pairs]) for name, role, cells in more]
    said = [(name, "label", [one.rows[i][r] or "" for i, r in pairs]) for name, one in labels]
    return [*(make(n) for make in first), *core, *about, *said, *(make(n) for make in last)]


def plain_long(d: Draw) -> Table:
    """Item, rater, label, and columns that could be taken for the label."""
    n, m = d.n_items(), d.rng.choice((2, 3, 4, 6))
    names = d.rng.choice(
        (
            d.persons(m),
            [f"A{k}" for k in range(1, m + 1)],
            _worker_ids(d, m),
            [f"annotator_{k}" for k in range(1, m + 1)],
            [str(k) for k in range(1, m + 1)],
            [f"{name.lower()}@example.org" for name in d.words(words.FIRST_NAMES, m)],
        )
    )
    study = d.study(n, names, gaps=d.rng.choice(("none", "few", "many")))
    item = d.ids(n)
    more = [one for one in d.sides(n, 3) if one[0] != item[0]]
    first: list[Callable[[int], Column]] = []
    last: list[Callable[[int], Column]] = []
    if d.chance(0.35):
        first.append(lambda n: ("annotation_id", "side", [str(4000 + 3 * k) for k in range(n)]))
    if d.chance(0.2):
        last.append(lambda n: ("task", "side", ["stance"] * n))
    if d.chance(0.3):
        last.append(
            lambda n: ("rt_ms", "side", [str(d.rng.randrange(300, 9000)) for _ in range(n)])
        )
    if d.chance(0.2):
        last.append(
            lambda n: (
                "comment",
                "side",
                [sentence(d.rng) if d.chance(0.2) else "" for _ in range(n)],
            )
        )
    label = d.word(words.LABELS, [item[0]])
    rater = d.word(words.RATERS)
    columns = _long(d, study, item, rater, [(label, study)], more=more, first=first, last=last)
    return d.table(columns, _one(study))


def long_of_criteria(d: Draw) -> Table:
    """Several criteria for each item and judge: one result for each criterion."""
    n, m, k = d.n_items(), d.rng.choice((2, 3, 4)), d.rng.choice((2, 3, 4, 5))
    names = d.rng.choice((d.persons(m), [f"R{j}" for j in range(1, m + 1)], _worker_ids(d, m)))
    asked = d.words(words.CRITERIA if d.chance(0.7) else words.QUESTIONS, k)
    kind = d.rng.choice(("likert5", "likert7", "zero_to_three", "binary"))
    shared = d.labels([kind])
    studies = [(name, d.study(n, names, shared, gaps="none", odd=0)) for name in asked]
    item = d.ids(n)
    columns = _long(d, studies[0][1], item, d.word(words.RATERS), studies)
    return d.table(columns, Truth(tuple(studies)))


def long_of_flags(d: Draw) -> Table:
    """Flags in columns, with who annotated: text, rater_id, joy, anger, ..."""
    n, m, k = d.n_items(20), d.rng.choice((3, 4)), d.rng.choice((4, 6, 9))
    names = [str(j) for j in d.rng.sample(range(1, 60), m)] if d.chance(0.5) else _worker_ids(d, m)
    labels = d.labels(["binary"])
    studies = [
        (v, d.study(n, names, labels, gaps="none", odd=0)) for v in d.words(words.EMOTIONS, k)
    ]
    item = d.ids(n, ["coded", "uuid", "tweets"])
    more: list[Column] = [("text", "side", draw_ids(d.rng, n, ["sentences"]).values)]
    rater = d.rng.choice(("annotator_id", "rater_id", "worker", "annotator"))
    columns = _long(d, studies[0][1], item, rater, studies, more=more if d.chance(0.5) else ())
    return d.table(columns, Truth(tuple(studies)))


def form_of_coders(d: Draw) -> Table:
    """A form that coders filled in once for each paper: Timestamp, Coder, Paper ID, Code."""
    n, m, k = d.n_items(), d.rng.choice((2, 2, 3)), d.rng.choice((1, 1, 2, 3))
    names = d.rng.choice(
        (
            d.persons(m),
            [f"{x.lower()}@example.edu" for x in d.words(words.FIRST_NAMES, m)],
            _initialled(d, m),
        )
    )
    asked = [d.word(words.LABELS)] if k == 1 else d.words(words.QUESTIONS, k)
    studies = [(name, d.study(n, names, gaps="none", odd=0.1)) for name in asked]
    item = (
        d.word(("Paper ID", "Article number", "Video", "Transcript", "Case no.", "Essay")),
        "item",
        draw_ids(d.rng, n, ["running", "coded", "letter_number", "gapped"]).values,
    )
    who = d.rng.choice(
        ("Coder", "Your name", "Coder initials", "Reviewer", "Email Address", "Rater")
    )
    columns = _long(
        d, studies[0][1], item, who, studies, first=[lambda n: _stamps(d, n, "Timestamp")]
    )
    if d.chance(0.3):
        columns.append(
            (
                "Any comments?",
                "side",
                [sentence(d.rng) if d.chance(0.2) else "" for _ in columns[0][2]],
            )
        )
    truth = Truth(tuple(studies)) if k > 1 else _one(studies[0][1])
    return d.table(columns, truth)


def form_of_respondents(d: Draw) -> Table:
    """A form that raters filled in once: a column for each item; on some items all agree."""
    n, m = d.rng.randrange(6, 25), d.rng.choice((3, 4, 6, 10))
    names = [f"{x.lower()}@example.edu" for x in d.words(words.FIRST_NAMES, m)]
    labels = d.labels(listed("likert5 likert7 words"))
    study = d.study(n, names, labels, gaps="none", odd=0)
    rows = list(study.rows)
    for i in d.rng.sample(range(n), max(1, n // 5)):
        rows[i] = (d.rng.choice(labels.values),) * m  # all agree here
    study = Study(study.raters, tuple(rows))
    asked = draw_ids(d.rng, n, ["sentences"]).values
    columns: list[Column] = [
        _stamps(d, m, "Timestamp"),
        ("Email Address", "rater", names),
        *((q, "item", [rows[i][r] or "" for r in range(m)]) for i, q in enumerate(asked)),
    ]
    return d.table(columns, _one(study))


def occasions(d: Draw) -> Table:
    """The same rater rated an item several times: its occasions, or a cluster of several."""
    n, m, k = d.n_items(10, 50), d.rng.choice((2, 3)), d.rng.choice((2, 2, 3))
    names = d.persons(m) if d.chance(0.5) else [f"R{j}" for j in range(1, m + 1)]
    labels = d.labels()
    studies = [d.study(n, names, labels, gaps="none", odd=0) for _ in range(k)]
    item = d.ids(n)
    word = d.word(
        (
            "occasion",
            "run",
            "trial",
            "round",
            "wave",
            "repetition",
            "attempt",
            "time_point",
            "session",
        )
    )
    rows = [
        (item[2][i], names[r], str(t + 1), study.rows[i][r] or "")
        for t, study in enumerate(studies)
        for i in range(n)
        for r in range(m)
    ]
    cells = list(zip(*rows, strict=True))
    heads = (
        (item[0], "item"),
        (d.word(words.RATERS), "rater"),
        (word, "side"),
        (d.word(words.LABELS, [item[0]]), "label"),
    )
    columns: list[Column] = [(name, role, c) for (name, role), c in zip(heads, cells, strict=True)]
    whole = Study(tuple(names), tuple(row for study in studies for row in study.rows))
    return d.table(columns, _one(whole), expected="either")


def questions_in_rows(d: Draw) -> Table:
    """Which question was answered stands in a column: one result for each question."""
    n, m, k = d.n_items(10, 50), d.rng.choice((2, 3)), d.rng.choice((2, 3))
    names = d.persons(m) if d.chance(0.5) else [f"coder{j}" for j in range(1, m + 1)]
    apart = d.chance(0.5)
    asked = d.words(words.CRITERIA if d.chance(0.6) else words.QUESTIONS, k)
    kinds = (
        ["likert5"] * k if not apart else d.rng.sample(("likert5", "words", "binary", "letters"), k)
    )
    studies = [
        (v, d.study(n, names, d.labels([kind]), gaps="none", odd=0))
        for v, kind in zip(asked, kinds, strict=True)
    ]
    item = d.ids(n)
    word = d.word(
        (
            "question",
            "criterion",
            "dimension",
            "variable",
            "aspect",
            "attribute",
            "metric",
            "item_asked",
        )
    )
    rows = [
        (item[2][i], names[r], v, study.rows[i][r] or "")
        for i in range(n)
        for r in range(m)
        for v, study in studies
    ]
    cells = list(zip(*rows, strict=True))
    heads = (
        (item[0], "item"),
        (d.word(words.RATERS), "rater"),
        (word, "variable"),
        (d.word(words.LABELS, [item[0]]), "label"),
    )
    columns: list[Column] = [(name, role, c) for (name, role), c in zip(heads, cells, strict=True)]
    return d.table(columns, Truth(tuple(studies)), expected="either")


def items_with_questions(d: Draw) -> Table:
    """Rows are raters, columns items by questions: ISIC_1__Asymmetry, ISIC_1__Border, ..."""
    n, m, k = d.rng.randrange(5, 15), d.rng.choice((3, 4, 6)), d.rng.choice((2, 3))
    names = d.rng.choice((d.persons(m), [f"R{j}" for j in range(1, m + 1)]))
    asked = [word.capitalize() for word in d.words(words.CRITERIA, k)]
    studies = [(v, d.study(n, names, d.labels(["likert5"]), gaps="none", odd=0)) for v in asked]
    stem = d.word(("ISIC_{}", "img{}", "Case{}", "clip{:02d}", "P{}"))
    columns: list[Column] = [
        (d.word(("rater", "reader", "respondent", "annotator")), "rater", names)
    ]
    columns += [
        (f"{stem.format(i + 1)}__{v}", "item", [study.rows[i][r] or "" for r in range(m)])
        for i in range(n)
        for v, study in studies
    ]
    return d.table(columns, Truth(tuple(studies)), expected="either")


def id_with_rater(d: Draw) -> Table:
    """The rater is part of the item's name, so that no item comes back."""
    n, m = d.n_items(10, 40), d.rng.choice((2, 3))
    names = d.rng.choice((d.persons(m), [f"R{j}" for j in range(1, m + 1)], ["a", "b", "c"][:m]))
    study = d.study(n, names, gaps="none", odd=0)
    stem, _, values = d.ids(n, ["coded", "letter_number", "running"])
    sign = d.rng.choice(("_", "-", "."))
    rows = [
        (f"{values[i]}{sign}{names[r]}", names[r], study.rows[i][r] or "")
        for r in range(m)
        for i in range(n)
    ]
    cells = list(zip(*rows, strict=True))
    heads = (stem, d.word(words.RATERS), d.word(words.LABELS, [stem]))
    columns: list[Column] = [(name, "item", c) for name, c in zip(heads, cells, strict=True)]
    return d.table(columns, _one(study), expected="either")


def gold_in_rows(d: Draw) -> Table:
    """One of the raters of a long table is called gold."""
    n, m = d.n_items(15), d.rng.choice((2, 3))
    gold = d.word(("gold", "GOLD", "ground_truth", "consensus", "adjudicated", "gold_standard"))
    names = [*d.rng.choice((d.persons(m), [f"A{j}" for j in range(1, m + 1)])), gold]
    whole = d.study(n, names, gaps="none", odd=0)
    study = Study(whole.raters[:-1], tuple(row[:-1] for row in whole.rows))
    columns = _long(d, whole, d.ids(n), d.word(words.RATERS), [(d.word(words.LABELS), whole)])
    return d.table(columns, _one(study), expected="either")


# ---- several codings of one label, and codes for "no rating"


def mixed_codings(d: Draw) -> Table:
    """One rater writes yes and no, the other 1 and 0, or Y and N."""
    n, m = d.n_items(15), d.rng.choice((2, 3))
    codings = d.words(
        ("yes|no", "1|0", "Y|N", "TRUE|FALSE", "ja|nein", "x|-", "true|false", "present|absent"), 2
    )
    study = d.study(n, d.raters(m), Labels(("1", "0"), "binary"), gaps="none", odd=0)
    odd = d.rng.randrange(m)
    columns: list[Column] = []
    for r, name in enumerate(study.raters):
        one, none = codings[r == odd].split("|")
        columns.append((name, "rater", [one if cell == "1" else none for cell in _of(study, r)]))
    return d.table([d.ids(n), *columns], _NOTHING, expected="ask")


def mixed_case(d: Draw) -> Table:
    """Raters write the same words with capitals and without."""
    n, m = d.n_items(15), d.rng.choice((2, 3))
    labels = d.labels(["words"])
    study = d.study(n, d.raters(m), labels, gaps="none", odd=0)
    odd = d.rng.randrange(m)
    change = d.rng.choice((str.upper, str.title)) if labels.values[0].islower() else str.lower
    columns = [
        (name, "rater", [change(c) if r == odd and change(c) != c else c for c in _of(study, r)])
        for r, name in enumerate(study.raters)
    ]
    return d.table([d.ids(n), *columns], _NOTHING, expected="ask")


def missing_codes(d: Draw) -> Table:
    """A number or a mark that stands for no rating, never told."""
    n, m = d.n_items(20), d.rng.choice((2, 3))
    labels = d.labels(listed("likert5 zero_to_three binary likert7"))
    mark = d.rng.choice(("99", "88", "-9", "-99", "999", "s/d", "k.A.", "n/a", "skipped", "98"))
    study = d.study(n, d.raters(m), labels, gaps="few")
    columns = [
        (name, "rater", [c or mark for c in _of(study, r)]) for r, name in enumerate(study.raters)
    ]
    gaps = any(cell is None for row in study.rows for cell in row)
    return d.table([d.ids(n), *columns], _one(study), expected="either" if gaps else "read")


# ---- counts, footers


def counts(d: Draw) -> Table:
    """How many raters chose each label, with shares, sums, entropy beside it."""
    n, m, k = d.n_items(15), d.rng.choice((3, 5, 5, 10)), d.rng.choice((2, 3, 3, 4))
    names = d.words(words.OPTIONS if d.chance(0.6) else words.EMOTIONS, k)
    labels = Labels(tuple(names), "words")
    raters = [f"r{j}" for j in range(m)]
    study = d.study(n, raters, labels, gaps="none", odd=0)
    tallies = [Counter(row) for row in study.rows]
    cells: list[Column] = [
        (name, "category", [str(tally[name]) for tally in tallies]) for name in names
    ]
    same = [sum(c * (c - 1) for c in tally.values()) / (m * (m - 1)) for tally in tallies]
    beside: list[Column] = [
        (d.rng.choice(("P_i", "Pi", "agreement")), "derived", [f"{p:.3f}" for p in same]),
        (d.rng.choice(("total", "count", "n_raters", "N")), "derived", [str(m)] * n),
        (
            d.rng.choice(("majority", "class", "winner")),
            "derived",
            [tally.most_common(1)[0][0] or "" for tally in tallies],
        ),
    ]
    extra = d.rng.sample(beside, d.rng.choice((0, 0, 1, 2)))
    before = [extra.pop()] if extra and extra[-1][0] in ("count", "total") else []
    return d.table([d.ids(n), *d.sides(n, 1), *before, *cells, *extra], _one(study, "counts"))


def footers(d: Draw) -> Table:
    """Mean and standard deviation, or more, below the data."""
    n, m = d.n_items(10), d.rng.choice((2, 3, 4))
    labels = d.labels(listed("likert5 likert7 marks zero_to_three"))
    study = d.study(n, d.raters(m), labels, gaps="none")
    numbers = [[float(c) for c in _of(study, r) if c] for r in range(m)]
    means = [sum(x) / len(x) for x in numbers]
    spreads = [
        (sum((v - mean) ** 2 for v in x) / (len(x) - 1)) ** 0.5
        for x, mean in zip(numbers, means, strict=True)
    ]
    lines = {
        "Mean": [f"{x:.2f}" for x in means],
        "SD": [f"{x:.2f}" for x in spreads],
        "Sum": [f"{sum(x):g}" for x in numbers],
        "N": [str(len(x)) for x in numbers],
    }
    chosen = d.rng.choice((("Mean", "SD"), ("Mean", "SD"), ("N", "Mean", "SD"), ("Sum", "Mean")))
    again = {
        "Mean": d.rng.choice(("Mean", "M", "Mittelwert", "Average")),
        "SD": d.rng.choice(("SD", "StDev", "s")),
    }
    below = [(again.get(name, name), *lines[name]) for name in chosen]
    return d.table(
        [d.ids(n, ["running", "coded", "words"]), *_columns(study)], _one(study), footers=below
    )


# ---- rows are raters


def few_raters_in_rows(d: Draw) -> Table:
    """Two or three raters in rows, a column for each item."""
    n, m = d.rng.randrange(8, 60), d.rng.choice((2, 3, 3, 4, 6))
    names = d.rng.choice(
        (
            d.persons(m),
            [f"Rater {j}" for j in range(1, m + 1)],
            [f"coder{j}" for j in range(1, m + 1)],
        )
    )
    study = d.study(n, names, gaps="none")
    stem = d.word(("item{}", "S{}", "case_{}", "text {}", "img{:03d}", "T{}", "doc{}"))
    columns: list[Column] = [(d.word(words.RATERS), "rater", names)]
    columns += [
        (stem.format(i + 1), "item", [study.rows[i][r] or "" for r in range(m)]) for i in range(n)
    ]
    return d.table(columns, _one(study))


# ---- settings and occasions in the names of columns


def occasions_in_names(d: Draw) -> Table:
    """Test and retest of each rater: are the occasions variables, or raters?"""
    n, m = d.n_items(15), d.rng.choice((2, 3))
    names = d.rng.choice(
        (d.persons(m), ["A", "B", "C"][:m], [f"rater{j}" for j in range(1, m + 1)])
    )
    when = d.rng.choice((("test", "retest"), ("t1", "t2"), ("pre", "post"), ("trial1", "trial2")))
    labels = d.labels()
    studies = [(w, d.study(n, names, labels, gaps="none", odd=0)) for w in when]
    columns = [
        (f"{r}_{w}", "rater", _of(study, j)) for w, study in studies for j, r in enumerate(names)
    ]
    return d.table([d.ids(n), *columns], Truth(tuple(studies)), expected="either")


KINDS: dict[str, tuple[Callable[[Draw], Table], int]] = {
    "plain wide": (plain_wide, 8),
    "sides behind": (sides_behind, 4),
    "gold beside": (gold_beside, 4),
    "no id": (no_id, 3),
    "extended names": (extended_names, 3),
    "screening": (screening, 3),
    "remarks beside": (remarks_beside, 3),
    "pairs of columns": (pairs_of_columns, 3),
    "double coding": (double_coding, 2),
    "grid of flags": (grid_of_flags, 2),
    "bare blocks": (bare_blocks, 2),
    "multi-hot": (multi_hot, 2),
    "preferences": (preferences, 2),
    "word pairs": (word_pairs, 2),
    "many labels": (unused_columns, 2),
    "joined sheets": (joined_sheets, 2),
    "timestamp wide": (timestamp_wide, 2),
    "subjects": (numbered_subjects, 3),
    "criteria": (criteria, 8),
    "questions": (questions, 3),
    "flags": (flags, 3),
    "one-hot item": (one_hot_item, 2),
    "plain long": (plain_long, 8),
    "long of criteria": (long_of_criteria, 4),
    "long of flags": (long_of_flags, 3),
    "form of coders": (form_of_coders, 4),
    "form of respondents": (form_of_respondents, 2),
    "occasions": (occasions, 3),
    "questions in rows": (questions_in_rows, 3),
    "items with questions": (items_with_questions, 2),
    "id with rater": (id_with_rater, 2),
    "gold in rows": (gold_in_rows, 2),
    "mixed codings": (mixed_codings, 3),
    "mixed case": (mixed_case, 2),
    "missing codes": (missing_codes, 3),
    "counts": (counts, 4),
    "footers": (footers, 3),
    "few raters in rows": (few_raters_in_rows, 3),
    "occasions in names": (occasions_in_names, 2),
}
