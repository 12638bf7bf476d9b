"""The items behind a number: those of a cell of the label matrix, of a rater, of a bar."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients import item_agreement
from consilience.core.words import counted, label_text, printable
from consilience.document.records import spreadsheet_safe
from consilience.exceptions import ConsilienceError, InputError, UnsupportedDesignError
from consilience.io.excerpts import sample_items
from consilience.latent.votes import Entries, entries_of
from consilience.ratings import Ratings
from consilience.web.child_process import as_message, of_message
from consilience.web.work.reading import load_named, renamed, texts_beside

PAGE = 50
_MOST_RATERS = 20  # columns; beyond that labels are counted
_LONGEST_TEXT = 400
_MOST_EXPORTED = 100_000


def label_matrix(ratings: Ratings) -> NDArray[np.int64]:
    """Count the items behind each pair of labels: exactly those that `chosen_items` returns.

    Two raters have a cross-table, first by second. Of more, items are counted on which both labels
    were given; on the diagonal, those on which one was given at least twice.
    """
    if len(ratings.raters) == 2:
        return np.asarray(ratings.table(*ratings.raters), dtype=np.int64)
    counts = entries_of("a matrix of labels", ratings, need_raters=False).counts
    has = (counts > 0).astype(np.int64)
    met = np.asarray((has.T @ has).todense())
    twice = np.asarray((counts > 1).astype(np.int64).sum(axis=0)).reshape(-1)
    met[np.diag_indices_from(met)] = twice
    return met


def chosen_items(ratings: Ratings, wanted: Mapping[str, str]) -> tuple[NDArray[np.intp], str]:
    """Return the places of the items that a filter chooses, and the filter in words."""
    entries = entries_of("a list of items", ratings, need_raters=False)
    keep = np.ones(entries.n_items, dtype=np.bool_)
    said: list[str] = []
    for name, choose in _FILTERS.items():
        if name in wanted:
            mask, words = choose(ratings, entries, wanted[name])
            keep &= mask
            said.append(words)
    places = np.flatnonzero(keep)
    agreement = item_agreement(ratings)
    order = np.argsort(np.where(np.isnan(agreement), np.inf, agreement)[places], kind="stable")
    return places[order], "; ".join(said) or "all items, the most contested first"


def _cell(ratings: Ratings, entries: Entries, word: str) -> tuple[NDArray[np.bool_], str]:
    k, m = (_code(one, len(ratings.categories)) for one in word.split("-", 1))
    first, second = (f"'{label_text(ratings.categories[one])}'" for one in (k, m))
    if len(ratings.raters) == 2:
        a, b = ratings.raters
        mask = _said(entries, 0, k) & _said(entries, 1, m)
        return mask, f"{a} said {first}, {b} said {second}"
    counts = entries.counts
    if k == m:
        return _column(counts, k) > 1, f"at least two raters said {first}"
    return (_column(counts, k) > 0) & (
        _column(counts, m) > 0
    ), f"both {first} and {second} were said"


def _label(ratings: Ratings, entries: Entries, word: str) -> tuple[NDArray[np.bool_], str]:
    k = _code(word, len(ratings.categories))
    return _column(entries.counts, k) > 0, f"somebody said '{label_text(ratings.categories[k])}'"


def _rater(ratings: Ratings, entries: Entries, word: str) -> tuple[NDArray[np.bool_], str]:
    g = _code(word, len(ratings.raters))
    mine = entries.rater == g
    # Nobody else gave this label to this item, and somebody else rated it.
    times = np.asarray(entries.counts[entries.item[mine], entries.label[mine]]).reshape(-1)
    alone = (times < 2) & (entries.per_item[entries.item[mine]] > 1)
    mask = np.zeros(entries.n_items, dtype=np.bool_)
    mask[entries.item[mine][alone]] = True
    return mask, f"{ratings.raters[g]} said what nobody else said"


def _agreement(ratings: Ratings, entries: Entries, word: str) -> tuple[NDArray[np.bool_], str]:
    low, high = (_share(one) for one in word.split("-", 1))
    value = item_agreement(ratings)
    with np.errstate(invalid="ignore"):
        mask = (value >= low - 1e-12) & (value <= high + 1e-12)
    return mask, f"agreement from {low:.0%} to {high:.0%}"


_FILTERS: dict[str, Callable[..., tuple[NDArray[np.bool_], str]]] = {
    "cell": _cell,
    "label": _label,
    "rater": _rater,
    "agreement": _agreement,
}
FILTERS = tuple(_FILTERS)


def _column(counts: Any, k: int) -> NDArray[np.float64]:
    return np.asarray(counts[:, [k]].todense()).reshape(-1)


def _said(entries: Entries, rater: int, label: int) -> NDArray[np.bool_]:
    mask = np.zeros(entries.n_items, dtype=np.bool_)
    mask[entries.item[(entries.rater == rater) & (entries.label == label)]] = True
    return mask


def _code(word: str, end: int) -> int:
    if not word.isdigit() or int(word) >= end:
        raise InputError.expected("the filter", f"a number below {end}", word, "go back")
    return int(word)


def _share(word: str) -> float:
    try:
        return min(1.0, max(0.0, float(word)))
    except ValueError:
        raise InputError.expected(
            "the filter", "two shares such as 0-0.5", word, "go back"
        ) from None


# ---- the job


def items(
    *,
    file: Mapping[str, Any],
    wanted: Mapping[str, str],
    text: str | None,
    page: int,
    form: str,
    labels: Sequence[str],
    tell: Callable[[str], None],
) -> dict[str, Any]:
    """Return the items behind a number, a page of them or all as CSV; of a large file, a sample.

    `labels` are those of the whole file, as filters count them.
    """
    tell("Reading the file")
    anonymise = file["anonymise"]
    sample = sample_of(file) if file["large"] else None
    if sample is not None:
        reading, wanted = _of_sample(sample, wanted, labels, anonymise)
        file = {**file, "path": sample["path"], "reading": reading}
    ratings = load_named(file, items=True).ratings
    if sample is not None and "rater" in wanted:
        wanted = {**wanted, "rater": _place_of(ratings, wanted["rater"])}
    places, said = chosen_items(ratings, wanted)
    n_pages = max(1, -(-len(places) // PAGE))
    page = min(max(page, 1), n_pages)
    whole = form in ("csv", "json")
    some = places[:_MOST_EXPORTED] if whole else places[(page - 1) * PAGE : page * PAGE]
    hidden = anonymise and sample is not None
    rows = _rows(ratings, some, texts_beside(file, text), counts_only=hidden)
    found = {
        "said": said, "n": len(places), "of": ratings.n_items, "page": page, "pages": n_pages,
        "heads": rows[0], "rows": rows[1:] if form != "csv" else [],
        "what": counted(len(places), "item"), "whole": sample and sample["of"],
    }  # fmt: skip
    return found | ({"csv": _csv(rows)} if form == "csv" else {})


def _of_sample(
    sample: Mapping[str, Any],
    wanted: Mapping[str, str],
    labels: Sequence[str],
    anonymise: bool,
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return how the sample is read, and filters that mean there what they mean in the file."""
    told = dict(sample["options"])
    if labels and not any(told.get(name) for name in ("categories", "map", "ignore_case", "sets")):
        told["categories"] = tuple(labels)
    wanted = dict(wanted)
    if "rater" in wanted:
        if anonymise:  # the codes of the file are not those of the sample
            raise UnsupportedDesignError.needs(
                "the items of one rater", "names that are shown, as this is a sample",
                "hidden names", "show the names of raters first",
            )  # fmt: skip
        wanted["rater"] = sample["raters"][_code(wanted["rater"], len(sample["raters"]))]
    return told, wanted


