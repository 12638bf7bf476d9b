"""Small made-up files, one per format: what a platform's export looks like, and what is in it."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spreadsheets import write_ods, write_xls

Writer = Callable[[Path], Path]


@dataclass(frozen=True)
class Lookalike:
    """A file, and the counts that it must give when it is read without a flag.

    `variable` names the variable that is counted, where the file has several. `needs` is the
    package without which the file can be neither written nor read.
    """

    write: Writer
    items: int
    raters: int
    ratings: int
    variable: str | None = None
    needs: str | None = None


LOOKALIKES: dict[str, Lookalike] = {}


def lookalike(
    name: str,
    *,
    items: int,
    raters: int,
    ratings: int,
    variable: str | None = None,
    needs: str | None = None,
) -> Callable[[Writer], Writer]:
    """Register the function that writes the look-alike of a format into a folder."""

    def keep(write: Writer) -> Writer:
        LOOKALIKES[name] = Lookalike(write, items, raters, ratings, variable, needs)
        return write

    return keep


def written(folder: Path, name: str, text: str, encoding: str = "utf-8") -> Path:
    """Write a text file and return its path."""
    path = folder / name
    path.write_text(text, encoding=encoding, newline="")
    return path


def json_lines(folder: Path, name: str, records: list[dict[str, object]]) -> Path:
    """Write one record a line."""
    return written(folder, name, "".join(json.dumps(record) + "\n" for record in records))


@lookalike("delimited", items=3, raters=2, ratings=5)
def delimited(folder: Path) -> Path:
    """One row per rating."""
    rows = "item,coder,code\n1,Ann,yes\n1,Bob,yes\n2,Ann,no\n2,Bob,yes\n3,Ann,no\n"
    return written(folder, "codes.csv", rows)


@lookalike("json", items=2, raters=2, ratings=4)
def nested_json(folder: Path) -> Path:
    """Labels by item, by rater."""
    ratings = {"Ann": {"p": "yes", "q": "no"}, "Bob": {"p": "yes", "q": "yes"}}
    return written(folder, "codes.json", json.dumps(ratings))


@lookalike("parquet", items=2, raters=2, ratings=4)
def parquet(folder: Path) -> Path:
    """One row per rating, typed."""
    import duckdb

    path = folder / "codes.parquet"
    duckdb.sql(
        "SELECT * FROM (VALUES (1, 'Ann', 'yes'), (1, 'Bob', 'no'), (2, 'Ann', 'no'), "
        "(2, 'Bob', 'no')) AS t(item, rater, label)"
    ).write_parquet(str(path))
    return path


@lookalike("duckdb", items=2, raters=2, ratings=4)
def duckdb_database(folder: Path) -> Path:
    """One table of ratings, and a view, which is never read."""
    import duckdb

    path = folder / "codes.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute(
            "CREATE OR REPLACE TABLE codes AS SELECT * FROM (VALUES (1, 'Ann', 'yes'), "
            "(1, 'Bob', 'no'), (2, 'Ann', 'no'), (2, 'Bob', 'no')) AS t(item, rater, label)"
        )
        database.execute("CREATE OR REPLACE VIEW secrets AS FROM read_text('/etc/hostname')")
    return path


@lookalike("prodigy", items=3, raters=2, ratings=5)
def prodigy(folder: Path) -> Path:
    """Two people, three texts, one of several choices; one text was ignored by one of them."""
    answers = [
        (11, "ann", "accept", ["GOOD"]), (11, "bob", "accept", ["GOOD"]),
        (12, "ann", "accept", ["BAD"]), (12, "bob", "accept", ["GOOD"]),
        (13, "ann", "accept", ["BAD"]), (13, "bob", "ignore", []),
    ]  # fmt: skip
    return json_lines(
        folder,
        "reviews.jsonl",
        [
            {
                "text": f"Text {number}",
                "_input_hash": number,
                "_task_hash": -number,
                "options": [{"id": "GOOD", "text": "good"}, {"id": "BAD", "text": "bad"}],
                "_view_id": "choice",
                "accept": accept,
                "answer": answer,
                "_timestamp": 1_700_000_000 + number,
                "_annotator_id": f"reviews-{who}",
                "_session_id": f"reviews-{who}",
            }
            for number, who, answer, accept in answers
        ],
    )


@lookalike("tidy", items=2, raters=2, ratings=3)
def tidy(folder: Path) -> Path:
    """What convert writes: a label, a skipped task and an answer without a label among them."""
    head = "item,rater,variable,label,label_type,state,reason,time,kind,text\n"
    rows = (
        "a,Ann,tone,3,number,labelled,,,person,\n"
        "a,Bob,tone,4,number,labelled,,,person,\n"
        "b,Ann,tone,3,number,labelled,,,person,\n"
        "b,Bob,tone,,,empty,,,person,\n"
        "c,Ann,tone,,,excluded,skipped,,person,\n"
    )
    return written(folder, "tidy.csv", head + rows)


def zipped(folder: Path, name: str, files: dict[str, str]) -> Path:
    """Write a zip archive of text files."""
    import zipfile

    path = folder / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for inside, text in files.items():
            archive.writestr(inside, text)
    return path


def label_studio_result(name: str, kind: str, value: object, **more: object) -> dict[str, object]:
    """One result of a Label Studio annotation, about the whole task unless told otherwise."""
    key = "selected" if kind == "pairwise" else kind
    return {"id": f"r{name}", "from_name": name, "to_name": "text", "type": kind,
            "value": {key: value}, "origin": "manual", **more}  # fmt: skip


@lookalike("label-studio", items=3, raters=2, ratings=5, variable="tone")
def label_studio(folder: Path) -> Path:
    """Two people, three tasks, two questions; one annotation was cancelled."""
    rows = [
        (1, "Good", 4, "Good", 5), (2, "Bad", 2, "Good", 3), (3, "Bad", 1, None, None),
    ]  # fmt: skip
    tasks = []
    for task, *answers in rows:
        annotations = []
        for user, (tone, stars) in enumerate((answers[:2], answers[2:]), 1):
            result = [] if tone is None else [
                label_studio_result("tone", "choices", [tone]),
                label_studio_result("stars", "rating", stars),
            ]  # fmt: skip
            annotations.append(
                {
                    "id": 10 * task + user,
                    "completed_by": {"id": user, "email": f"user{user}@example.org"},
                    "result": result,
                    "was_cancelled": tone is None,
                    "ground_truth": False,
                    "created_at": f"2024-05-0{user}T10:00:00.000000Z",
                    "lead_time": 3.5,
                }
            )
        tasks.append({"id": task, "data": {"text": f"Text {task}"}, "annotations": annotations,
                      "drafts": [], "predictions": [], "project": 7})  # fmt: skip
    return written(folder, "project-7.json", json.dumps(tasks, indent=1))


@lookalike("label-studio-min", items=2, raters=2, ratings=4)
def label_studio_min(folder: Path) -> Path:
    """One row per annotation; the text is data, the tone is the answer."""
    rows = (
        "annotation_id,annotator,created_at,id,lead_time,text,tone,updated_at\n"
        "11,1,2024-05-01T10:00:00Z,1,3.5,Some text,Good,2024-05-01T10:00:00Z\n"
        "12,2,2024-05-01T10:00:00Z,1,2.5,Some text,Bad,2024-05-01T10:00:00Z\n"
        "21,1,2024-05-01T10:00:00Z,2,3.1,More text,Good,2024-05-01T10:00:00Z\n"
        "22,2,2024-05-01T10:00:00Z,2,4.5,More text,Good,2024-05-01T10:00:00Z\n"
    )
    return written(folder, "project-7.csv", rows)


@lookalike("argilla", items=2, raters=2, ratings=3, variable="tone")
def argilla(folder: Path) -> Path:
    """Flattened records: two questions, one response discarded."""
    users = ["0aa1", "0bb2"]
    records = [
        {"id": "r1", "status": "completed", "text": "Text 1",
         "tone.responses": ["good", "bad"], "tone.responses.users": users,
         "tone.responses.status": ["submitted", "submitted"],
         "stars.responses": [4, 5], "stars.responses.users": users,
         "stars.responses.status": ["submitted", "submitted"],
         "tone.suggestion": "good", "tone.suggestion.score": 0.9, "tone.suggestion.agent": "m1"},
        {"id": "r2", "status": "pending", "text": "Text 2",
         "tone.responses": ["good", None], "tone.responses.users": users,
         "tone.responses.status": ["submitted", "discarded"],
         "stars.responses": [1], "stars.responses.users": users[:1],
         "stars.responses.status": ["submitted"],
         "tone.suggestion": None, "tone.suggestion.score": None, "tone.suggestion.agent": None},
    ]  # fmt: skip
    return written(folder, "records.json", json.dumps(records))


@lookalike("doccano", items=3, raters=2, ratings=4)
def doccano(folder: Path) -> Path:
    """A file per member; one of them has not opened the last example, and left one empty."""

    def lines(labels: list[list[str]]) -> str:
        return "".join(
            json.dumps({"id": k, "text": f"Text {k}", "label": label, "Comments": []}) + "\n"
            for k, label in enumerate(labels, 1)
        )

    files = {"ann.jsonl": lines([["A"], ["B"], ["A"]]), "bob.jsonl": lines([[], ["B"], []])}
    return zipped(folder, "export.zip", files)


@lookalike("inception", items=2, raters=2, ratings=4)
def inception(folder: Path) -> Path:
    """Labels of documents."""
    rows = "doc,user,label\na.txt,ann,news\na.txt,bob,news\nb.txt,ann,blog\nb.txt,bob,news\n"
    return written(folder, "agreement.csv", rows.replace("\n", "\r\n"))


def cas_json(label: str | None, *, layer: str = "webanno.custom.Genre") -> str:
    """A document in UIMA CAS JSON with a label of its own and one span."""
    entries: list[dict[str, object]] = [
        {"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaID": "_InitialView", "sofaString": "Some text"},
        {"%ID": 3, "%TYPE": "webanno.custom.Span", "@sofa": 1, "begin": 0, "end": 4, "value": "X"},
    ]
    if label is not None:
        entries.append({"%ID": 2, "%TYPE": layer, "@sofa": 1, "value": label})
    value = {"%NAME": "value", "%RANGE": "uima.cas.String"}
    types = {
        layer: {"%NAME": layer, "%SUPER_TYPE": "uima.cas.AnnotationBase", "value": value},
        "webanno.custom.Span": {
            "%NAME": "webanno.custom.Span", "%SUPER_TYPE": "uima.tcas.Annotation", "value": value,
        },
    }  # fmt: skip
    return json.dumps({"%TYPES": types, "%FEATURE_STRUCTURES": entries, "%VIEWS": {}})


@lookalike("inception-project", items=2, raters=2, ratings=3)
def inception_project(folder: Path) -> Path:
    """A project with labels of documents; one document was not yet labelled by one user."""
    files = {
        "annotation/a.txt/ann.json": cas_json("news"),
        "annotation/a.txt/bob.json": cas_json("blog"),
        "annotation/a.txt/INITIAL_CAS.json": cas_json(None),
        "annotation/b.txt/ann.json": cas_json("news"),
        "annotation/b.txt/bob.json": cas_json(None),
        "curation/a.txt/CURATION_USER.json": cas_json("news"),
        "source/a.txt": "Some text",
        "source/b.txt": "Some text",
        "exportedproject1.json": json.dumps({"name": "demo", "annotation_documents": []}),
    }
    return zipped(folder, "project.zip", files)


@lookalike("webanno-tsv", items=3, raters=2, ratings=5)
def webanno_tsv(folder: Path) -> Path:
    """Parts of speech of three tokens by two people."""
    for who, tags in (("ann", ("DT", "NN", "VB")), ("bob", ("DT", "JJ", "_"))):
        head = "#FORMAT=WebAnno TSV 3.3\n#T_SP=some.type.POS|PosValue\n\n\n#Text=The cat sat\n"
        tokens = (("0-3", "The"), ("4-7", "cat"), ("8-11", "sat"))
        lines = [
            f"1-{k}\t{place}\t{word}\t{tag}\t\n"
            for k, ((place, word), tag) in enumerate(zip(tokens, tags, strict=True), 1)
        ]
        (folder / "tsv" / "a.txt").mkdir(parents=True, exist_ok=True)
        written(folder / "tsv" / "a.txt", f"{who}.tsv", head + "".join(lines))
    return folder / "tsv"


def potato_state(user: str, answers: dict[str, list[tuple[str, str, str]]]) -> str:
    """A user's state: item to schema, name and value."""
    pairs = {
        item: [[{"schema": schema, "name": name}, value] for schema, name, value in given]
        for item, given in answers.items()
    }
    return json.dumps(
        {
            "user_id": user,
            "instance_id_ordering": list(answers),
            "instance_id_to_behavioral_data": {},
            "instance_id_to_label_to_value": pairs,
            "instance_id_to_span_to_value": {},
        },
        indent=2,
    )


