"""The same jobs as the peers do them; runs only in the peers' own environment."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks import _data as data
from benchmarks._call import Call, Values


def _reliability_data(size: int) -> Any:
    return np.ascontiguousarray(data.floats_with_gaps(size, 5, missing=0.2).T)


def _krippendorff(matrix: Any, level: str = "nominal") -> Values:
    import krippendorff

    return {"alpha": krippendorff.alpha(reliability_data=matrix, level_of_measurement=level)}


def _krippendorff_bootstrap(matrix: Any) -> Values:
    rng = np.random.default_rng(0)
    for _ in range(20):
        _krippendorff(matrix[:, rng.integers(0, matrix.shape[1], matrix.shape[1])])
    return _krippendorff(matrix)


def _irrcac_bootstrap(frame: Any) -> Values:
    from irrCAC.raw import CAC

    rng = np.random.default_rng(0)
    for _ in range(5):
        drawn = CAC(frame.iloc[rng.integers(0, len(frame), len(frame))].reset_index(drop=True))
        for method in ("krippendorff", "fleiss", "gwet"):
            getattr(drawn, method)()
    return {"alpha": float(CAC(frame).krippendorff()["est"]["coefficient_value"])}


def _krippendorff_head(matrix: Any) -> Values:
    return {"alpha, head": _krippendorff(matrix, "interval")["alpha"]}


def _krippendorff_long(frame: Any) -> Values:
    import krippendorff

    counts = frame.groupby(["item", "label"]).size().unstack(fill_value=0)
    value = krippendorff.alpha(value_counts=counts.to_numpy(), level_of_measurement="nominal")
    return {"alpha": value}


def _crowd(size: int, *, shuffled: bool) -> Any:
    import pandas as pd

    return pd.DataFrame(data.crowd(size, shuffled=shuffled))


def _tasks(size: int) -> Any:
    return _crowd(size, shuffled=False).rename(columns={"item": "task", "rater": "worker"})


def _crowd_kit(frame: Any) -> Values:
    model = _crowd_kit_model(frame)
    counts = model.labels_.value_counts()
    return {f"items of label {k}": int(counts.get(k, 0)) for k in range(data.N_LABELS)}


def _crowd_kit_model(frame: Any) -> Any:
    from crowdkit.aggregation import DawidSkene

    return DawidSkene(n_iter=10, tol=0.0).fit(frame)


def _crowd_kit_likelihood(frame: Any) -> Values:
    """The log-likelihood of the parameters that crowd-kit ends with."""
    model = _crowd_kit_model(frame)
    labels = list(range(data.N_LABELS))
    places = model.errors_.index.get_indexer(
        list(zip(frame["worker"], frame["label"], strict=True))
    )
    logs = np.log(model.errors_[labels].to_numpy())[places]
    joint = np.zeros((frame["task"].max() + 1, len(labels)))
    np.add.at(joint, frame["task"].to_numpy(), logs)
    joint += np.log(model.priors_[labels].to_numpy())
    top = joint.max(axis=1)
    total = np.log(np.exp(joint - top[:, None]).sum(axis=1)) + top
    return {"log-likelihood after 11": float(total.sum())}


def _irrcac_frame(size: int) -> Any:
    import pandas as pd

    return pd.DataFrame(data.floats_with_gaps(size, 5, missing=0.2))


def _irrcac(frame: Any) -> Values:
    from irrCAC.raw import CAC

    analysis = CAC(frame)
    jobs = {"S": "bp", "pi": "fleiss", "kappa": "conger", "alpha": "krippendorff", "AC1": "gwet"}
    found = {name: getattr(analysis, method)()["est"] for name, method in jobs.items()}
    values = {name: float(estimate["coefficient_value"]) for name, estimate in found.items()}
    return {**values, "percent": float(found["pi"]["pa"])}


def _irrcac_head(frame: Any) -> Values:
    return {f"{name}, head": value for name, value in _irrcac(frame).items()}


def _sklearn(columns: Any) -> Values:
    from sklearn.metrics import cohen_kappa_score

    return {"kappa": float(cohen_kappa_score(*columns))}


def _statsmodels_kappa(columns: Any) -> Values:
    from statsmodels.stats.inter_rater import cohens_kappa, to_table

    result = cohens_kappa(to_table(np.stack(columns, axis=1))[0])
    return {"kappa": result.kappa, "se(kappa)": result.std_kappa}


def _statsmodels_fleiss(array: Any) -> Values:
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    return {"pi": float(fleiss_kappa(aggregate_raters(array)[0]))}


def _triples(rows: Any) -> Any:
    return [
        (rater, item, label)
        for item, row in enumerate(rows)
        for rater, label in enumerate(row)
        if label != data.MISSING
    ]


def _nltk(triples: Any) -> Values:
    from nltk.metrics.agreement import AnnotationTask

    return {"alpha": AnnotationTask(data=triples).alpha()}


def _nltk_masi(triples: Any) -> Values:
    from nltk.metrics import masi_distance
    from nltk.metrics.agreement import AnnotationTask

    return {"alpha": AnnotationTask(data=triples, distance=masi_distance).alpha()}


def _pygamma_continuum(size: int) -> Any:
    from pyannote.core import Segment
    from pygamma_agreement import Continuum

    continuum = Continuum()
    units = data.continuum(size, 3)
    for rater, start, end, label in zip(
        *(units[name].tolist() for name in ("rater", "start", "end", "label")), strict=True
    ):
        continuum.add(rater, Segment(start, end), label)
    return continuum


def _pygamma(continuum: Any) -> Values:
    from pygamma_agreement import CombinedCategoricalDissimilarity

    dissimilarity = CombinedCategoricalDissimilarity(alpha=3, beta=1, delta_empty=1)
    return {"disorder": float(continuum.get_best_alignment(dissimilarity).disorder)}


def _columns(size: int) -> Any:
    return [np.ascontiguousarray(column) for column in data.integers(size, 2).T]


def _segeval_dataset(size: int) -> Any:
    from segeval.data import Dataset

    masses = data.segmentations(size, 4)
    return Dataset({t: {r: tuple(masses[r][t]) for r in masses} for t in masses["0"]})


def _segeval(dataset: Any) -> Values:
    from segeval import fleiss_pi_linear

    return {"pi": float(fleiss_pi_linear(dataset))}


def _measurements_long(size: int) -> Any:
    import pandas as pd

    values = data.measurements(size, 5)
    item, rater = np.indices(values.shape)
    return pd.DataFrame({"item": item.ravel(), "rater": rater.ravel(), "value": values.ravel()})


def _pingouin(frame: Any) -> Values:
    import pingouin

    found = pingouin.intraclass_corr(frame, "item", "rater", "value")
    named = zip(found["Type"], found["ICC"], strict=True)
    return {name.replace("(1,1)", "(1)").replace("(1,k)", "(k)"): x for name, x in named}


def _krippendorff_parquet(path: str) -> Values:
    import pandas as pd

    return _krippendorff_long(pd.read_parquet(path, columns=["item", "label"]))


CALLS = {
    "pingouin": Call("pingouin, six ICC forms, intervals", _measurements_long, _pingouin),
    "krippendorff-parquet": Call(
        "pandas + krippendorff, alpha", data.parquet, _krippendorff_parquet
    ),
    "krippendorff": Call("krippendorff, alpha", _reliability_data, _krippendorff),
    "krippendorff-bootstrap": Call(
        "krippendorff, alpha, 20 of them", _reliability_data, _krippendorff_bootstrap
    ),
    "irrcac-bootstrap": Call("irrCAC, alpha, pi, AC1, 5 of them", _irrcac_frame, _irrcac_bootstrap),
    "krippendorff-interval-head": Call(
        f"krippendorff, alpha, first {data.HEAD_OF_FLOATS} items",
        lambda size: np.ascontiguousarray(data.measurements(size, 3)[: data.HEAD_OF_FLOATS].T),
        _krippendorff_head,
    ),
    "krippendorff-sorted": Call(
        "pandas + krippendorff, alpha",
        lambda size: _crowd(size, shuffled=False),
        _krippendorff_long,
    ),
    "krippendorff-shuffled": Call(
        "pandas + krippendorff, alpha",
        lambda size: _crowd(size, shuffled=True),
        _krippendorff_long,
    ),
    "crowd-kit": Call(
        "crowd-kit, Dawid-Skene, ten iterations",
        _tasks,
        _crowd_kit,
        check=_crowd_kit_likelihood,
    ),
    "irrcac": Call("irrCAC, five coefficients, errors", _irrcac_frame, _irrcac),
    "irrcac-head": Call(
        f"irrCAC, first {data.HEAD:,} items",
        lambda size: _irrcac_frame(min(size, data.BLOCK)).iloc[: data.HEAD],
        _irrcac_head,
    ),
    "segeval": Call("segeval, pi", _segeval_dataset, _segeval),
    "sklearn": Call("scikit-learn, kappa", _columns, _sklearn),
    "sklearn-text": Call("scikit-learn, kappa, numpy text", data.texts, _sklearn),
    "sklearn-objects": Call(
        "scikit-learn, kappa, objects",
        lambda size: [column.astype(object) for column in data.texts(size)],
        _sklearn,
    ),
    "statsmodels-kappa": Call("statsmodels, kappa, error", _columns, _statsmodels_kappa),
    "statsmodels-fleiss": Call(
        "statsmodels, pi", lambda size: data.integers(size, 5), _statsmodels_fleiss
    ),
    "nltk": Call(
        "nltk, alpha", lambda size: _triples(data.integers(size, 5, missing=0.2).tolist()), _nltk
    ),
    "pygamma": Call("pygamma-agreement, one best alignment", _pygamma_continuum, _pygamma),
    "nltk-masi": Call("nltk, MASI alpha", lambda size: _triples(data.sets(size, 5)), _nltk_masi),
}
