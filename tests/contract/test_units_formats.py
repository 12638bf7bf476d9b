"""Every format of units: a look-alike gives the expected units, and damage gives a sentence."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import needed
from consilience.exceptions import InputError
from consilience.io.events import load_units, read_units, unit_formats
from consilience.units import Units

# What is set aside on purpose is told; the accounts have tests of their own.
pytestmark = pytest.mark.filterwarnings("ignore::consilience.exceptions.ReadingWarning")

# More rounds for a long look: CONSILIENCE_FUZZ=20000 pytest tests/contract/test_units_formats.py
ROUNDS = int(os.environ.get("CONSILIENCE_FUZZ", "0"))
FEW, MANY = 25, 200  # a table starts a database each time

Row = tuple[str, str, str, Any, float, float]  # rater, session, tier, label, start, end


@dataclass(frozen=True)
class LookAlike:
    """Files as a program writes them, and what they must become."""

    files: dict[str, bytes]
    units: list[Row]
    time_unit: str
    options: dict[str, Any] = field(default_factory=dict)
    bounds: dict[str, list[float]] = field(default_factory=dict)
    rounds: int = MANY
    needs: str | None = None


EAF = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="" FORMAT="3.0" VERSION="3.0">
  <HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"/>
  <TIME_ORDER>
    <TIME_SLOT TIME_SLOT_ID="ts1" TIME_VALUE="0"/>
    <TIME_SLOT TIME_SLOT_ID="ts2"/>
    <TIME_SLOT TIME_SLOT_ID="ts3"/>
    <TIME_SLOT TIME_SLOT_ID="ts4" TIME_VALUE="900"/>
    <TIME_SLOT TIME_SLOT_ID="ts5" TIME_VALUE="1000"/>
    <TIME_SLOT TIME_SLOT_ID="ts6" TIME_VALUE="2000"/>
  </TIME_ORDER>
  <TIER LINGUISTIC_TYPE_REF="gesture" TIER_ID="hand_R1">
    <ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" CVE_REF="c1"
      TIME_SLOT_REF1="ts1" TIME_SLOT_REF2="ts2"><ANNOTATION_VALUE>wijzen</ANNOTATION_VALUE>
    </ALIGNABLE_ANNOTATION></ANNOTATION>
    <ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a2" TIME_SLOT_REF1="ts2"
      TIME_SLOT_REF2="ts3"><ANNOTATION_VALUE>rest</ANNOTATION_VALUE>
    </ALIGNABLE_ANNOTATION></ANNOTATION>
    <ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a3" TIME_SLOT_REF1="ts3"
      TIME_SLOT_REF2="ts4"><ANNOTATION_VALUE>beat &amp; rest</ANNOTATION_VALUE>
    </ALIGNABLE_ANNOTATION></ANNOTATION>
  </TIER>
  <TIER LINGUISTIC_TYPE_REF="gesture" TIER_ID="hand_R2">
    <ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a4" CVE_REF="c1" TIME_SLOT_REF1="ts5"
      TIME_SLOT_REF2="ts6"><ANNOTATION_VALUE>point</ANNOTATION_VALUE>
    </ALIGNABLE_ANNOTATION></ANNOTATION>
  </TIER>
  <TIER LINGUISTIC_TYPE_REF="part" PARENT_REF="hand_R2" TIER_ID="phase_R2">
    <ANNOTATION><REF_ANNOTATION ANNOTATION_ID="a6" ANNOTATION_REF="a4" PREVIOUS_ANNOTATION="a5">
      <ANNOTATION_VALUE>stroke</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>
    <ANNOTATION><REF_ANNOTATION ANNOTATION_ID="a5" ANNOTATION_REF="a4">
      <ANNOTATION_VALUE>prep</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>
  </TIER>
  <TIER LINGUISTIC_TYPE_REF="note" PARENT_REF="phase_R2" TIER_ID="note_R2">
    <ANNOTATION><REF_ANNOTATION ANNOTATION_ID="a7" ANNOTATION_REF="a6">
      <ANNOTATION_VALUE>fast</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>
  </TIER>
  <LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="gesture" CONTROLLED_VOCABULARY_REF="cv"/>
  <LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="part" CONSTRAINTS="Symbolic_Subdivision"/>
  <LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="note" CONSTRAINTS="Symbolic_Association"/>
  <CONTROLLED_VOCABULARY CV_ID="cv"><CV_ENTRY_ML CVE_ID="c1">
    <CVE_VALUE LANG_REF="eng">point</CVE_VALUE><CVE_VALUE LANG_REF="nld">wijzen</CVE_VALUE>
  </CV_ENTRY_ML></CONTROLLED_VOCABULARY>
</ANNOTATION_DOCUMENT>
"""
EAF_UNITS: list[Row] = [
    ("R1", "film", "hand", "point", 0, 300),
    ("R1", "film", "hand", "rest", 300, 600),
    ("R1", "film", "hand", "beat & rest", 600, 900),
    ("R2", "film", "hand", "point", 1000, 2000),
    ("R2", "film", "phase", "stroke", 1500, 2000),
    ("R2", "film", "phase", "prep", 1000, 1500),
    ("R2", "film", "note", "fast", 1500, 2000),
]

