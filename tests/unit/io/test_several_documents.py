"""Mentions, words, segments and sentences belong to their document, whatever its column is called.

Brute force over two and more documents is the measure: chains by merging sets until nothing
changes, coefficients by their definitions over all pairs.
"""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience import units
from consilience.cli.program import run
from consilience.exceptions import InputError
from consilience.io import read_chains
from consilience.io.layout.lexicon import names_document

NAMES = (
    "document", "text", "doc", "file", "story", "dialogue", "session", "participant", "page",
    "film", "Text_ID", "story no.", "Aufnahme", "article", "chapter", "scene",
)  # fmt: skip
STUDIES = 24
Rows = list[list[frozenset[Hashable]]]


@pytest.fixture
def saved(tmp_path: Path) -> Callable[..., Path]:
    def write(text: str, name: str = "table.csv") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def dice(a: frozenset[Hashable], b: frozenset[Hashable]) -> float:
    return 1 - 2 * len(a & b) / (len(a) + len(b)) if a or b else 0.0


def jaccard(a: frozenset[Hashable], b: frozenset[Hashable]) -> float:
    return 1 - len(a & b) / len(a | b) if a or b else 0.0


def beta(rows: Rows, distance: Callable[..., float]) -> float:
    """Artstein & Poesio (2005), 2.7: each rater has a distribution of labels."""
    pairs = list(itertools.combinations(range(len(rows[0])), 2))
    observed = np.mean([distance(row[a], row[b]) for row in rows for a, b in pairs])
    expected = np.mean([distance(x[a], y[b]) for a, b in pairs for x in rows for y in rows])
    return float(1 - observed / expected)


def alpha(rows: Rows, distance: Callable[..., float]) -> float:
    every = [label for row in rows for label in row]
    observed = np.mean(
        [np.mean([distance(a, b) for a, b in itertools.combinations(row, 2)]) for row in rows]
    )
    expected = sum(distance(a, b) for a in every for b in every) / (len(every) * (len(every) - 1))
    return float(1 - observed / expected)


# ---- chains


def _study(rng: random.Random, form: str) -> tuple[list[str], list[list[dict[str, Any]]]]:
    """Draw antecedents or entities: for each document, for each rater, of each mention."""
    names = ["it", "that", "this", "he", "the engine"][: rng.choice((3, 4, 5))]
    documents = []
    for _ in range(rng.choice((2, 2, 3))):
        raters = []
        for _ in range(3):
            links = {m: rng.choice([None, *names[:k]]) for k, m in enumerate(names)}
            raters.append(links if form == "links" else {m: rng.choice("123") for m in names})
        documents.append(raters)
    return names, documents


def _chains(names: Sequence[str], documents: list[list[dict[str, Any]]], form: str) -> Rows:
    rows: Rows = []
    for d, raters in enumerate(documents):
        found = []
        for given in raters:
            if form == "links":
                sets = [{m} | ({given[m]} - {None}) for m in names]
                for a, b in itertools.product(range(len(sets)), repeat=2):
                    for _ in range(len(sets)):
                        if sets[a] & sets[b]:
                            sets[a] = sets[b] = sets[a] | sets[b]
                while any(a & b and a != b for a in sets for b in sets):
                    for a, b in itertools.combinations(range(len(sets)), 2):
                        if sets[a] & sets[b]:
                            sets[a] = sets[b] = sets[a] | sets[b]
                chains = {m: next(s for s in sets if m in s) for m in names}
            else:
                chains = {m: {x for x in names if given[x] == given[m]} for m in names}
            found.append({m: frozenset((d, x) for x in chains[m]) for m in names})
        rows += [[one[m] for one in found] for m in names]
    return rows