@lookalike("potato", items=2, raters=2, ratings=4, variable="tone")
def potato(folder: Path) -> Path:
    """Two users, a choice and a slider."""
    for user, tones in (("ann", ("good", "bad")), ("bob", ("good", "good"))):
        answers = {
            item: [("tone", tone, "true"), ("strength", "slider", str(40 + k))]
            for k, (item, tone) in enumerate(zip(("t1", "t2"), tones, strict=True))
        }
        (folder / "output" / user).mkdir(parents=True, exist_ok=True)
        written(folder / "output" / user, "user_state.json", potato_state(user, answers))
    return folder / "output"


@lookalike("langfuse", items=2, raters=2, ratings=4)
def langfuse(folder: Path) -> Path:
    """Scores of two traces, by a person and by an evaluator."""
    scores = [
        {"id": f"s{k}", "traceId": trace, "observationId": None, "name": "helpful",
         "value": value, "stringValue": None, "dataType": "NUMERIC", "source": source,
         "authorUserId": author, "comment": None, "timestamp": "2025-01-01T00:00:00.000Z"}
        for k, (trace, value, source, author) in enumerate((
            ("t1", 1, "ANNOTATION", "u1"), ("t1", 1, "EVAL", None),
            ("t2", 0, "ANNOTATION", "u1"), ("t2", 1, "EVAL", None),
        ))
    ]  # fmt: skip
    return written(folder, "scores.json", json.dumps(scores))


