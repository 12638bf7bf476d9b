"""Free text among the answers of an export: every answer its own, so that none can be compared."""

from __future__ import annotations

from statistics import median

from consilience.io.platforms.export_entries import Annotations

_FEWEST = 6  # answers from which anything can be told
_SHARE = 0.6  # of them that must be different
_WORDS = 3  # in the middle one of the answers


def free_text(found: Annotations) -> dict[str, int]:
    """Return the variables whose answers are free text, with the number of different ones.

    Nothing is returned where all variables are: then they are what is to be compared.
    """
    answers: dict[str, list[object]] = {}
    for variable, label in zip(found.variable, found.label, strict=True):
        if label is not None:
            answers.setdefault(variable, []).append(label)
    prose = {name: len(set(given)) for name, given in answers.items() if is_prose(given)}
    return prose if len(prose) < len(answers) else {}


def is_prose(answers: list[object]) -> bool:
    """Tell whether answers are texts of several words that seldom recur."""
    texts = [answer for answer in answers if isinstance(answer, str)]
    if len(texts) < len(answers) or len(texts) < _FEWEST:
        return False
    different = len(set(texts)) > _SHARE * len(texts)
    return different and median(len(text.split()) for text in texts) >= _WORDS