TEXTGRID = """File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 2.5
tiers? <exists>
size = 3
item []:
    item [1]:
        class = "IntervalTier"
        name = "mood_R1"
        xmin = 0
        xmax = 2.5
        intervals: size = 3
        intervals [1]:
            xmin = 0
            xmax = 0.5
            text = ""
        intervals [2]:
            xmin = 0.5
            xmax = 1.25
            text = "so ""glad""
indeed"
        intervals [3]:
            xmin = 1.25
            xmax = 2.5
            text = "sad"
    item [2]:
        class = "IntervalTier"
        name = "mood_R2"
        xmin = 0
        xmax = 2.5
        intervals: size = 1
        intervals [1]:
            xmin = 0
            xmax = 2.5
            text = "sad"
    item [3]:
        class = "TextTier"
        name = "nod_R2"
        xmin = 0
        xmax = 2.5
        points: size = 1
        points [1]:
            number = 1.5
            mark = "nod"
"""

BORIS = {
    "time_format": "s",
    "behaviors_conf": {
        "0": {"type": "Point event", "code": "peck"},
        "1": {"type": "State event", "code": "sleep"},
    },
    "observations": {
        "day 1 Anna": {
            "type": "MEDIA",
            "file": {"1": ["hen.mp4"]},
            "media_info": {"length": {"hen.mp4": 60.5}},
            "independent_variables": {"observer": "Anna"},
            "events": [[1.5, "hen", "sleep", "", ""], [9.25, "hen", "sleep", "", ""],
                       [12.0, "", "peck", "hard", ""]],
        },
        "day 1 Ben": {
            "type": "MEDIA",
            "file": {"1": ["hen.mp4"]},
            "media_info": {"length": {"hen.mp4": 60.5}},
            "independent_variables": {"observer": "Ben"},
            "events": [[2.0, "hen", "sleep", "", ""], [9.0, "hen", "sleep", "", ""]],
        },
    },
}  # fmt: skip
BORIS_TABLE = (
    "Observation id\tMedia file\tTotal length\tSubject\tBehavior\tModifiers\tBehavior type\t"
    "Start (s)\tStop (s)\tDuration (s)\n"
    "Anna\then.mp4\t60.5\then\tsleep\t\tSTATE\t1.500\t9.250\t7.750\n"
    "Anna\then.mp4\t60.5\tNo focal subject\tpeck\thard\tPOINT\t12.000\t12.000\tNA\n"
    "Ben\then.mp4\t60.5\then\tsleep\t\tSTATE\t2.000\t9.000\t7.000\n"
)
WEBANNO = """#FORMAT=WebAnno TSV 3.3
#T_SP=webanno.custom.Entity|identifier|value
#T_RL=webanno.custom.Rel|kind|BT_webanno.custom.Entity


#Text=Jan 🙂 saw New York .
1-1\t0-3\tJan\t*\tPER\t_\t_\t
1-2\t4-6\t🙂\t_\t_\t_\t_\t
1-3\t7-10\tsaw\t_\t_\tsees\t1-1\t
1-4\t11-14\tNew\t*[1]|*[2]\tLOC[1]|A\\|B[2]\t_\t_\t
1-5\t15-19\tYork\t*[1]|*[2]\tLOC[1]|A\\|B[2]\t_\t_\t
1-6\t20-21\t.\t_\t_\t_\t_\t
"""
LABEL_STUDIO = [
    {
        "id": 7,
        "data": {"text": "a 🙂 fox and a dog"},
        "annotations": [
            {"completed_by": {"id": 1, "email": "jo@example.org"}, "created_at": "2024-01-02",
             "result": [
                 {"id": "x", "from_name": "ner", "type": "labels",
                  "value": {"start": 5, "end": 8, "text": "fox", "labels": ["ANIMAL"]}},
                 {"from_id": "x", "to_id": "y", "type": "relation"}]},
            {"completed_by": 1, "created_at": "2024-01-01",
             "result": [{"id": "o", "from_name": "ner", "type": "labels",
                         "value": {"start": 0, "end": 1, "text": "a", "labels": ["OLD"]}}]},
            {"completed_by": 2, "result": [
                {"id": "z", "from_name": "ner", "type": "labels",
                 "value": {"start": 15, "end": 18, "text": "dog", "labels": ["ANIMAL", "PET"]}}]},
            {"completed_by": 3, "was_cancelled": True, "result": []},
        ],
    },
    {"id": 8, "data": {"text": "nothing"}, "annotations": [{"completed_by": 2, "result": []}]},
]  # fmt: skip


