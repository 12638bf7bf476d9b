"""Tables of measurements: numbers that hardly come back are a scale, not a list of labels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import consilience as cs

NAMES = (
    ("Ann", "Bob", "Cy", "Dee", "Eve", "Flo"),
    ("R1", "R2", "R3", "R4", "R5", "R6"),
    ("rater_a", "rater_b", "rater_c", "rater_d", "rater_e", "rater_f"),
)
SHAPES = {
    "normal": lambda x: x,
    "skewed": np.exp,
    "bounded": lambda x: 10.0 / (1.0 + np.exp(-x)),
    "folded": lambda x: 2.0 * np.abs(x),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(10))
def test_nobody_is_left_out_of_measurements(shape: str, seed: int, tmp_path: Path) -> None:
    """One of ten such tables was refused and one of a hundred lost a rater."""
    rng = np.random.default_rng([seed, *shape.encode()])
    n_items, n_raters, digits = rng.integers(8, 120), rng.integers(2, 7), rng.integers(1, 4)
    noise, low, width = rng.choice([0.1, 0.6, 1.0]), rng.choice([0, 5, 500]), rng.choice([1, 10])
    truth = rng.normal(size=(n_items, 1))
    marks = low + width * SHAPES[shape](truth + noise * rng.normal(size=(n_items, n_raters)))
    names = NAMES[seed % len(NAMES)][:n_raters]
    lines = [",".join(["essay", *names])]
    lines += [f"e{k}," + ",".join(f"{x:.{digits}f}" for x in row) for k, row in enumerate(marks)]
    path = tmp_path / "marks.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert cs.read(path, scale="interval").raters == names


@pytest.mark.parametrize("beside", ["age", "temperature"])
def test_a_measure_with_another_scale_is_no_rater(beside: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    truth = rng.normal(3, 1, (50, 1)) + rng.normal(0, 0.3, (50, 3))
    lines = [f"essay,{beside},R1,R2,R3"]
    lines += [f"e{k},{rng.uniform(30, 80):.2f}," + ",".join(f"{x:.2f}" for x in row)
              for k, row in enumerate(truth)]  # fmt: skip
    path = tmp_path / "marks.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert cs.read(path, scale="interval").raters == ("R1", "R2", "R3")
