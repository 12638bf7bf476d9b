"""Make the study of docs/judges.md: a judge that is too kind, and a second one that copies it.

Nothing here was measured: the answers, the verdicts and the people are drawn with a fixed seed, so
that the page can say what is true and what was found. Run it to write the files anew.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
N_PROMPTS, SYSTEMS = 160, ("v1", "v2")
TRUE_RATE = {"v1": 0.62, "v2": 0.70}
KIND = {"gpt-4o": (0.97, 0.5), "gpt-4o-mini": (0.94, 0.55), "claude-3": (0.90, 0.88)}
COPIES = 0.6  # how often the small model makes the large one's mistake
LABELLED = 60  # prompts, both answers


CROWD = ("Ann", "Ben", "Cleo", "Dan", "Eva", "Fay", "Gus", "Hal")
TONES = ("rude", "neutral", "kind")


def main() -> None:
    """Write every file of the study."""
    opinions(np.random.default_rng(20261117))
    rng = np.random.default_rng(20261116)
    hard = rng.beta(2.0, 2.0, N_PROMPTS)
    rows, labels = [], []
    chosen = set(rng.permutation(N_PROMPTS)[:LABELLED].tolist())
    for prompt in range(N_PROMPTS):
        for system in SYSTEMS:
            good = rng.random() < np.clip(TRUE_RATE[system] + 0.5 * (0.5 - hard[prompt]), 0, 1)
            name = f"{system}-{prompt:03d}"
            tokens = int(rng.lognormal(5.2 if system == "v2" else 4.8, 0.4))
            about = {"prompt": f"p{prompt:03d}", "system": system, "tokens": tokens,
                     "week": 1 + prompt // 40}  # fmt: skip
            rows += verdicts(name, about, bool(good), rng)
            if prompt in chosen:
                labels.append((name, "pass" if good == (rng.random() < 0.97) else "fail"))
    with (HERE / "verdicts.jsonl").open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in rows)
    write("people.csv", [("id", "Ann"), *labels])
    write("battles.csv", [("prompt", "judge", "first", "second", "winner"), *battles(rng)])


def write(name: str, rows: list[tuple[object, ...]]) -> None:
    """Write one table."""
    with (HERE / name).open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)


def verdicts(
    name: str, about: dict[str, object], good: bool, rng: np.random.Generator
) -> list[dict[str, object]]:
    """One verdict by each judge; the large model refuses now and then."""
    wrong: dict[str, bool] = {}
    rows = []
    for judge, (sensitivity, specificity) in KIND.items():
        right = sensitivity if good else specificity - 0.1 * (float(str(about["tokens"])) > 200)
        wrong[judge] = bool(rng.random() > right)
        if judge == "gpt-4o-mini" and rng.random() < COPIES:
            wrong[judge] = wrong["gpt-4o"]
        said = "pass" if good != wrong[judge] else "fail"
        if judge == "gpt-4o" and rng.random() < 0.02:
            said = "refusal"
        rows.append({"id": name, "judge": judge, "verdict": said, **about})
    return rows


def opinions(rng: np.random.Generator) -> None:
    """Eight people on the tone of 60 answers, and what two models expect of them.

    The first model is calibrated, the second far too sure of itself; both favour the same label.
    """
    truth = rng.dirichlet(np.full(3, 0.9), 60)
    names = [f"a{k:02d}" for k in range(60)]
    given = [rng.choice(3, len(CROWD), p=row) for row in truth]
    noisy = np.array([rng.dirichlet(40 * row + 0.5) for row in truth])
    sure = noisy**4 / (noisy**4).sum(axis=1, keepdims=True)
    people = [(name, *(TONES[k] for k in row)) for name, row in zip(names, given, strict=True)]
    write("opinions.csv", [("id", *CROWD), *people])
    for model, guess in (("calibrated", noisy), ("too_sure", sure)):
        whole = np.round(guess, 4)
        whole[:, 1] = np.round(1.0 - whole[:, 0] - whole[:, 2], 4)
        rows = [(name, *map(float, row)) for name, row in zip(names, whole, strict=True)]
        write(f"{model}.csv", [("id", *TONES), *rows])


def battles(rng: np.random.Generator) -> list[tuple[str, str, str, str, str]]:
    """Two judges on pairs of three systems, with a taste for the first place."""
    ability = {"v1": 0.0, "v2": 0.45, "v3": 0.55}
    rows = []
    for prompt in range(60):
        for a, b in (("v1", "v2"), ("v2", "v3"), ("v3", "v1")):
            first, second = (a, b) if rng.random() < 0.5 else (b, a)
            for judge in ("gpt-4o", "claude-3"):
                edge = ability[first] - ability[second] + (0.4 if judge == "gpt-4o" else 0.1)
                weights = np.array([np.exp(edge), 1.0, 0.5 * np.exp(edge / 2)])
                won = rng.choice(3, p=weights / weights.sum())
                rows.append((f"p{prompt:02d}", judge, first, second, (first, second, "tie")[won]))
    return rows


if __name__ == "__main__":
    main()
