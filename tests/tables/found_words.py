"""Words of tables as they stand in public places: names, criteria, questions, facts about items.

None of them was taken from the lexicon of the recogniser. Each belongs to one half for ever, as in
`vocabulary`.
"""

from __future__ import annotations

from tables.lists import listed

FIRST_NAMES = listed(
    """
    Aoife Bhavna Cormac Dinara Eszti Femke Gökhan Hamza Ikechukwu Jelena Katja Lerato Mireille
    Nandini Oisín Pranav Quentin Roxana Saoirse Tuuli Uchenna Vesna Wanjiru Xochitl Yusuf Zbigniew
    Beyza Dagny Efua Farrukh Gulnara Hiroshi Ilse Jarek Kalani Leilani Matteo Noor Oluwaseun Petra
    Ravi Sunniva Tamsin Ulrike Viggo Wendell Yannick Zuleika Brooke Chad Devon Elspeth Fergus Gwen
    Heidi Imogen Jasper Kirsten Lorenzo Maeve Nadia Otto Phoebe Rowan Stella Trent Ursula Vivian
    Ryan Ethan Rebecca Megan Kyle Tyler Brianna Zoe Monica Gerald Harriet Ian Joanna Keith Lydia"""
)
SURNAMES = listed(
    """
    Abernathy Bosworth Castellanos Drummond Eastwick Featherstone Gallagher Hargreaves Ingram
    Jablonski Kirkpatrick Lundgren Mwangi Nakamura Oyelaran Pemberton Quigley Raghunathan Sokolov
    Thorvaldsen Ueda Vandenberg Whitlock Xu Yamamoto Zielinska Achterberg Brandão Czerny Dhillon
    Estrada Fitzgerald Gruber Hashimoto Iyer Jurić Katsaros Lindholm Marchetti Nwosu Olafsson
    Pereira
    Quintero Rasmussen Schreiber Takahashi Uribe Valtonen Wasserman Yilmazer Zamora Barlow Crane"""
)

# What is asked about an item: one judge's columns, not several judges.
CRITERIA = listed(
    """
    accuracy completeness clarity safety fluency coherence relevance consistency grammar style
    content organization vocabulary mechanics originality creativity depth tone helpfulness
    harmlessness politeness empathy informativeness readability naturalness correctness
    faithfulness adequacy usefulness engagement conciseness novelty feasibility impact rigor
    significance presentation sharpness contrast noise brightness sweetness bitterness aroma
    texture appearance crunchiness balance posture rhythm pitch timbre articulation pronunciation
    intonation punctuality teamwork leadership communication motivation hygiene mobility pain
    appetite anxiety sleep anger disgust fear joy sadness surprise trust anticipation arousal
    valence dominance warmth competence severity plausibility trustworthiness toxicity insult
    threat profanity obscenity asymmetry border color diameter edema erythema crusting hue
    saturation legibility coverage specificity sarcasm irony humor factuality groundedness
    verbosity formality fairness bias attention memory language orientation nausea fatigue
    spelling punctuation structure argument evidence cohesion persuasiveness reasoning planning
    execution technique timing footwork extension flow comfort durability taste freshness smell
    service cleanliness location value ambiance staff friendliness repetitiveness interestingness
    meaning_preservation simplicity answerability realism diversity controllability"""
)
SUBJECTS = listed(
    """
    Math French Art History Biology Physics Chemistry Geography Music Latin English Science
    Reading Writing Listening Speaking Drama Economics Spanish Algebra Geometry Literature PE ICT
    Philosophy Civics Religion Handwriting Arithmetic Sociology Psychology Statistics"""
)
CRITERIA_ELSEWHERE: dict[str, list[str]] = {
    "de": listed(
        """Inhalt Sprache Aufbau Ausdruck Rechtschreibung Verständlichkeit Sorgfalt Kreativität
        Genauigkeit Stil Grammatik Wortschatz Struktur Lesbarkeit Vollständigkeit Höflichkeit"""
    ),
    "fr": listed("orthographe style contenu clarté cohérence originalité grammaire pertinence "
                 "fluidité précision vocabulaire lisibilité"),
    "es": listed("claridad contenido gramática coherencia ortografía creatividad fluidez "
                 "relevancia precisión vocabulario estilo utilidad"),
    "it": listed("chiarezza contenuto grammatica coerenza ortografia creatività precisione"),
    "nl": listed("inhoud duidelijkheid samenhang spelling woordenschat originaliteit opbouw"),
    "pl": listed("treść spójność ortografia styl jasność kreatywność gramatyka"),
    "ru": listed("содержание ясность грамотность стиль точность связность полнота"),
    "tr": listed("içerik açıklık tutarlılık dilbilgisi yaratıcılık akıcılık"),
    "ja": listed("文法 内容 構成 表現 正確さ 流暢さ 語彙"),
    "zh": listed("内容 结构 语法 流畅性 准确性 词汇 连贯性"),
    "ko": listed("문법 내용 구성 유창성 정확성 어휘 일관성"),
}  # fmt: skip
STEMS = listed(
    """Is the summary fluent?|Does it answer the question?|The text is easy to read|
    I enjoyed the lesson|The speaker was well prepared|Is the tone polite?|
    How clear is the explanation?|Would you recommend it?|The images fit the story|
    Are all facts supported?|Rate the overall impression|I felt taken seriously|
    Der Text ist verständlich|Le résumé est fidèle|La respuesta es útil""",
    "|",
)
FLAGS = listed(
    """is_spam is_toxic is_sexist has_image has_question is_relevant is_sarcastic has_negation
    is_claim has_number is_formal is_polite has_stance is_offensive is_question has_link"""
)
EMOTIONS = listed(
    """anger joy sadness fear disgust surprise neutral love pride shame guilt envy hope relief
    boredom curiosity gratitude admiration amusement annoyance confusion desire grief remorse"""
)
OPTIONS = listed(
    """unsure unclear other none skip maybe both neither cannot_tell dontknow spam ham support
    oppose neutral pro contra mixed true false present absent benign malignant"""
)