def parquet() -> bytes:
    pyarrow = needed.package("pyarrow")
    parquet = needed.package("pyarrow.parquet")
    table = pyarrow.table(
        {"coder": ["a", "b"], "film": ["f", "f"], "onset": [0.5, 1.0], "offset": [2.0, 2.25],
         "code": ["x", "y"]}
    )  # fmt: skip
    out = io.BytesIO()
    parquet.write_table(table, out)
    return out.getvalue()


def xmi() -> dict[str, bytes]:
    cassis = needed.package("cassis")
    files = {}
    for rater, label in (("R1", "ANIMAL"), ("R2", "PET")):
        types = cassis.TypeSystem()
        layer = types.create_type("custom.Entity", "uima.tcas.Annotation")
        types.create_feature(layer, "value", "uima.cas.String")
        cas = cassis.Cas(types)
        cas.sofa_string, cas.sofa_mime = "a 🙂 fox", "text/plain"
        cas.add(layer(begin=4, end=7, value=label))
        files[f"doc_{rater}.xmi"] = cas.to_xmi().encode()
        files["TypeSystem.xml"] = types.to_xml().encode()
    return files


def cas_json(*marks: tuple[int, int, str]) -> bytes:
    entity = "webanno.custom.Entity"
    types = {
        entity: {"%NAME": entity, "%SUPER_TYPE": "uima.tcas.Annotation",
                 "value": {"%NAME": "value", "%RANGE": "uima.cas.String"}},
        "webanno.custom.Mood": {"%SUPER_TYPE": "uima.cas.AnnotationBase",
                                "value": {"%RANGE": "uima.cas.String"}},
    }  # fmt: skip
    entries: list[dict[str, Any]] = [
        {"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaNum": 1, "sofaString": "a 🙂 fox"},
        {"%ID": 2, "%TYPE": "uima.tcas.DocumentAnnotation", "@sofa": 1, "begin": 0, "end": 8},
        {"%ID": 3, "%TYPE": "webanno.custom.Mood", "@sofa": 1, "value": "glad"},
    ]
    entries += [
        {"%ID": k, "%TYPE": entity, "@sofa": 1, "begin": begin, "end": end, "value": label}
        for k, (begin, end, label) in enumerate(marks, 4)
    ]
    return of(json.dumps({"%TYPES": types, "%FEATURE_STRUCTURES": entries, "%VIEWS": {}}))