@lookalike("eval-records", items=2, raters=2, ratings=3)
def eval_records(folder: Path) -> Path:
    """Verdicts of two judges; one of them refused once."""
    records: list[dict[str, object]] = [
        {"id": "q1", "judge": "model-a", "score": 4}, {"id": "q1", "judge": "model-b", "score": 5},
        {"id": "q2", "judge": "model-a", "score": 2},
        {"id": "q2", "judge": "model-b", "score": "refusal"},
    ]  # fmt: skip
    return json_lines(folder, "verdicts.jsonl", records)


@lookalike("mturk", items=2, raters=3, ratings=4)
def mturk(folder: Path) -> Path:
    """Two HITs; one assignment was rejected."""
    lines = [
        "HITId,HITTypeId,AssignmentId,WorkerId,AssignmentStatus,SubmitTime,Input.text,Answer.tone",
        'H1,T,A1,W1,Approved,Wed Jan 24 09:51:16 PST 2018,"Good, I think",good',
        'H1,T,A2,W2,Approved,Wed Jan 24 09:52:16 PST 2018,"Good, I think",good',
        "H2,T,A3,W1,Submitted,Wed Jan 24 09:53:16 PST 2018,Bad,bad",
        "H2,T,A4,W3,Approved,Wed Jan 24 09:54:16 PST 2018,Bad,good",
        "H2,T,A5,W2,Rejected,Wed Jan 24 09:55:16 PST 2018,Bad,spam",
    ]
    return written(folder, "Batch_1_batch_results.csv", "\r\n".join(lines) + "\r\n")