def _place_of(ratings: Ratings, name: str) -> str:
    """Return the place of a rater of the file among those of the sample."""
    known = [str(rater) for rater in ratings.raters]
    if name not in known:
        raise InputError.expected(
            "the rater", "one who rated items of the sample", name, "choose another one"
        )
    return str(known.index(name))


def _rows(
    ratings: Ratings,
    places: NDArray[np.intp],
    texts: Mapping[object, object],
    *,
    counts_only: bool = False,
) -> list[list[Any]]:
    agreement = item_agreement(ratings)
    given = labels_by_item(ratings, places)
    one_by_one = 0 < len(ratings.raters) <= _MOST_RATERS and not counts_only
    raters = [str(rater) for rater in ratings.raters] if one_by_one else ["labels"]
    heads = ["item", *(["text"] if texts else []), "agreement", *raters]
    rows: list[list[Any]] = [heads]
    for place in places.tolist():
        name = ratings.items[place]
        value = float(agreement[place])
        row: list[Any] = [str(name)]
        if texts:
            row.append(str(texts.get(name, ""))[:_LONGEST_TEXT])
        row.append(None if np.isnan(value) else round(value, 4))
        row += given[place] if one_by_one else [_counted(given[place])]
        rows.append([printable(cell) if isinstance(cell, str) else cell for cell in row])
    return rows