def lines(*records: dict[str, Any]) -> bytes:
    return of("".join(json.dumps(record) + "\n" for record in records))


def task(key: int, who: str, *spans: tuple[int, int, str], **more: Any) -> dict[str, Any]:
    return {
        "text": "Jan saw Rome", "_input_hash": key, "_task_hash": -key, "answer": "accept",
        "_view_id": "ner_manual", "_annotator_id": f"news-{who}", "_session_id": f"news-{who}",
        "_timestamp": 1_700_000_000, "tokens": [],
        "spans": [{"start": a, "end": b, "label": label} for a, b, label in spans], **more,
    }  # fmt: skip


def argilla_record(key: str, *answers: tuple[str, str, list[tuple[int, int, str]]]) -> Any:
    """A flattened record: user, status, spans."""
    return {
        "id": key, "text": "Jan saw Rome", "tone.responses": ["good"],
        "tone.responses.users": ["u1"], "tone.responses.status": ["submitted"],
        "ner.responses": [[{"start": a, "end": b, "label": label} for a, b, label in spans]
                          for _, _, spans in answers],
        "ner.responses.users": [user for user, _, _ in answers],
        "ner.responses.status": [status for _, status, _ in answers],
    }  # fmt: skip


def potato(user: str, **items: list[tuple[int, int, str]]) -> bytes:
    spans = {
        item: [[{"schema": "ner", "name": label, "start": a, "end": b, "title": ""}, "true"]
               for a, b, label in marks]
        for item, marks in items.items()
    }  # fmt: skip
    return of(json.dumps({"user_id": user, "instance_id_to_label_to_value": {},
                          "instance_id_to_span_to_value": spans}))  # fmt: skip


def of(text: str) -> bytes:
    return text.encode("utf-8")