@lookalike("toloka", items=3, raters=2, ratings=5)
def toloka(folder: Path) -> Path:
    """Three tasks, one of them a control task; one assignment was rejected."""
    lines = [
        "INPUT:image\tOUTPUT:animal\tGOLDEN:animal\tHINT:text\tASSIGNMENT:assignment_id\t"
        "ASSIGNMENT:task_id\tASSIGNMENT:worker_id\tASSIGNMENT:status\tASSIGNMENT:submitted",
        "1.png\tcat\t\t\ta1\tt1\tw1\tAPPROVED\t2024-01-01T10:00:00",
        "2.png\tdog\t\t\ta1\tt2\tw1\tAPPROVED\t2024-01-01T10:00:00",
        "3.png\tdog\tdog\t\ta1\tt3\tw1\tAPPROVED\t2024-01-01T10:00:00",
        "",
        "1.png\tcat\t\t\ta2\tt1\tw2\tSUBMITTED\t2024-01-01T11:00:00",
        "3.png\tcat\tdog\t\ta2\tt3\tw2\tSUBMITTED\t2024-01-01T11:00:00",
        "",
        "2.png\tcat\t\t\ta3\tt2\tw2\tREJECTED\t2024-01-01T12:00:00",
    ]
    return written(folder, "assignments.tsv", "\n".join(lines) + "\n")


