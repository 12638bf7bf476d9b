"""Which items to decide, the most informative first; decisions as sheets and final labels."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from consilience.coefficients.unsettled_scale import require_scale
from consilience.core.words import label_text, printable
from consilience.io import Loaded, read_sheet, write_labels, write_sheet
from consilience.latent import adjudicate
from consilience.latent.adjudication import Adjudication
from consilience.web.work.reading import load_named, texts_beside

_MOST_ITEMS = 2_000
_MOST_LABELS = 60
_LONGEST_TEXT = 4_000


def ranking(
    *,
    file: Mapping[str, Any],
    text: str | None,
    tell: Callable[[str], None],
) -> dict[str, Any]:
    """Return contested items in the order in which they should be decided."""
    tell("Reading the file")
    loaded = load_named(file, items=True)
    texts = texts_beside(file, text)
    tell("Ranking items")
    found = _ranked(loaded)
    places = found.places(top=_MOST_ITEMS).tolist()
    return {
        "labels": [label_text(one) for one in loaded.ratings.categories[:_MOST_LABELS]],
        "n_contested": int(found.contested.sum()),
        "n_items": loaded.ratings.n_items,
        "contested": [_item(found, place, texts) for place in places],
    }


def _ranked(loaded: Loaded) -> Adjudication:
    require_scale(loaded.ratings, "adjudication")
    return adjudicate(loaded.ratings)


def _item(found: Adjudication, place: int, texts: Mapping[object, object]) -> dict[str, Any]:
    one = found.at(place)
    said = {label_text(who): label_text(label) for who, label in one.labels.items()}
    return {
        "item": str(one.item),
        "text": printable_lines(str(texts.get(one.item, "")))[:_LONGEST_TEXT],
        "labels": said,
        "suggested": label_text(one.suggested),
        "probability": one.probability,
    }


def printable_lines(text: str) -> str:
    """Return a text with its line ends, and nothing else that steers a screen."""
    return "\n".join(map(printable, text.splitlines()))


def export(
    *,
    file: Mapping[str, Any],
    decided: Mapping[str, str],
    form: str,
    tell: Callable[[str], None],
) -> bytes:
    """Return the filled sheet, or final labels as `consilience adjudicate --read` writes them."""
    loaded = load_named(file, items=True)
    tell("Ranking items")
    found = _ranked(loaded)
    known = {label_text(label): label for label in loaded.ratings.categories}
    gold = {item: known[decided[str(item)]] for item in loaded.ratings.items
            if decided.get(str(item)) in known}  # fmt: skip
    ending = form.rpartition(".")[2]
    with tempfile.TemporaryDirectory(prefix="consilience-", dir=file["scratch"]) as folder:
        sheet = Path(folder) / f"sheet.{'csv' if form.startswith('final') else ending}"
        write_sheet(found, sheet, gold=gold)
        if form.startswith("sheet"):
            return sheet.read_bytes()
        tell("Reading the sheet")
        final = Path(folder) / f"final.{ending}"
        write_labels(read_sheet(sheet, loaded.ratings), final)
        return final.read_bytes()