LOOK_ALIKES: dict[str, Callable[[], LookAlike]] = {
    "eaf": lambda: LookAlike({"film.eaf": of(EAF)}, EAF_UNITS, "ms", {"asked": "all"}),
    "textgrid": lambda: LookAlike(
        {"talk.TextGrid": of(TEXTGRID)},
        [
            ("R1", "talk", "mood", 'so "glad"\nindeed', 500, 1250),
            ("R1", "talk", "mood", "sad", 1250, 2500),
            ("R2", "talk", "mood", "sad", 0, 2500),
            ("R2", "talk", "nod", "nod", 1500, 1500),
        ],
        "ms",
        {"asked": "all"},
        bounds={"talk": [0, 2500]},
    ),
    "boris": lambda: LookAlike(
        {"hens.boris": of(json.dumps(BORIS))},
        [
            ("Anna", "hen.mp4", "hen", "sleep", 1500, 9250),
            ("Anna", "hen.mp4", "No focal subject", "peck", 12000, 12000),
            ("Ben", "hen.mp4", "hen", "sleep", 2000, 9000),
        ],
        "ms",
        {"rater": "variable:observer"},
        bounds={"hen.mp4": [0, 60500]},
    ),
    "boris-table": lambda: LookAlike(
        {"hens.tsv": of(BORIS_TABLE)},
        [
            ("Anna", "hen.mp4", "hen", "sleep", 1500, 9250),
            ("Anna", "hen.mp4", "No focal subject", "peck", 12000, 12000),
            ("Ben", "hen.mp4", "hen", "sleep", 2000, 9000),
        ],
        "ms",
        {"rater": "observation"},
        bounds={"hen.mp4": [0, 60500]},
    ),
    "brat": lambda: LookAlike(
        {
            "anna/d1.txt": of("Ä fox\nand a dog\n"),
            "anna/d1.ann": of(
                "T1\tANIMAL 2 5\tfox\nT2\tPAIR 2 5;12 15\tfox dog\n"
                "R1\tSees Arg1:T1 Arg2:T2\nA1\tOld T1\n#1\tAnnotatorNotes T1\twhy\n"
            ),
            "ben/d1.txt": of("Ä fox\r\nand a dog\r\n"),
            "ben/d1.ann": of("T1\tANIMAL 13 16\tdog\r\n"),
        },
        [
            ("anna", "d1", "tier", "ANIMAL", 2, 5),
            ("anna", "d1", "tier", "PAIR", 2, 5),
            ("anna", "d1", "tier", "PAIR", 12, 15),
            ("ben", "d1", "tier", "ANIMAL", 12, 15),
        ],
        "character",
        bounds={"d1": [0, 16]},
    ),
    "xmi": lambda: LookAlike(
        xmi(),
        [("R1", "doc", "Entity", "ANIMAL", 4, 7), ("R2", "doc", "Entity", "PET", 4, 7)],
        "character",
        bounds={"doc": [0, 7]},
        needs="cassis",
    ),
    "rttm": lambda: LookAlike(
        {
            "anna.rttm": of(
                "SPEAKER call 1 0.100 0.200 <NA> <NA> A <NA> <NA>\n"
                "SPKR-INFO call 1 <NA> <NA> <NA> unknown A <NA>\n"
                "SPEAKER call 1 1.5 2 <NA> <NA> B <NA> <NA>\n"
            ),
            "ben.rttm": of("SPEAKER call 1 0.125 0.25 <NA> <NA> A <NA> <NA>\n"),
        },
        [
            ("anna", "call", "tier", "A", 100, 300),
            ("anna", "call", "tier", "B", 1500, 3500),
            ("ben", "call", "tier", "A", 125, 375),
        ],
        "ms",
        {"rater": "file"},
    ),
    "webanno": lambda: LookAlike(
        {
            "doc_R1.tsv": of(WEBANNO),
            "doc_R2.tsv": of(WEBANNO.replace("\tPER\t", "\tORG\t")),
        },
        [
            (rater, "doc", "Entity", label, start, end)
            for rater, first in (("R1", "PER"), ("R2", "ORG"))
            for label, start, end in ((first, 0, 3), ("LOC", 10, 18), ("A|B", 10, 18))
        ],
        "character",
        bounds={"doc": [0, 20]},
    ),
    "easydiag": lambda: LookAlike(
        {
            "export.txt": of(
                "HandR1\t\t0\t10\tA\tC:\\films\\f1.eaf\nhandR2\t\t1\t11\tA\tC:\\films\\f1.eaf\n"
                "HandR1\t\t5\t9\tB\tC:\\films\\f2.eaf\n"
            )
        },
        [
            ("R1", "f1", "hand", "A", 0, 10),
            ("R2", "f1", "hand", "A", 1, 11),
            ("R1", "f2", "hand", "B", 5, 9),
        ],
        "ms",
    ),
    "elan-tab": lambda: LookAlike(
        {
            "export.txt": of(
                "hand-Anna\tP1\t00:00:00.780\t0.78\t780\t00:00:01.340\t1.34\t1340\t"
                "00:00:00.560\t0.56\t560\t1\n"
                "hand-Ben\tP1\t00:00:00.700\t0.7\t700\t00:00:01.340\t1.34\t1340\t"
                "00:00:00.640\t0.64\t640\t2\n"
            )
        },
        [("Anna", "export", "hand", "1", 780, 1340), ("Ben", "export", "hand", "2", 700, 1340)],
        "ms",
        {"rater": "tier-suffix"},
    ),
    "label-studio": lambda: LookAlike(
        {"project.json": of(json.dumps(LABEL_STUDIO))},
        [
            ("1", "7", "ner", "ANIMAL", 4, 7),
            ("2", "7", "ner", frozenset({"ANIMAL", "PET"}), 14, 17),
        ],
        "character",
        bounds={"7": [0, 17]},
    ),
    "cas-json": lambda: LookAlike(
        {
            "doc_R1.json": cas_json((5, 8, "ANIMAL")),  # the text has a character of two halves
            "doc_R2.json": cas_json((5, 8, "PET"), (0, 1, "X")),
        },
        [
            ("R1", "doc", "Entity", "ANIMAL", 4, 7),
            ("R2", "doc", "Entity", "PET", 4, 7),
            ("R2", "doc", "Entity", "X", 0, 1),
        ],
        "character",
        bounds={"doc": [0, 7]},
    ),
    "prodigy": lambda: LookAlike(
        {
            "news.jsonl": lines(
                task(1, "ann", (0, 3, "PER"), _timestamp=1),
                task(1, "ann", (0, 3, "ORG"), (8, 12, "LOC"), _timestamp=2),
                task(1, "bob", (8, 12, "LOC")),
                task(2, "ann"),
                task(2, "bob", (0, 3, "PER"), answer="ignore"),
            )
        },
        [
            ("news-ann", "1", "spans", "ORG", 0, 3),
            ("news-ann", "1", "spans", "LOC", 8, 12),
            ("news-bob", "1", "spans", "LOC", 8, 12),
        ],
        "character",
        bounds={"1": [0, 12]},
    ),
    "doccano": lambda: LookAlike(
        {
            "ann.jsonl": lines(
                {"id": 1, "text": "Jan saw Rome", "label": [[0, 3, "PER"], [8, 12, "LOC"]]},
                {"id": 2, "text": "nothing", "label": []},
                {"id": 3, "text": "Ann left", "label": [[0, 3, "PER"]]},
            ),
            "bob.jsonl": lines(
                {
                    "id": 1,
                    "text": "Jan saw Rome",
                    "relations": [],
                    "entities": [{"id": 5, "label": "LOC", "start_offset": 8, "end_offset": 12}],
                },
                {"id": 2, "text": "nothing", "entities": [], "relations": []},
                {"id": 3, "text": "Ann left", "entities": [], "relations": []},
            ),
        },
        [
            ("ann", "1", "spans", "PER", 0, 3),
            ("ann", "1", "spans", "LOC", 8, 12),
            ("ann", "3", "spans", "PER", 0, 3),
            ("bob", "1", "spans", "LOC", 8, 12),
        ],
        "character",
        bounds={"1": [0, 12]},
    ),
    "argilla": lambda: LookAlike(
        {
            "records.json": of(
                json.dumps(
                    [
                        argilla_record(
                            "a",
                            ("u1", "submitted", [(0, 3, "PER")]),
                            ("u2", "submitted", [(0, 3, "ORG")]),
                        ),
                        argilla_record(
                            "b", ("u1", "draft", [(0, 3, "PER")]), ("u2", "submitted", [])
                        ),
                    ]
                )
            )
        },
        [("u1", "a", "ner", "PER", 0, 3), ("u2", "a", "ner", "ORG", 0, 3)],
        "character",
    ),
    "potato": lambda: LookAlike(
        {
            "ann/user_state.json": potato("ann", t1=[(0, 3, "PER")], t2=[]),
            "bob/user_state.json": potato("bob", t1=[(0, 3, "ORG")], t2=[(1, 2, "LOC")]),
        },
        [
            ("ann", "t1", "ner", "PER", 0, 3),
            ("bob", "t1", "ner", "ORG", 0, 3),
            ("bob", "t2", "ner", "LOC", 1, 2),
        ],
        "character",
    ),
    "parquet": lambda: LookAlike(
        {"units.parquet": parquet()},
        [("a", "f", "tier", "x", 0.5, 2), ("b", "f", "tier", "y", 1, 2.25)],
        "unknown",
        rounds=FEW,
    ),
    "conll": lambda: LookAlike(
        {
            "doc_R1.conll": of(
                "-DOCSTART- O\n\nJan B-PER\nsaw O\nNew B-LOC\nYork I-LOC\n\nParis I-LOC\n"
            ),
            "doc_R2.conll": of(
                "-DOCSTART- O\n\nJan S-PER\nsaw O\nNew B-LOC\nYork E-LOC\n\nParis O\n"
            ),
        },
        [
            ("R1", "doc", "tier", "PER", 0, 1),
            ("R1", "doc", "tier", "LOC", 2, 4),
            ("R1", "doc", "tier", "LOC", 4, 5),
            ("R2", "doc", "tier", "PER", 0, 1),
            ("R2", "doc", "tier", "LOC", 2, 4),
        ],
        "token",
        bounds={"doc": [0, 5]},
    ),
    "table": lambda: LookAlike(
        {
            "spans.csv": of(
                "doc,user,begin,end,text,label\nd1,anna,0,3,Jan,PER\nd1,ben,0,3,Jan,ORG\n"
                'd2,anna,4,9,"a, b",LOC\n'
            )
        },
        [
            ("anna", "d1", "tier", "PER", 0, 3),
            ("ben", "d1", "tier", "ORG", 0, 3),
            ("anna", "d2", "tier", "LOC", 4, 9),
        ],
        "character",
        rounds=FEW,
    ),
}