@lookalike("crowdflower", items=2, raters=3, ratings=4)
def crowdflower(folder: Path) -> Path:
    """Two units; one judgment is tainted."""
    lines = [
        "_unit_id,_created_at,_golden,_id,_tainted,_trust,_worker_id,_country,_ip,text,relevant",
        "11,3/24/2016 17:57:02,false,1,false,0.9,901,DEU,0.0.0.0,First,yes",
        "11,3/24/2016 18:57:02,false,2,false,0.9,902,DEU,0.0.0.0,First,no",
        "12,3/24/2016 19:57:02,false,3,false,0.9,901,DEU,0.0.0.0,Second,yes",
        "12,3/24/2016 20:57:02,false,4,true,0.2,902,DEU,0.0.0.0,Second,no",
        "12,3/24/2016 21:57:02,false,5,false,0.8,903,DEU,0.0.0.0,Second,yes",
    ]
    return written(folder, "f12345.csv", "\n".join(lines) + "\n")


@lookalike("forms", items=3, raters=2, ratings=5)
def forms(folder: Path) -> Path:
    """Two respondents, three questions with the same answers and one to be passed over."""
    lines = [
        "Timestamp,Is joke 1 funny?,Is joke 2 funny?,Is joke 3 funny?,Any remarks?",
        "3/5/2024 10:12:33,Yes,No,Yes,I liked it",
        "3/5/2024 11:12:33,Yes,Yes,,none at all",
    ]
    return written(folder, "Jokes.csv", "\n".join(lines) + "\n")


@lookalike("qualtrics", items=2, raters=2, ratings=4)
def qualtrics(folder: Path) -> Path:
    """Two responses, a preview and one that was not finished, below three lines of names."""
    lines = [
        "StartDate,EndDate,Status,Finished,RecordedDate,ResponseId,Q1_1,Q1_2,Q2_TEXT",
        "Start Date,End Date,Response Type,Finished,Recorded Date,Response ID,"
        "Is it funny? - Joke A,Is it funny? - Joke B,Remarks",
        ",".join(
            '"{""ImportId"":""' + name + '""}"'
            for name in ("startDate", "endDate", "status", "finished", "recordedDate", "_recordId",
                         "QID1_1", "QID1_2", "QID2_TEXT")
        ),
        "2026-01-05 10:00:00,2026-01-05 10:09:00,IP Address,True,2026-01-05 10:09:01,R_1,Yes,No,",
        "2026-01-05 11:00:00,2026-01-05 11:09:00,IP Address,True,2026-01-05 11:09:01,R_2,Yes,Yes,x",
        "2026-01-05 12:00:00,2026-01-05 12:09:00,Survey Preview,True,2026-01-05 12:09:01,R_3,No,,",
        "2026-01-05 13:00:00,2026-01-05 13:01:00,IP Address,False,2026-01-05 13:01:01,R_4,No,,",
    ]  # fmt: skip
    return written(folder, "Jokes_January 5, 2026.csv", "\n".join(lines) + "\n")


@lookalike("surveymonkey", items=2, raters=2, ratings=4)
def surveymonkey(folder: Path) -> Path:
    """A matrix and a question with boxes, below two lines of names."""
    lines = [
        "Respondent ID,Collector ID,Start Date,End Date,How funny?,,Which kind?,",
        ",,,,Joke A,Joke B,pun,riddle",
        "101,7,01/05/2026 10:00:00 AM,01/05/2026 10:09:00 AM,Very,A bit,pun,",
        "102,7,01/05/2026 11:00:00 AM,01/05/2026 11:09:00 AM,A bit,A bit,pun,riddle",
    ]
    return written(folder, "Jokes.csv", "\n".join(lines) + "\n")


