"""Which label sets are scales, in which order, and which are names whatever they look like."""

from __future__ import annotations

import random

import pytest

from consilience.core.label_scales import label_scale
from unit.core.label_sets import NAMES, SCALES

PUBLISHED = [
    pytest.param(tuple(labels.split("|")), id=f"{language} {kind} {labels[:20]}")
    for language, scales in SCALES.items()
    for kind, labels in scales
]
DISGUISES = (str, str.upper, str.lower, lambda x: x.replace(" ", "_"), lambda x: f" {x} ")
CODES = frozenset({"A1|A2|B1|B2|C1|C2", "S|M|L", "F|D|C|B|A", "C|C+|B-|B|B+|A-|A", "SD|D|N|A|SA"})


@pytest.mark.parametrize("labels", PUBLISHED)
def test_a_published_scale_is_read_in_its_order(labels: tuple[str, ...]) -> None:
    shuffled = list(labels)
    random.Random(len(labels)).shuffle(shuffled)
    found = label_scale(shuffled)
    assert found is not None
    assert found.order in (labels, labels[::-1])


@pytest.mark.parametrize("kind", NAMES)
def test_names_are_no_scale(kind: str) -> None:
    wrong = [labels for labels in NAMES[kind] if label_scale(labels.split("|"))]
    assert wrong == []


@pytest.mark.parametrize("seed", range(4))
def test_some_steps_of_a_scale_in_any_writing_keep_their_order(seed: int) -> None:
    """Not every step is used; a set that could be names is left alone, never turned round."""
    rng = random.Random(seed)
    wrong, missed, n = [], 0, 0
    for scales in SCALES.values():
        for _, labels in scales:
            steps = labels.split("|")
            if labels in CODES or len(steps) < 4 or "ß" in labels:
                continue
            kept = [steps[k] for k in sorted(rng.sample(range(len(steps)), 3 + (len(steps) > 4)))]
            disguise = rng.choice(DISGUISES)
            written = [disguise(step) for step in kept]
            found = label_scale(rng.sample(written, len(written)))
            n += 1
            if found is None:
                missed += 1
            elif list(found.order) not in (written, written[::-1]):
                wrong.append((written, found.order))
    assert wrong == []
    assert missed <= 0.1 * n


@pytest.mark.parametrize("seed", range(4))
def test_names_drawn_from_everywhere_are_no_scale(seed: int) -> None:
    """Words of scales beside names, words of several scales, words of several languages."""
    rng = random.Random(seed)
    names = [labels.split("|") for some in NAMES.values() for labels in some]
    scales = [labels.split("|") for some in SCALES.values() for _, labels in some]
    wrong = []
    for _ in range(500):
        steps, others = rng.choice(scales), rng.choice(names)
        alien = rng.choice([x for x in others if x not in steps])
        mixed = [*rng.sample(steps, min(3, len(steps) - 1)), alien]
        known = any(set(mixed) <= set(every) for every in scales)
        if label_scale(mixed) and not known:
            wrong.append(mixed)
    assert len(wrong) <= 0.02 * 500, wrong


@pytest.mark.parametrize(
    "labels",
    [
        ("never", "Never", "often", "always"),
        ("rarely", "seldom", "often"),
        ("often", "always"),
        ("good", 3, None),
        ("1 - agree", "2 - strongly disagree", "3 - neutral"),
    ],
)
def test_two_words_for_one_step_two_labels_and_numbers_out_of_order_are_names(
    labels: tuple[object, ...],
) -> None:
    assert label_scale(labels) is None