def write(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def rows(units: Units) -> list[Row]:
    return [
        (
            units.raters[units.rater[k]],
            units.sessions[units.session[k]],
            units.tiers[units.tier[k]],
            units.labels[units.label[k]],
            units.start[k].item(),
            units.end[k].item(),
        )
        for k in range(len(units))
    ]


def test_every_format_has_a_look_alike() -> None:
    assert set(LOOK_ALIKES) == set(unit_formats())


def test_every_format_and_rule_is_on_the_page() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "units-files.md").read_text("utf-8")
    for name, one in unit_formats().items():
        assert f"| `{name}` |" in page
        assert all(f'"{rule}"`' in page for rule in one.rules), name


@pytest.mark.parametrize("name", sorted(LOOK_ALIKES))
def test_a_look_alike_becomes_the_expected_units(name: str, tmp_path: Path) -> None:
    case = LOOK_ALIKES[name]()
    loaded = load_units(write(tmp_path, case.files), **case.options)
    assert loaded.format == name
    units = loaded.units
    assert rows(units) == case.units
    assert units.time_unit == case.time_unit
    for session, bounds in case.bounds.items():
        at = units.sessions.index(session)
        assert units.bounds[at].tolist() == bounds
        assert units.bounds_from[at] == "file"
    assert units.sources
    assert [note.code for note in units.notes][:2] == ["read_as", "raters_by"]
    assert repr(name) in loaded.explain()


