"""Small studies for the figures of these pages, the same every time."""

from pathlib import Path

import numpy as np

import consilience as cs

rng = np.random.default_rng(7)

pilot = cs.Ratings.from_table([[24, 9], [11, 16]])
first = cs.Ratings.from_table([[30, 6], [8, 26]])
second = cs.Ratings.from_table([[33, 3], [2, 32]])
estimates = [cs.scott_pi(part) for part in (pilot, first, second)]
values = np.array([[0.9, 0.1], [0.3, 0.7]])

# Two teachers mark 40 essays; the second is stricter by about three points.
first_marks = rng.normal(62, 10, 40).round()
second_marks = (first_marks - 3 + rng.normal(0, 4, 40)).round()

# Thirty people label 300 items, five each item; two of them guess.
truth = rng.integers(0, 3, 300)
who = np.stack([rng.choice(30, 5, replace=False) for _ in truth])
right = rng.random(who.shape) < np.where(who < 2, 0.4, 0.85)
given = np.where(right, truth[:, None], rng.integers(0, 3, who.shape))
crowd = cs.Ratings.from_long(
    {
        "item": np.repeat(np.arange(300), 5),
        "rater": [f"worker {k + 1:02}" for k in who.ravel()],
        "label": [("negative", "neutral", "positive")[k] for k in given.ravel()],
    },
    item="item",
    rater="rater",
    label="label",
)

# Three people and a model score 60 answers from 1 to 5.
score = rng.integers(1, 6, 60)
verdicts = cs.Ratings.from_wide(
    np.stack([np.clip(score + rng.integers(-1, 2, 60), 1, 5) for _ in range(4)], axis=1),
    raters=["Ann", "Bob", "Cid", "model"],
    scale="ordinal",
)

# Haley et al. (2008), Table 1-1: two systems, by how far they were off.
published = {
    "system A": cs.panel.differences({0: 80, 3: 5, 4: 15}),
    "system B": cs.panel.differences({0: 75, 1: 25}),
}

# The same system with 10 to 60 dimensions.
dimensions = {
    10: cs.panel.differences({0: 65, 1: 25, 2: 10}),
    30: cs.panel.differences({0: 72, 1: 22, 2: 6}),
    60: cs.panel.differences({0: 61, 1: 30, 2: 9}),
}
names = [measure(verdicts, distance="nominal") for measure in (cs.scott_pi, cs.cohen_kappa)]
steps = [measure(verdicts, distance="linear") for measure in (cs.scott_pi, cs.cohen_kappa)]

units = cs.read_units("examples/gestures.csv", time_unit="ms")

# The study of the page on judges: three judges on 320 answers, a person on 120 of them.
both = cs.judges.join_people(
    cs.read("examples/judges/verdicts.jsonl", excluded="label"),
    cs.read("examples/judges/people.csv", shape="wide", item="id", rater="Ann"),
).ratings
rates = [
    cs.judges.corrected_rate(both, "pass", judge=name, people="Ann", refusals="refusal")
    for name in ("gpt-4o", "gpt-4o-mini", "claude-3")
]
errors = cs.judges.effective_judges(both, people="Ann", refusals="refusal")
battles = [
    dict(zip(("prompt", "judge", "first", "second", "winner"), line.split(","), strict=True))
    for line in Path("examples/judges/battles.csv").read_text("utf-8").splitlines()[1:]
]
order = cs.judges.preferences(battles, item="prompt", method="bootstrap", n_resamples=99)

# A judge whose agreement falls after the fourth of eight batches.
own = rng.integers(0, 2, 400)
agrees = rng.random(400) < np.where(np.arange(400) < 200, 0.96, 0.66)
watched = cs.judges.watch_judge(
    cs.Ratings.from_wide(
        {"Ann": own.tolist(), "judge": np.where(agrees, own, 1 - own).tolist()}, scale="nominal"
    ),
    [1 + k // 50 for k in range(400)],
    judge="judge",
)

# Eight people on the tone of 60 answers, and what a model expects of them.
opinions = cs.read("examples/judges/opinions.csv")
guesses = {
    line.split(",")[0]: dict(
        zip(("rude", "neutral", "kind"), map(float, line.split(",")[1:]), strict=True)
    )
    for line in Path("examples/judges/too_sure.csv").read_text("utf-8").splitlines()[1:]
}
predicted = cs.judges.soft_agreement(opinions, guesses)