def _typed(rng: random.Random, name: str, names: Sequence[str], documents: list[Any]) -> str:
    first = rng.random() < 0.6

    def line(document: object, mention: str, *cells: object) -> str:
        pair = (document, mention) if first else (mention, document)
        return ",".join(str(cell or "") for cell in (*pair, *cells)) + "\n"

    if rng.random() < 0.6:
        text = line(name, "mention", *(f"c{k}" for k in range(3)))
        for d, raters in enumerate(documents):
            text += "".join(line(f"d{d}", m, *(one[m] for one in raters)) for m in names)
        return text
    text = line(name, "mention", "coder", "marked")
    for d, raters in enumerate(documents):
        for k, one in enumerate(raters):
            text += "".join(line(f"d{d}", m, f"c{k}", one[m]) for m in names)
    return text


@pytest.mark.parametrize("form", ["links", "entities"])
def test_chains_of_several_documents_equal_brute_force(saved, form: str) -> None:
    for seed in range(STUDIES):
        rng = random.Random(seed)
        names, documents = _study(rng, form)
        wanted = beta(_chains(names, documents, form), dice)
        head = rng.choice(NAMES)
        path = saved(_typed(rng, head, names, documents))
        for told in ({}, {"item": [head, "mention"]}):
            chains = read_chains(path, form=form, **told)
            found = cs.cohen_kappa(chains, distance="dice").value
            assert found == pytest.approx(wanted, abs=1e-12), (seed, head)
            assert chains.clusters is not None
            assert chains.clusters.n_clusters == len(documents)


MENTIONS = (
    "document,mention,c0,c1\nd1,it,,\nd1,that,it,it\nd1,she,that,\n"
    "d2,it,,\nd2,that,,it\nd2,she,it,it\n"
)


def test_both_routes_of_the_command_line_give_one_answer(saved, capsys) -> None:
    path = str(saved(MENTIONS))
    found = []
    for more in ([], ["--item", "document", "--item", "mention"], ["--cluster", "document"]):
        words = ["measure", path, "--chains", "links", "--distance", "dice", "-c", "beta", *more]
        assert run([*words, "--json", "-q"]) == 0
        record = json.loads(capsys.readouterr().out)
        found.append(record["estimates"][0]["value"])
        assert record["data"]["clusters"]["number"] == 2
    names = ["it", "that", "she"]
    documents = [
        [{"it": None, "that": "it", "she": "that"}, {"it": None, "that": "it", "she": None}],
        [{"it": None, "that": None, "she": "it"}, {"it": None, "that": "it", "she": "it"}],
    ]
    assert found == pytest.approx([beta(_chains(names, documents, "links"), dice)] * 3)
    assert run(["panel", path, "--chains", "links", "-s", "c1", "-c", "beta:dice", "--json"]) == 0
    assert run(["bias", path, "--chains", "links", "--distance", "dice", "-q"]) == 0
    capsys.readouterr()


def test_one_text_is_said(saved) -> None:
    one = read_chains(saved(MENTIONS.partition("d2,")[0]))
    assert [note.code for note in one.notes] == ["one_text"]
    assert one.clusters is None


def test_a_column_of_any_name_tells_texts_apart(saved) -> None:
    wanted = read_chains(saved(MENTIONS))
    other = read_chains(saved(MENTIONS.replace("document", "corpus part B"), "other.csv"))
    assert other.items == wanted.items
    with pytest.raises(InputError, match="item"):
        read_chains(saved("mention,c0,c1\nit,,\nit,,\nthat,it,it\n", "twice.csv"))


def test_mentions_that_are_named_apart_keep_their_names(saved) -> None:
    chains = read_chains(saved("mention,story,c0,c1\nm1,a,,\nm2,a,m1,m1\nm3,b,,\nm4,b,,m3\n"))
    assert set(map(str, chains.categories)) == {"{m1, m2}", "{m3}", "{m3, m4}", "{m4}"}