@pytest.mark.parametrize("name", sorted(LOOK_ALIKES))
def test_the_format_can_be_named(name: str, tmp_path: Path) -> None:
    case = LOOK_ALIKES[name]()
    assert read_units(write(tmp_path, case.files), format=name, **case.options).n_units


@pytest.mark.parametrize("name", sorted(set(LOOK_ALIKES) - {"brat", "xmi", "parquet", "table"}))
def test_a_packed_file_is_read_as_it_is(name: str, tmp_path: Path) -> None:
    case = LOOK_ALIKES[name]()
    packed = {f"{file}.gz": gzip.compress(data) for file, data in case.files.items()}
    assert rows(read_units(write(tmp_path, packed), **case.options)) == case.units


@pytest.mark.parametrize("name", sorted(set(LOOK_ALIKES) - {"parquet", "table"}))
def test_files_in_an_archive_are_read_as_they_are(name: str, tmp_path: Path) -> None:
    case = LOOK_ALIKES[name]()
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for file, data in case.files.items():
            archive.writestr(file, data)
        archive.writestr("__MACOSX/._noise", b"\0")
    found = read_units(tmp_path / "all.zip", **case.options)
    assert [row[:1] + row[2:] for row in rows(found)] == [row[:1] + row[2:] for row in case.units]