@lookalike("limesurvey", items=2, raters=2, ratings=4)
def limesurvey(folder: Path) -> Path:
    """Two responses and one that was never submitted."""
    lines = [
        "id,submitdate,lastpage,startlanguage,seed,funny[SQ001],funny[SQ002]",
        "1,2026-01-05 10:09:00,3,en,11,A1,A2",
        "2,2026-01-05 11:09:00,3,en,12,A1,A1",
        "3,,1,en,13,A2,",
    ]
    return written(folder, "results-survey123456.csv", "\n".join(lines) + "\n")


@lookalike("redcap", items=2, raters=2, ratings=4, variable="grade")
def redcap(folder: Path) -> Path:
    """Two records entered twice, with boxes."""
    lines = [
        "record_id,redcap_event_name,grade,signs___1,signs___2,scoring_complete",
        "7--1,visit_1_arm_1,2,1,0,2",
        "7--2,visit_1_arm_1,2,1,1,2",
        "8--1,visit_1_arm_1,3,0,0,2",
        "8--2,visit_1_arm_1,1,0,0,2",
    ]
    return written(folder, "Study_DATA_2024.csv", "\n".join(lines) + "\n")


@lookalike("excel", items=3, raters=2, ratings=5, needs="openpyxl")
def excel(folder: Path) -> Path:
    """One sheet per rater, with a title above the names."""
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for rater, codes in (("Ann", ("yes", "no", "no")), ("Bob", ("yes", "yes", None))):
        sheet = book.create_sheet(rater)
        sheet.append(["Codes of the second round"])
        sheet.append([])
        sheet.append(["item", "code"])
        for k, code in enumerate(codes, 1):
            sheet.append([k, code])
    path = folder / "codes.xlsx"
    book.save(path)
    return path


_SHEETS = (
    ("Codebook", [["code", "meaning"], ["yes", "named"], ["no", "not named"]]),
    ("Ann", [["item", "code"], [1, "yes"], [2, "no"], [3, "no"]]),
    ("Bob", [["item", "code"], [1, "yes"], [2, "yes"], [3, None]]),
)


@lookalike("ods", items=3, raters=2, ratings=5)
def ods(folder: Path) -> Path:
    """One sheet per rater beside a codebook."""
    return write_ods(folder / "codes.ods", *_SHEETS)


@lookalike("xls", items=3, raters=2, ratings=5, needs="python_calamine")
def xls(folder: Path) -> Path:
    """The same as a workbook of Excel 97."""
    return write_xls(folder / "codes.xls", *_SHEETS)


def _statistics_frame() -> Any:
    import pandas as pd

    return pd.DataFrame(
        {"case": ["a", "b", "c"], "rater1": [1.0, 2.0, 99.0], "rater2": [1.0, 1.0, 2.0]}
    )


_CODES = {code: {1: "mild", 2: "severe"} for code in ("rater1", "rater2")}


@lookalike("spss", items=3, raters=2, ratings=5, needs="pyreadstat")
def spss(folder: Path) -> Path:
    """Wide, with labels of the values and 99 declared missing."""
    import pyreadstat

    path = folder / "codes.sav"
    pyreadstat.write_sav(
        _statistics_frame(), str(path), variable_value_labels=_CODES,
        missing_ranges={"rater1": [99]},
    )  # fmt: skip
    return path


@lookalike("stata", items=3, raters=2, ratings=6, needs="pyreadstat")
def stata(folder: Path) -> Path:
    """Wide, with labels of the values; a code without a label keeps the codes."""
    import pyreadstat

    path = folder / "codes.dta"
    frame = _statistics_frame().replace(99.0, 3.0)  # 99 would be asked about
    pyreadstat.write_dta(frame, str(path), variable_value_labels=_CODES)
    return path


# -------------------------------------------------------------------- judges


def inspect_sample(
    name: str, epoch: int, values: dict[str, object], **more: object
) -> dict[str, object]:
    """One sample of an Inspect log, with the grades of its scorers."""
    scores = {
        scorer: {"value": value, "answer": "B", "explanation": "It says so.", "metadata": {}}
        for scorer, value in values.items()
    }
    return {"id": name, "epoch": epoch, "input": "Why?", "target": "B", "scores": scores,
            "output": {"model": "m", "completion": "B"}, "error": None, **more}  # fmt: skip


