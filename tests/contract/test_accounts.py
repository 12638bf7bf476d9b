"""Found = used + set aside, for every reader, by counts that do not come from the reader."""

from __future__ import annotations

import io
import json
import re
import sys
import tarfile
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import needed
from consilience.core.reading_account import Account
from consilience.exceptions import InputError, ReadingWarning
from consilience.io import load
from consilience.io.events import load_units
from consilience.io.registry import table_formats
from lookalikes import LOOKALIKES

sys.path.insert(0, str(Path(__file__).parent))
from test_units_formats import LOOK_ALIKES, write

quiet = pytest.mark.filterwarnings("ignore::consilience.exceptions.ReadingWarning")


def account_of(path: Path, **options: Any) -> Account:
    reading = load_units(path, **options).units.reading
    assert reading is not None
    assert reading.account.is_balanced
    return reading.account


def aside(account: Account) -> Counter[str]:
    found: Counter[str] = Counter()
    for one in account.set_aside:
        found[one.kind] += one.count
    return found


@quiet
@pytest.mark.parametrize("name", sorted(LOOK_ALIKES))
def test_every_look_alike_is_accounted_for(name: str, tmp_path: Path) -> None:
    case = LOOK_ALIKES[name]()
    loaded = load_units(write(tmp_path, case.files), **case.options)
    reading = loaded.units.reading
    assert reading is not None
    assert reading.account.is_balanced
    assert reading.account.used["units"] == loaded.units.n_units == len(case.units) or (
        loaded.units.span is not None
    )
    assert (reading.format, bool(reading.rater), bool(reading.session)) == (name, True, True)
    assert {"found", "used", "set_aside", "format"} <= set(reading.to_dict())


BRAT = (
    "T1\tPER 0 3\tAnn\nT2\tLOC 7 12\tParis\nR1\tin Arg1:T1 Arg2:T2\t\nE1\tBe:T1 a:T2\n"
    "A1\tNegated T1\nM1\tSure T2\n*\tEquiv T1 T2\nN1\tReference T1 Wiki:1\tAnn\n#1\tNote T1\tx\n"
)


@quiet
def test_lines_of_brat_by_their_first_letter(tmp_path: Path) -> None:
    for who in ("ann", "bob"):
        (tmp_path / who).mkdir()
        (tmp_path / who / "doc.ann").write_text(BRAT, encoding="utf-8")
        (tmp_path / who / "doc.txt").write_text("Ann in Paris", encoding="utf-8")
    letters = Counter(line[0] for line in BRAT.splitlines())
    account = account_of(tmp_path)
    found = account.found
    assert found["units"] == 2 * letters["T"] == account.used["units"]
    assert found["relations"] == 2 * letters["R"]
    assert found["attributes"] == 2 * (letters["A"] + letters["M"])
    assert (found["events"], found["equivalences"], found["notes"]) == (2, 2, 2)
    matters = {one.kind for one in account.that_matters}
    assert matters == {"relations", "attributes", "events", "equivalences", "normalizations"}


def test_python_is_warned_of_what_could_matter(tmp_path: Path) -> None:
    for who in ("ann", "bob"):
        (tmp_path / who).mkdir()
        (tmp_path / who / "doc.ann").write_text(BRAT, encoding="utf-8")
        (tmp_path / who / "doc.txt").write_text("Ann in Paris", encoding="utf-8")
    with pytest.warns(ReadingWarning, match="2 relations set aside: they are not measured yet"):
        load_units(tmp_path)


def result(kind: str, key: str, **value: Any) -> dict[str, Any]:
    return {"id": key, "type": kind, "from_name": kind, "to_name": "t", "value": value}


def label_studio(*results: dict[str, Any], **more: Any) -> str:
    made = [{"completed_by": who, "result": list(results), **more} for who in (1, 2)]
    gone = {"completed_by": 3, "was_cancelled": True, "result": list(results)}
    task = {"id": 1, "data": {"text": "a fox ran"}, "annotations": [*made, gone]}
    return json.dumps([task | {"predictions": [{"result": []}]}])