@pytest.mark.parametrize("name", ["parquet", "table"])
def test_tables_in_an_archive_are_refused(name: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for file, data in LOOK_ALIKES[name]().files.items():
            archive.writestr(file, data)
    with pytest.raises(InputError, match="unpack it first"):
        read_units(tmp_path / "all.zip")


@pytest.mark.parametrize("name", sorted(set(LOOK_ALIKES) - {"brat"}))
def test_an_empty_file_is_refused(name: str, tmp_path: Path) -> None:
    case = LOOK_ALIKES[name]()
    for file in sorted(case.files):
        write(tmp_path, {**case.files, file: b""})
        with pytest.raises(InputError, match=r"empty file|well-formed XML"):
            read_units(tmp_path, format=name, **case.options)


def test_an_empty_annotation_of_brat_means_that_nothing_was_found(tmp_path: Path) -> None:
    case = LOOK_ALIKES["brat"]()
    units = read_units(write(tmp_path, {**case.files, "ben/d1.ann": b""}))
    assert units.raters == ("anna", "ben")
    assert units.counts().tolist() == [[3], [0]]


# --- damage ---------------------------------------------------------------------------------------

SPLINTERS = [
    b"", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"nan", b"inf", b"-1", b"1e999", b"9" * 400, b'"',
    b"'", b"\t", b"\n", b"\r\n", b"[", b"{", b"}", b"<", b">", b"&#x1;", b"<!DOCTYPE a>", b"null",
    b"\\ud800", b"0", b"R1", b"O", b"_", b"*[3]", b"|", b";", b",", b"\xc3\x28", "é".encode(),
]  # fmt: skip


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Return a file with a few cuts, swaps and splinters, as bad disks and hands leave them."""
    for _ in range(rng.randint(1, 4)):
        at, to = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        kind = rng.randrange(6)
        if kind == 0:
            data = data[:at] + rng.choice(SPLINTERS) + data[at:]
        elif kind == 1:
            data = (
                data[:at] + rng.choice(SPLINTERS) + data[min(at + rng.randint(1, 12), len(data)) :]
            )
        elif kind == 2:
            data = data[:at]
        elif kind == 3:
            data = data[:at] + data[min(to, at + 40) :]
        elif kind == 4:
            data = data[:to] + data[at : min(to, at + 80)] + data[to:]
        elif data:
            spot = rng.randrange(len(data))
            data = data[:spot] + bytes([rng.randrange(256)]) + data[spot + 1 :]
        data = data or b" "
    return data


def outcome(path: Path, **options: Any) -> str:
    """Read, and return "" or the sentence; every other error comes through."""
    try:
        read_units(path, **options)
    except InputError as error:
        return str(error)
    return ""


def test_the_same_annotation_twice_below_another_is_a_sentence(tmp_path: Path) -> None:
    again = '<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="a5" ANNOTATION_REF="a4" '
    again += 'PREVIOUS_ANNOTATION="a5"><ANNOTATION_VALUE/></REF_ANNOTATION></ANNOTATION>'
    path = tmp_path / "film.eaf"
    head = '<TIER LINGUISTIC_TYPE_REF="part" PARENT_REF="hand_R2" TIER_ID="phase_R2">'
    assert head in EAF
    path.write_text(EAF.replace(head, head + again), encoding="utf-8")
    with pytest.raises(InputError, match="the annotations below 'a4' must be in one order"):
        load_units(path, format="eaf")


@pytest.mark.parametrize("told", [True, False], ids=["named", "recognised"])
@pytest.mark.parametrize("name", sorted(LOOK_ALIKES))
def test_damage_gives_units_or_a_sentence(name: str, told: bool, tmp_path: Path) -> None:
    case = LOOK_ALIKES[name]()
    rng = random.Random(f"{name} {told}")
    write(tmp_path, case.files)
    options = {**case.options, "format": name} if told else case.options
    seen = set()
    for _ in range(ROUNDS or (case.rounds if told else 12)):
        file = rng.choice(sorted(case.files))
        (tmp_path / file).write_bytes(damaged(case.files[file], rng))
        sentence = outcome(tmp_path, **options)
        assert not sentence or " must be " in sentence
        seen.add(bool(sentence))
        (tmp_path / file).write_bytes(case.files[file])
    if told and name != "parquet":
        assert seen == {True, False}  # small damage to a label is none