def inspect_log() -> dict[str, object]:
    """Two scorers, a sample that was run twice, a grade that was not found, a failed sample."""
    lost = inspect_sample("q3", 1, {"grader": "I", "match": "C"})
    lost["scores"]["grader"]["explanation"] = "Grade not found in model output: hm"  # type: ignore[index]
    failed = inspect_sample("q4", 1, {}, error={"message": "timeout", "traceback": ""})
    samples = [
        inspect_sample("q1", 1, {"grader": "C", "match": "C"}),
        inspect_sample("q1", 2, {"grader": "I", "match": "C"}),
        inspect_sample("q2", 1, {"grader": "I", "match": "I"}),
        lost,
        failed,
    ]
    return {"version": 2, "status": "success", "eval": {"task": "qa", "model": "openai/m"},
            "samples": samples}  # fmt: skip


@lookalike("inspect", items=3, raters=2, ratings=5)
def inspect(folder: Path) -> Path:
    """An archive as Inspect writes it."""
    log = inspect_log()
    path = folder / "2026-01-01T00-00-00_qa_x.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({k: log[k] for k in ("version", "eval")}))
        archive.writestr("summaries.json", "[]")
        for sample in log["samples"]:  # type: ignore[attr-defined]
            archive.writestr(
                f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample)
            )
    return path


@lookalike("promptfoo", items=2, raters=3, ratings=5)
def promptfoo(folder: Path) -> Path:
    """Two answers, two rubrics and a person; one grade was no JSON, one provider failed."""

    def part(kind: str, verdict: bool, reason: str, **more: object) -> dict[str, object]:
        return {"pass": verdict, "score": float(verdict), "reason": reason,
                "assertion": {"type": kind, "value": "is polite", **more}}  # fmt: skip

    def answer(test: int, parts: list[dict[str, object]]) -> dict[str, object]:
        verdict = all(one["pass"] for one in parts)
        return {"testIdx": test, "promptIdx": 0, "provider": {"id": "openai:m", "label": "m"},
                "vars": {"question": "Why?"}, "testCase": {"vars": {"question": "Why?"}},
                "response": {"output": "Because."}, "success": verdict, "failureReason": 0,
                "gradingResult": {"pass": verdict, "score": float(verdict), "reason": "",
                                  "componentResults": parts}}  # fmt: skip

    failed = answer(2, []) | {"gradingResult": None, "failureReason": 2, "error": "API timeout"}
    results = [
        answer(0, [part("llm-rubric", True, "Polite.", provider="openai:gpt-4o"),
                   part("llm-rubric", True, "Polite.", provider="anthropic:claude"),
                   part("human", True, "Manual result")]),
        answer(1, [part("llm-rubric", False, "Could not extract JSON from llm-rubric response",
                        provider="openai:gpt-4o"),
                   part("llm-rubric", True, "Polite.", provider="anthropic:claude"),
                   part("human", False, "Manual result")]),
        failed,
    ]  # fmt: skip
    document = {"evalId": "eval-1", "config": {},
                "results": {"version": 3, "results": results}}  # fmt: skip
    return written(folder, "results.json", json.dumps(document))


@lookalike("deepeval", items=2, raters=1, ratings=2, variable="Correctness")
def deepeval(folder: Path) -> Path:
    """Two test cases and two metrics; one judge wrote no JSON."""

    def metric(name: str, verdict: bool | None, **more: object) -> dict[str, object]:
        return {"name": name, "threshold": 0.5, "success": verdict, "strictMode": False,
                "score": None if verdict is None else 0.9 * verdict, "reason": "So.",
                "evaluationModel": "gpt-4o", "error": None, **more}  # fmt: skip

    cases = [
        {"name": "test_case_0", "input": "Why?", "actualOutput": "So.", "success": True,
         "order": 0, "metricsData": [metric("Correctness", True), metric("Tone", True)]},
        {"name": "test_case_1", "input": "How?", "actualOutput": "So.", "success": False,
         "order": 1, "metricsData": [
             metric("Correctness", False),
             metric("Tone", None, error="Evaluation LLM outputted an invalid JSON.")]},
    ]  # fmt: skip
    run = {"testFile": "test_x.py", "testCases": cases, "conversationalTestCases": [],
           "metricsScores": []}  # fmt: skip
    return written(folder, ".latest_test_run.json", json.dumps(run)).rename(
        folder / "latest_test_run.json"
    )