def test_documents_of_conll_are_clusters(tmp_path: Path) -> None:
    chains = {"ann": (("1", "1"), ("1", "2")), "bob": (("2", "2"), ("1", "1"))}
    for rater, documents in chains.items():
        text = ""
        for name, entities in zip("ab", documents, strict=True):
            text += f"#begin document ({name}); part 000\n"
            text += "".join(f"{name}\t0\t{k}\tw\t({one})\n" for k, one in enumerate(entities))
            text += "\n#end document\n"
        (tmp_path / f"{rater}.conll").write_text(text)
    found = read_chains(tmp_path)
    rows = [
        [frozenset({1, 2}), frozenset({1, 2})],
        [frozenset({1, 2}), frozenset({1, 2})],
        [frozenset({3}), frozenset({3, 4})],
        [frozenset({4}), frozenset({3, 4})],
    ]
    assert cs.cohen_kappa(found, distance="dice").value == pytest.approx(beta(rows, dice))
    assert found.clusters is not None
    assert found.clusters.to_dict() == {"column": "document", "number": 2}


# ---- units


def _spans(rng: random.Random, n_documents: int) -> list[list[list[tuple[str, int, int]]]]:
    documents = []
    for _ in range(n_documents):
        raters = []
        for _ in range(2):
            at, spans = rng.randint(0, 3), []
            for _ in range(rng.randint(2, 4)):
                length = rng.randint(3, 9)
                spans.append((rng.choice("xy"), at, at + length))
                at += length + rng.randint(0, 3)
            raters.append(spans)
        documents.append(raters)
    return documents


def _table(documents: Sequence[Any], name: str) -> str:
    rows = [
        f"t{d},R{r},{start},{end},{label}\n"
        for d, raters in enumerate(documents)
        for r, spans in enumerate(raters)
        for label, start, end in spans
    ]
    return f"{name},rater,start,end,label\n" + "".join(rows)


def _linked(documents: Sequence[Any], threshold: float = 0.6) -> Counter[tuple[Any, Any]]:
    """Tally as EasyDIAG does, document by document: the greatest overlap first."""
    tallies: Counter[tuple[Any, Any]] = Counter()
    for first, second in documents:
        overlaps = [
            ((min(e, f) - max(s, t)) / max(e - s, f - t), -i, -j)
            for i, (_, s, e) in enumerate(first)
            for j, (_, t, f) in enumerate(second)
        ]
        free = set(range(len(first))), set(range(len(second)))
        for overlap, i, j in sorted(overlaps, reverse=True):
            if overlap >= threshold and -i in free[0] and -j in free[1]:
                free[0].remove(-i)
                free[1].remove(-j)
                tallies[first[-i][0], second[-j][0]] += 2
        tallies.update((first[i][0], None) for i in free[0])
        tallies.update((None, second[j][0]) for j in free[1])
    return tallies


def test_easydiag_links_within_each_document(saved) -> None:
    for seed in range(STUDIES):
        rng = random.Random(seed)
        documents = _spans(rng, rng.choice((2, 3, 5)))
        read = cs.read_units(saved(_table(documents, rng.choice(NAMES))), time_unit="ms")
        assert len(read.sessions) == len(documents), seed
        found = units.easydiag(read, n_resamples=1)
        names = [*found.labels, None]
        tallies = _linked(documents)
        assert found.table.tolist() == [[tallies[a, b] for b in names] for a in names], seed


def test_sets_of_words_are_those_of_their_document(saved) -> None:
    for seed in range(STUDIES):
        rng = random.Random(seed)
        documents = [[[("that", a, a + rng.randint(2, 7))] for a in (3, rng.randint(2, 5))]
                     for _ in range(rng.choice((2, 4, 8)))]  # fmt: skip
        read = cs.read_units(saved(_table(documents, rng.choice(NAMES))), time_unit="token")
        rows = [
            [frozenset((d, w) for w in range(a, b)) for ((_, a, b),) in raters]
            for d, raters in enumerate(documents)
        ]
        found = cs.krippendorff_alpha(units.word_set_ratings(read), distance="jaccard").value
        assert found == pytest.approx(alpha(rows, jaccard), abs=1e-12), seed


