"""By what an export can be told from a plain table before its reader is loaded.

A sign is necessary, never sufficient: where it is missing, the reader would not recognise the file
either, and need not be asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from consilience.io.platforms._export_registry import Sample

# What Google Forms calls its first column, and Microsoft Forms the start of a response.
FORM_STAMPS = frozenset((
    "Timestamp", "Zeitstempel", "Horodateur", "Marca temporal", "Carimbo de data/hora",
    "Informazioni cronologiche", "Tijdstempel", "Tidstämpel", "Tidsstempel", "Aikaleima",
    "Sygnatura czasowa", "Časová značka", "Časové razítko", "Időbélyeg", "Zaman damgası",
    "Marcaj de timp", "Отметка времени", "Позначка часу", "Χρονική σήμανση", "タイムスタンプ",
    "时间戳记", "時間戳記", "타임스탬프", "Dấu thời gian", "Cap waktu", "طابع زمني", "חותמת זמן",
))  # fmt: skip
FORM_STARTS = frozenset(("Start time", "Startzeit", "Heure de début", "Hora de inicio",
                         "Hora de início", "Ora di inizio", "Begintijd", "Starttid"))  # fmt: skip


@dataclass(frozen=True)
class Sign:
    """Where a reader lives, and the words of which each group has one in every such text.

    Inside archives, folders and workbooks nothing is told beforehand: there, every reader is asked.
    """

    file: str
    words: tuple[tuple[str, ...], ...] = ()
    json_only: bool = False
    archives_only: bool = False


SIGNS = {
    "argilla": Sign("labelling._argilla", (("responses",),)),
    "conll-coreference": Sign("labelling._conll_coreference", (("#begin document",),)),
    "crowdflower": Sign("crowds._crowdflower", (("_unit_id",),)),
    "deepeval": Sign("judges._deepeval", (("metricsdata", "metrics_data"),), json_only=True),
    "doccano": Sign(
        "labelling._doccano",
        (("label", "cats", "entities", "bbox", "segmentation"), ("text", "data", "filename")),
        json_only=True,
    ),
    "eval-records": Sign(
        "judges._eval_records",
        (
            ("judge", "grader", "evaluator", "source"),
            ("score", "label", "verdict", "rating", "grade", "preference", "winner"),
        ),
    ),
    "forms": Sign("surveys._survey_forms", (("@", *FORM_STAMPS, *FORM_STARTS),)),
    "inception": Sign("labelling._inception", (("doc",), ("user", "collection"))),
    "inception-project": Sign("labelling._inception_project", archives_only=True),
    "inspect": Sign("judges._inspect_logs", (("samples",), ("scores",)), json_only=True),
    "label-studio": Sign(
        "labelling._label_studio",
        (("annotations", "completions", "result"), ("data",)),
        json_only=True,
    ),
    "label-studio-min": Sign("labelling._label_studio_min", (("annotation_id",), ("lead_time",))),
    "langfuse": Sign("judges._langfuse", (("traceid", "trace_id"), ("datatype", "data_type"))),
    "langsmith": Sign("judges._langsmith", (("run_id",), ("feedback_source",))),
    "limesurvey": Sign("surveys._surveys", (("submitdate", "date submitted"),)),
    "lm-eval": Sign(
        "judges._lm_eval_samples", (("doc_id",), ("resps", "filtered_resps")), json_only=True
    ),
    "mlflow": Sign("judges._mlflow_traces", (("assessments",), ("source",)), json_only=True),
    "mturk": Sign("crowds._mturk", (("hitid",), ("workerid",), ("answer.",))),
    "potato": Sign("labelling._potato", (("instance_id",), ("user_id",))),
    "prodigy": Sign("labelling._prodigy", (("_input_hash",), ("_task_hash",)), json_only=True),
    "promptfoo": Sign(
        "judges._promptfoo",
        (("gradingresult", "promptidx"), ("testcase", "testidx")),
        json_only=True,
    ),
    "qualtrics": Sign("surveys._surveys", (("importid", "responseid"),)),
    "redcap": Sign(
        "surveys._redcap", (("redcap_", "record_id", "study_id", "record id", "study id"),)
    ),
    "surveymonkey": Sign("surveys._surveys", (("coll",), ("resp",))),
    "tidy": Sign("_tidy", (("label_type",), ("variable",), ("state",))),
    "toloka": Sign("crowds._toloka", (("assignment:worker_id",), ("output:",))),
    "webanno-tsv": Sign("labelling._webanno_tsv", (("#format=webanno tsv 3",),)),
}


class Signs:
    """Which readers are worth asking about a file."""

    def __init__(self, sample: Sample) -> None:
        columns = sample.parquet_columns()
        self.text = "\n".join(columns).casefold() if columns else sample.text.casefold()
        self.is_json = self.text.lstrip()[:1] in ("[", "{")
        # Names may stand behind what was read of a long record, or be written in escapes.
        unsure = self.is_json and (sample.is_cut or "\\u00" in self.text)
        self.ask_all = bool(sample.members()) or unsure

    def fit(self, name: str) -> bool:
        """Tell whether the reader of that name must be asked."""
        sign = SIGNS.get(name)
        if sign is None or self.ask_all:
            return True
        if sign.archives_only or (sign.json_only and not self.is_json):
            return False
        return all(any(word.casefold() in self.text for word in group) for group in sign.words)