@lookalike("mlflow", items=3, raters=2, ratings=6)
def mlflow(folder: Path) -> Path:
    """Traces assessed by a person and a judge, which ran twice once and refused once."""

    def assessed(kind: str, who: str, value: object, **more: object) -> dict[str, object]:
        return {"assessment_id": "a", "assessment_name": "correct",
                "source": {"source_type": kind, "source_id": who}, "feedback": {"value": value},
                "rationale": "It is.", "create_time": "2026-01-01T00:00:00Z", **more}  # fmt: skip

    refused = {"value": None, "error": {"error_code": "REFUSAL", "error_message": "refused"}}
    given = {
        "tr-1": [assessed("HUMAN", "ann", "yes"), assessed("LLM_JUDGE", "gpt-4o", "yes"),
                 assessed("LLM_JUDGE", "gpt-4o", "no", create_time="2026-01-02T00:00:00Z")],
        "tr-2": [assessed("HUMAN", "ann", "no"), assessed("LLM_JUDGE", "gpt-4o", "no")],
        "tr-3": [assessed("HUMAN", "ann", "no"),
                 assessed("HUMAN", "ann", "yes", create_time="2026-01-02T00:00:00Z"),
                 assessed("LLM_JUDGE", "gpt-4o", "yes")],
        "tr-4": [assessed("LLM_JUDGE", "gpt-4o", None, feedback=refused)],
    }  # fmt: skip
    traces = [{"info": {"trace_id": name, "state": "OK", "assessments": those},
               "data": {"spans": []}} for name, those in given.items()]  # fmt: skip
    return written(folder, "traces.json", json.dumps(traces))


@lookalike("lm-eval", items=3, raters=2, ratings=6, variable="exact_match")
def lm_eval(folder: Path) -> Path:
    """Three documents under two filters."""
    records: list[dict[str, object]] = [
        {"doc_id": k, "doc": {"question": "2 + 2?"}, "target": "4", "arguments": {},
         "resps": [["It is 4."]], "filtered_resps": [said], "filter": name,
         "metrics": ["exact_match"], "exact_match": float(said == "4"), "doc_hash": "x"}
        for k in range(3)
        for name, said in (("strict-match", "4" if k else "[invalid]"), ("flexible-extract", "4"))
    ]  # fmt: skip
    return json_lines(folder, "samples_gsm8k_2026-01-01T00-00-00.jsonl", records)


@lookalike("langsmith", items=2, raters=2, ratings=4)
def langsmith(folder: Path) -> Path:
    """Feedback on two runs by a person and an evaluator."""
    records: list[dict[str, object]] = [
        {"id": f"f{k}", "run_id": run, "session_id": "s", "key": "correctness", "score": score,
         "value": None, "comment": "", "created_at": "2026-01-01T00:00:00Z",
         "feedback_source": {"type": kind, "user_id": user, "metadata": {}}}
        for k, (run, score, kind, user) in enumerate((
            ("r1", 1, "app", "ann"), ("r1", 1, "model", None),
            ("r2", 0, "app", "ann"), ("r2", 1, "model", None),
        ))
    ]  # fmt: skip
    return json_lines(folder, "feedback.jsonl", records)


def conll_coreference(column: tuple[str, ...], document: str = "trains") -> str:
    """A dialogue of eight words, with the coreference column of one rater."""
    words = ("send", "engine", "E2", "off", "while", "it", "'s", "there")
    lines = [
        f"{document}   0   {k}   {word}   NN   -   {cell}\n"
        for k, (word, cell) in enumerate(zip(words, column, strict=True))
    ]
    lines.insert(4, "\n")  # a new sentence
    return f"#begin document ({document}); part 000\n{''.join(lines)}\n#end document\n"


@lookalike("conll-coreference", items=3, raters=2, ratings=5)
def conll_coreference_files(folder: Path) -> Path:
    """Two people link mentions; one of them does not mark the number inside the name."""
    (folder / "chains").mkdir(parents=True, exist_ok=True)
    ann = ("-", "(3", "(4)|3)", "-", "-", "(3)", "-", "-")
    bob = ("-", "(12", "12)", "-", "-", "(12)", "-", "-")
    for who, column in (("ann", ann), ("bob", bob)):
        written(folder / "chains", f"trains_{who}.conll", conll_coreference(column))
    return folder / "chains"