def _counted(labels: list[str]) -> str:
    times: dict[str, int] = {}
    for label in labels:
        if label:
            times[label] = times.get(label, 0) + 1
    most = sorted(times.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{label} ×{n}" if n > 1 else label for label, n in most)


def labels_by_item(ratings: Ratings, places: NDArray[np.intp]) -> dict[int, list[str]]:
    """Return the labels of some items in the order of the raters; of counts, each as often."""
    entries = entries_of("a list of items", ratings, need_raters=False)
    names = [label_text(one) for one in ratings.categories]
    found: dict[int, list[str]] = {int(one): [""] * max(entries.n_raters, 1) for one in places}
    if not entries.n_raters:
        for place in found:
            start, end = entries.counts.indptr[place : place + 2]
            cells = zip(
                entries.counts.indices[start:end], entries.counts.data[start:end], strict=True
            )
            found[place] = [names[k] for k, n in cells for _ in range(int(n))]
        return found
    wanted = np.zeros(entries.n_items, dtype=np.bool_)
    wanted[places] = True
    for e in np.flatnonzero(wanted[entries.item]).tolist():
        found[int(entries.item[e])][int(entries.rater[e])] = names[int(entries.label[e])]
    return found


def _csv(rows: list[list[Any]]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    for row in rows:
        writer.writerow([spreadsheet_safe(one) if isinstance(one, str) else one for one in row])
    return stream.getvalue()


# ---- samples

_TOLD = "sample.json"


def sample_of(file: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a sample of a file, made where there is none yet; None where items are no rows."""
    what = as_message([file["path"], file["reading"]])
    folder = Path(file["scratch"]) / f"sample-{hashlib.sha256(what).hexdigest()[:24]}"
    if not folder.exists():
        making = Path(tempfile.mkdtemp(prefix="making-", dir=file["scratch"]))
        try:
            _write(file, making)
            os.rename(making, folder)
        except OSError:
            if not folder.exists():  # else somebody else was quicker
                raise
        finally:
            shutil.rmtree(making, ignore_errors=True)
    found: dict[str, Any] | None = of_message((folder / _TOLD).read_bytes())
    return None if found is None else found | {"path": str(folder / found["path"])}


def _write(file: Mapping[str, Any], folder: Path) -> None:
    try:
        found = sample_items(
            [file["path"]],
            folder,
            most=file["sampled"],
            memory_limit=file["memory"],
            **file["reading"],
        )
    except ConsilienceError as error:
        raise renamed(error, file["path"], file["shown"]) from error
    told = None if found is None else asdict(found) | {"path": found.path.name}
    (folder / _TOLD).write_bytes(as_message(told))


def sample(*, file: Mapping[str, Any], tell: Callable[[str], None]) -> dict[str, Any]:
    """Return a sample to be opened by itself."""
    tell("Drawing a sample of the items")
    found = sample_of(file)
    if found is None:
        raise UnsupportedDesignError.needs(
            "a sample of items", "a table with items in its rows", "another layout",
            "measure the whole file in a terminal",
        )  # fmt: skip
    return found