# Names of items, of labels and of facts about items.
ITEMS = listed(
    """Vignette ngram StudentID anon_subject_id utt clip_id PMID doi tweetid stimulus_file sentID
    post_id record_id case_no docid phrase_id pair_id qid lesion biopsy slide_no bug_id commit
    review_id idx item_no essay_id video tweet_id image_id sample_id subj patientID paper_id
    SentenceID instance_id story_id Participant.ID question_id segment_id Filename token"""
)
LABELS = listed(
    """label rating score is_spam hate stance code annotation Answer.label category decision
    sentiment severity verdict grade toxic relevance judgement class response final_code choice"""
)
RATERS = listed(
    """annotator annotator_id rater coder worker_id WorkerId judge reviewer examiner labeler
    user_id rater_id coder_id evaluator annotated_by expert Coder Rater Annotator"""
)
QUESTIONS = listed(
    """q1_tone q2_topic frame actor theme type power agency valence intent register genre_code
    emotion target stance_code quality_code issue speaker_role evidence_type reason"""
)
GOLD = listed(
    """gold gold_label truth ground_truth reference consensus final adjudicated Reconciled
    conclusion resolved majority_vote correct_label expert_consensus final_label agreed_code
    결론 结论 最终 最終判定 정답 Konsens endgültig consensus_final définitif acordado zgoda итог
    Goldstandard uitslag sonuç 決定"""
)
PROFESSIONS = listed(
    "expert novice nurse physician teacher tutor lay trained student parent supervisor resident "
    "radiologist pathologist dermatologist psychologist clinician linguist native nonnative"
)
MODELS = listed(
    """gpt-4 gpt-4-turbo gpt-4o gpt-4o-mini gpt-3.5 claude claude-3-opus claude-3-haiku llama-3
    llama-3-8b gemini-pro mistral-7b mixtral qwen2 deepseek-r1 phi-3-mini gemma-2b command-r"""
)
COMPANIES = ("web", "print"), ("TV", "radio", "online"), ("reddit", "twitter"), ("NYT", "WSJ")
COUNTRIES = ("DE", "FR", "US", "KE", "BR", "JP")