def _segments(rng: random.Random, n_texts: int) -> str:
    lines = ["text,rater,start,end,label"]
    for text in range(n_texts):
        n = rng.randint(20, 40)
        cuts = rng.sample(range(3, n - 2), 3)
        for rater in ("Ann", "Bob", "Cy"):
            own = sorted({0, n, *(c + rng.choice((0, 0, 1)) for c in cuts if rng.random() < 0.9)})
            lines += [f"t{text},{rater},{a},{b},s" for a, b in itertools.pairwise(own)]
    return "\n".join(lines) + "\n"


def test_intervals_of_words_rest_on_texts(saved, capsys) -> None:
    """The error is that of texts drawn anew, and one text alone has no interval."""
    path = saved(_segments(random.Random(5), 12))
    read = cs.read_units(path, time_unit="token")
    words = units.word_set_ratings(read, items="words")
    assert words.clusters is not None
    assert words.clusters.n_clusters == 12
    found = cs.cohen_kappa(words, distance="jaccard")
    frame = words.to_frame("pandas").pivot(index="item", columns="rater", values="label")
    places = {label: k for k, label in enumerate({frozenset(x) for x in frame.to_numpy().ravel()})}
    d_kl = np.array([[jaccard(a, b) for b in places] for a in places])
    by_text: dict[str, list[list[int]]] = {}
    for item, *row in frame.itertuples():
        by_text.setdefault(item.split()[0], []).append([places[frozenset(x)] for x in row])
    tables = [np.array(rows) for rows in by_text.values()]
    rng = np.random.default_rng(1)
    drawn = []
    for _ in range(300):
        rows = np.concatenate([tables[k] for k in rng.integers(len(tables), size=len(tables))])
        share = [np.bincount(rows[:, r], minlength=len(places)) / len(rows) for r in range(3)]
        pairs = ((0, 1), (0, 2), (1, 2))
        observed = np.mean([d_kl[rows[:, a], rows[:, b]].mean() for a, b in pairs])
        drawn.append(1 - observed / np.mean([share[a] @ d_kl @ share[b] for a, b in pairs]))
    assert found.standard_error == pytest.approx(np.std(drawn), rel=0.25)
    alone = saved(_segments(random.Random(5), 1), "alone.csv")
    words_of = ["--time-unit", "token", "--method", "sets", "--items", "words", "-q"]
    assert run(["units", str(alone), *words_of]) == 0
    assert "without an interval" in " ".join(capsys.readouterr().out.split())


def test_a_text_that_was_marked_is_no_document(saved) -> None:
    """A column `text` may hold the words of each span; they start nothing again."""
    text = "text,rater,start,end,label\n" + "".join(
        f"{word},{rater},{5 * k + shift},{5 * k + 4},x\n"
        for rater, shift in (("Ann", 0), ("Bob", 1))
        for k, word in enumerate(("we", "saw", "the", "sea", "there", "too"))
    )
    assert cs.read_units(saved(text), time_unit="character").sessions == ("table",)


def test_sentences_numbered_alike_in_every_document(saved) -> None:
    rng = random.Random(2)
    rows = [(d, s, rng.choice("xyz"), rng.choice("xyz")) for d in "abcd" for s in range(1, 9)]
    wide = saved("story,sentence,Ann,Bob\n" + "".join(",".join(map(str, r)) + "\n" for r in rows))
    found = cs.read(wide)
    assert found.n_items == 32
    wanted = cs.Ratings.from_wide([row[2:] for row in rows])
    assert cs.scott_pi(found).value == pytest.approx(cs.scott_pi(wanted).value)
    spans = "document,sentence,rater,start,end,label\n" + "".join(
        f"d{d},{s},{rater},0,{4 + (s + d) % 3 + (rater == 'Bob')},x\n"
        for d in (1, 2)
        for s in (1, 2, 3)
        for rater in ("Ann", "Bob")
    )
    read = cs.read_units(saved(spans, "spans.csv"), time_unit="token")
    assert len(read.sessions) == 6


@pytest.mark.parametrize("name", NAMES)
def test_what_has_parts_is_known_by_its_name(name: str) -> None:
    assert names_document(name)
    assert not any(map(names_document, ("mention", "Ann", "rater", "c0", "antecedent", "start")))