SPAN = result("labels", "r1", start=2, end=5, text="fox", labels=["A"])
BOX = result("rectanglelabels", "b1", x=1, y=2, width=3, height=4, rectanglelabels=["car"])
RELATION = {"type": "relation", "from_id": "r1", "to_id": "r2", "direction": "right"}
CHOICE = result("choices", "c1", choices=["yes"])
OF_SPAN = result("choices", "r1", choices=["sure"])


@quiet
def test_results_of_label_studio_by_type(tmp_path: Path) -> None:
    given = [SPAN, BOX, RELATION, CHOICE, OF_SPAN]
    (tmp_path / "p.json").write_text(label_studio(*given), encoding="utf-8")
    account = account_of(tmp_path)
    types = Counter(r["type"] for a in json.loads((tmp_path / "p.json").read_text())[0]
                    ["annotations"] for r in a["result"])  # fmt: skip
    assert account.found["units"] == types["labels"]
    assert account.found["boxes"] == types["rectanglelabels"]
    assert account.found["relations"] == types["relation"]
    assert account.found["answers"] + account.found["attributes"] == types["choices"]
    assert account.found["entries"] == 4
    assert account.used["entries"] == 2


def test_boxes_are_said_not_to_be_measured_yet(tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text(label_studio(BOX), encoding="utf-8")
    with pytest.raises(InputError, match="boxes, polygons and other shapes is not measured yet"):
        load_units(tmp_path)


@quiet
def test_tiers_of_an_eaf(tmp_path: Path) -> None:
    case = LOOK_ALIKES["eaf"]()
    root = ET.fromstring(case.files["film.eaf"])
    account = account_of(write(tmp_path, case.files))
    assert account.found["tiers"] == len(root.findall("TIER"))
    assert account.found["units"] == len(root.findall("TIER/ANNOTATION"))
    assert aside(account) == {"units": 3, "tiers": 2}  # one rater alone has them


@quiet
def test_annotations_of_an_xmi_by_layer(tmp_path: Path) -> None:
    cassis = needed.package("cassis")
    base = "de.tudarmstadt.ukp.dkpro.core.api."
    names = {
        "webanno.custom.Entity": 1, base + "segmentation.type.Token": 3,
        base + "segmentation.type.Sentence": 1, base + "lexmorph.type.pos.POS": 3,
        base + "metadata.type.TagsetDescription": 1,
    }  # fmt: skip
    for rater in ("R1", "R2"):
        types = cassis.TypeSystem()
        made = {}
        for name in names:
            made[name] = types.create_type(name, "uima.tcas.Annotation")
            types.create_feature(made[name], "value", "uima.cas.String")
        cas = cassis.Cas(types)
        cas.sofa_string, cas.sofa_mime = "a fox ran", "text/plain"
        for name, often in names.items():
            for k in range(often):
                cas.add(made[name](begin=2 * k, end=2 * k + 1, value="x"))
        (tmp_path / f"doc_{rater}.xmi").write_text(cas.to_xmi(), encoding="utf-8")
        (tmp_path / "TypeSystem.xml").write_text(types.to_xml(), encoding="utf-8")
    loaded = load_units(tmp_path)
    assert loaded.units.tiers == ("Entity",)
    account = account_of(tmp_path)
    told = {one.name: one.count for one in account.set_aside if one.kind == "units"}
    assert told == {"Token": 6, "Sentence": 2, "POS": 6, "TagsetDescription": 2}
    assert [one.name for one in account.that_matters] == ["POS"]
    assert load_units(tmp_path, tier="Token").units.n_units == 6


@quiet
def test_layers_of_relations_in_webanno(tmp_path: Path) -> None:
    case = LOOK_ALIKES["webanno"]()
    account = account_of(write(tmp_path, case.files))
    text = "\n".join(data.decode() for data in case.files.values())
    assert bool(re.search("#T_RL|#T_CH", text)) == ("relations" in account.found)


NOISE = {
    "README.md": b"# data", "LICENSE.txt": b"MIT", "LICENSE": b"MIT", ".hidden.csv": b"a,b",
    "__MACOSX/._a.csv": b"x", ".DS_Store": b"x", "Thumbs.db": b"x", "annotation.conf": b"[x]",
    "photo.png": b"x",
}  # fmt: skip


def test_noise_in_a_folder_is_no_data(tmp_path: Path) -> None:
    table = b"rater,start,end,label\na,0,5,x\nb,0,6,x\n"
    write(tmp_path, {"units.csv": table, **NOISE})
    account = account_of(tmp_path)
    assert account.used["files"] == 1
    assert not account.that_matters
    assert account.found["files"] == 1 + len(NOISE) - 1  # the folder of the system is not entered


def packed(files: dict[str, bytes], mode: str = "w:gz", **odd: Any) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            for key, value in odd.items():
                setattr(info, key, value)
            archive.addfile(info, io.BytesIO(data) if info.isreg() else None)
    return stream.getvalue()


BRAT_FILES = {
    f"corpus/{who}/doc.{ending}": data
    for who in ("ann", "bob")
    for ending, data in (("ann", b"T1\tPER 0 3\tAnn\n"), ("txt", b"Ann in Paris"))
} | {"corpus/README": b"x", "__MACOSX/corpus/._README": b"x"}


@pytest.mark.parametrize("name", ["c.tar.gz", "c.tgz", "c.tar"])
def test_a_tar_archive_is_read_like_a_zip(name: str, tmp_path: Path) -> None:
    data = packed(BRAT_FILES, "w" if name.endswith("tar") else "w:gz")
    (tmp_path / name).write_bytes(data)
    units = load_units(tmp_path / name).units
    assert (units.raters, units.n_units) == (("ann", "bob"), 2)
    (tmp_path / name).write_bytes(data[: len(data) // 2])
    with pytest.raises(InputError):
        load_units(tmp_path / name)


@pytest.mark.parametrize(
    ("files", "odd"),
    [
        ({"../out.ann": b"T1\tA 0 1\tx"}, {}),
        ({"/etc/out.ann": b"T1\tA 0 1\tx"}, {}),
        ({"a.ann": b""}, {"type": tarfile.SYMTYPE, "linkname": "/etc/passwd"}),
        ({"a.ann": b""}, {"type": tarfile.LNKTYPE, "linkname": "b.ann"}),
        ({"a.ann": b""}, {"type": tarfile.FIFOTYPE}),
        ({"a.ann": b" " * (300 << 20)}, {}),
    ],
)
def test_a_hostile_tar_archive_is_refused(
    files: dict[str, bytes], odd: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "c.tgz").write_bytes(packed(files, **odd))
    with pytest.raises(InputError):
        load_units(tmp_path / "c.tgz")


EXPORTS = sorted(set(LOOKALIKES) - set(table_formats()))


@pytest.mark.parametrize("name", EXPORTS)
def test_every_entry_of_an_export_is_accounted_for(name: str, tmp_path: Path) -> None:
    one = LOOKALIKES[name]
    if one.needs is not None:
        needed.package(one.needs)
    loaded = load(one.write(tmp_path))
    reading = loaded.reading
    account = reading.account
    assert account.is_balanced
    runs = [one for ratings in loaded.groups.values() for one in ratings.occasions]
    assert account.used["entries"] == sum(one.n_ratings for one in runs)
    assert reading.states is not None
    away = [x.count for x in account.set_aside if x.kind == "entries" and "excluded" in x.reason]
    assert sum(away) == sum(reading.states["excluded"].values())


def test_boxes_in_an_export_of_ratings_are_counted(tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text(label_studio(CHOICE, BOX, RELATION), encoding="utf-8")
    loaded = load(tmp_path / "p.json")
    assert loaded.reading.account.found["boxes"] == 3
    assert any("not measured yet" in note.message for note in loaded.reading.notes)
