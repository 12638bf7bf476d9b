"""Names of columns by language and role, as people really type them into a first line."""

from __future__ import annotations

from tables.lists import listed
from tables.words_more import LINES

ROLES = listed(
    "item rater label number text date time comment confidence batch year seconds sex "
    "total mean majority gold"
)

# One line per role, in the order of ROLES; words are separated by bars.
_LINES: dict[str, str] = {
    "en": """
item|id|item_id|text_id|doc|document|case|unit|story|essay|student|student_id|patient|subject|sample|sentence|post|tweet_id|video_id|clip|image|question|trial|paper|prompt_id|response_id|conversation_id|article|segment|utterance|stimulus|record|scan|participant|nr|no|uid|idx|comment_id|headline|phrase|page_id|specimen|slide|interview|URL|film|photo|recipe|abstract|title
rater|coder|annotator|judge|annotator_id|rater_id|coder_id|worker|worker_id|reviewer|observer|evaluator|expert|staff|examiner|marker|teacher|assessor|labeler|reader|user|labelled_by|coded_by|who|psychologist|clinician|scorer|grader|physician|nurse|referee|annotated_by|WorkerId|performer|interviewer
label|rating|score|code|category|answer|annotation|judgment|judgement|class|tag|value|decision|diagnosis|grade|mark|verdict|response|choice|sentiment|stance|severity|quality|topic|coding|opinion|assessment|result|Answer
nr.|#|no.|row|running no|line|index|seq
text|content|sentence text|description|body|full_text|snippet|transcript|wording
date|day|coded on|created_at|submitted|coding date|rating date|session date
time|timestamp|start|started_at|hour|clock time|time of day
comment|comments|notes|note|remarks|remark|rationale|explanation|why|observations|feedback
confidence|certainty|conf|sure|confidence (1-5)|how sure|certainty 1-5
batch|round|session|wave|block|set|part|fold|group|phase|source|site|ward
year|pub_year|year of birth|publication year|cohort
seconds|duration|time_spent|sec|ms|duration_s|work time (s)|reaction time|minutes|length
sex|gender|m/f|Sex|sex (m/f)|patient sex
total|sum|Total|n|all|Sum|overall total|grand total
mean|average|avg|Mean|mean score|mean rating|M|average score|avg.|Average of raters
majority|consensus|majority vote|final|agreed|majority label|vote|mode|most common|final code
gold|truth|ground_truth|correct|key|reference|gold label|expert answer|solution
""",
    "de": """
Fall|Text-ID|Nummer|Dokument|Einheit|Aufsatz|Schüler|Patient|Probe|Satz|Beitrag|Artikel|Bild|Aufgabe|Untersuchungseinheit|Proband|Fall-Nr
Kodierer|Codierer|Rater|Beurteiler|Gutachter|Prüfer|Lehrkraft|Codiererin|Bewerter|Untersucher|Annotator|Arzt
Bewertung|Urteil|Note|Kategorie|Code|Kode|Einstufung|Punkte|Antwort|Befund|Diagnose|Wert
Nr.|lfd. Nr.|Zeile|Lfd
Wortlaut|Inhalt|Text|Beschreibung
Datum|Kodierdatum|Tag|Erhebungstag
Uhrzeit|Zeit|Beginn
Bemerkung|Anmerkung|Kommentar|Notiz|Begründung|Hinweise
Sicherheit|Konfidenz|Gewissheit|wie sicher
Durchgang|Welle|Gruppe|Stapel|Runde|Sitzung|Station
Jahr|Jahrgang|Erscheinungsjahr|Geburtsjahr
Dauer|Sekunden|Bearbeitungszeit|Dauer (s)
Geschlecht|m/w
Summe|Gesamt|insgesamt|Gesamtsumme
Mittelwert|Durchschnitt|MW|Mittel
Mehrheit|Konsens|Endurteil
Goldstandard|Musterlösung|richtig
""",
    "fr": """
identifiant|texte|cas|élève|phrase|copie|échantillon|extrait|énoncé|dossier|unité|patient|article
codeur|évaluateur|juge|annotateur|correcteur|examinateur|enseignant|observateur|relecteur|expert
note|catégorie|réponse|jugement|avis|cotation|évaluation|étiquette|code|diagnostic
n°|ligne|numéro|num
contenu|libellé|description|texte intégral
date|jour|date de codage
heure|horodatage|début
commentaire|remarque|remarques|observations|justification
confiance|certitude|degré de certitude
lot|séance|groupe|vague|session|classe
année|année de parution|année de naissance
durée|secondes|durée (s)|temps
sexe|genre
total|somme|Total général|ensemble
moyenne|moy.|moyenne des notes
majorité|consensus|décision finale
référence|corrigé|vérité
""",
    "es": """
caso|texto|alumno|frase|muestra|documento|oración|paciente|unidad|ensayo|noticia|ítem
codificador|evaluador|juez|anotador|corrector|observador|examinador|profesor|experto|calificador
puntuación|calificación|categoría|respuesta|código|valoración|etiqueta|juicio|nota|diagnóstico
núm.|fila|n.º|número
contenido|descripción|transcripción
fecha|día|fecha de codificación
hora|inicio|marca temporal
comentario|observaciones|notas|comentarios|justificación
confianza|certeza|seguridad
lote|grupo|ronda|sesión|bloque
año|año de publicación|año de nacimiento
duración|segundos|tiempo
sexo|género
total|suma|Total general
media|promedio|puntuación media
mayoría|consenso|decisión final
referencia|correcta|oro
""",
    "pt": """
caso|texto|aluno|frase|amostra|redação|documento|paciente|unidade|trecho|notícia
avaliador|codificador|juiz|anotador|corretor|examinador|professor|observador|especialista
nota|pontuação|categoria|resposta|classificação|código|rótulo|avaliação|julgamento|parecer
n.º|linha|número|seq.
conteúdo|descrição|transcrição
data|dia|data da codificação
hora|início
comentário|observação|observações|justificativa
confiança|certeza
lote|grupo|rodada|sessão|turma
ano|ano de publicação|ano de nascimento
duração|segundos|tempo gasto
sexo|gênero
total|soma|Total geral
média|média das notas
maioria|consenso|decisão final
gabarito|referência
""",
    "it": """
caso|testo|studente|frase|campione|documento|paziente|unità|tema|brano|voce
codificatore|valutatore|giudice|annotatore|esaminatore|insegnante|osservatore|correttore|esperto
punteggio|voto|categoria|risposta|giudizio|codice|valutazione|etichetta|diagnosi
riga|numero|n. prog.
contenuto|descrizione|trascrizione
data|giorno|data di codifica
ora|orario|inizio
commento|osservazioni|note|motivazione
sicurezza|confidenza|certezza
lotto|gruppo|turno|sessione|blocco
anno|anno di pubblicazione|anno di nascita
durata|secondi|tempo
sesso|genere
totale|somma|Totale complessivo
media|punteggio medio
maggioranza|consenso|decisione finale
riferimento|corretto
""",
    "nl": """
geval|tekst|leerling|zin|monster|stuk|bericht|patiënt|opstel|casus|eenheid
beoordelaar|codeur|annoteur|examinator|docent|onderzoeker|waarnemer|corrector
oordeel|cijfer|categorie|antwoord|score|waarde|beoordeling|klasse
volgnr|regel|volgnummer
inhoud|omschrijving|tekst voluit
datum|dag
tijd|tijdstip
opmerking|opmerkingen|toelichting
zekerheid|vertrouwen
ronde|groep|reeks|sessie
jaar|geboortejaar|jaartal
duur|seconden|tijdsduur
geslacht|man/vrouw
totaal|som|eindtotaal
gemiddelde|gem.
meerderheid|consensus|eindoordeel
sleutel|referentie
""",
    "sv": """
fall|elev|mening|prov|ärende|uppsats|uttalande|avsnitt|inlägg|bild
bedömare|kodare|granskare|lärare|annoterare|observatör
betyg|poäng|kategori|svar|bedömning|kod|utlåtande
radnr|löpnr
innehåll|beskrivning
datum|dag
klockslag|tid
kommentar|anmärkning|anteckning
säkerhet|hur säker
omgång|grupp|serie
år|födelseår
varaktighet|sekunder|tidsåtgång
kön
summa|totalt
medelvärde|medel|snitt
majoritet|konsensus
facit|referens
""",
    "da": """
sag|elev|sætning|prøve|opgave|udsagn|tekststykke
bedømmer|koder|censor|lærer|observatør
karakter|kategori|svar|bedømmelse|vurdering|kode
løbenr|række
indhold|beskrivelse
dato|dag
klokkeslæt|tidspunkt
bemærkning|kommentar|note
sikkerhed|tiltro
runde|gruppe|hold
år|fødselsår
varighed|sekunder
køn
sum|i alt
gennemsnit|middel
flertal|enighed
facit|guld
""",
    "no": """
sak|elev|setning|prøve|oppgave|utsagn|innlegg
bedømmer|koder|sensor|lærer|vurderer|observatør
karakter|kategori|svar|vurdering|poeng|kode
løpenr|rad
innhold|beskrivelse
dato|dag
klokkeslett|tid
merknad|kommentar
sikkerhet|visshet
runde|gruppe|bolk
år|fødselsår
varighet|sekunder
kjønn
sum|totalt
gjennomsnitt|snitt
flertall|enighet
fasit|gull
""",
    "fi": """
tapaus|oppilas|lause|näyte|tehtävä|kirjoitus|potilas|teksti
arvioija|koodaaja|tuomari|opettaja|havainnoija|annotoija
arvosana|luokka|vastaus|arvio|pisteet|koodi
rivi|järjestysnumero
sisältö|kuvaus
päivämäärä|pvm
kellonaika|aika
huomautus|kommentti|huomio
varmuus|luottamus
kierros|ryhmä|erä
vuosi|syntymävuosi
kesto|sekunnit
sukupuoli
summa|yhteensä
keskiarvo|ka
enemmistö|yksimielinen
oikea vastaus|malli
""",
}


def _parsed(lines: dict[str, str]) -> dict[str, dict[str, tuple[str, ...]]]:
    """Turn the lines of each language into role -> words."""
    parsed = {}
    for language, text in lines.items():
        rows = [tuple(line.split("|")) for line in text.strip().splitlines()]
        parsed[language] = dict(zip(ROLES, rows, strict=True))
    return parsed


COLUMNS: dict[str, dict[str, tuple[str, ...]]] = _parsed(_LINES | LINES)

# What a content analysis asks of each unit: the variables of a grid.
VARIABLES: dict[str, tuple[str, ...]] = {
    "en": tuple(
        listed(
            "tone topic frame stance valence actor relevance clarity fluency accuracy conflict "
            "humor sarcasm toxicity pain mood anxiety grammar style emotion credibility coherence "
            "empathy violence bias aggression sharpness contrast helpfulness safety"
        )
    ),
    "de": ("Tonalität", "Thema", "Akteur", "Wertung", "Relevanz", "Konflikt", "Klarheit", "Stil"),
    "fr": ("ton", "thème", "acteur", "pertinence", "clarté", "conflit", "cadrage"),
    "es": ("tono", "tema", "encuadre", "relevancia", "claridad", "conflicto"),
    "pt": ("tom", "tema", "relevância", "clareza", "conflito", "enquadramento"),
    "it": ("tono", "argomento", "rilevanza", "chiarezza", "conflitto"),
    "nl": ("toon", "onderwerp", "relevantie", "helderheid"),
    "sv": ("ton", "ämne", "relevans", "tydlighet"),
    "pl": ("ton", "temat", "trafność", "jasność"),
    "tr": ("ton", "konu", "açıklık", "uygunluk"),
    "ru": ("тон", "тема", "ясность", "уместность"),
    "ja": ("話題", "感情", "明瞭さ", "関連性"),
    "zh": ("主题", "情感", "立场", "清晰度"),
}

# What stands in the lines above the header.
TITLES: dict[str, tuple[str, ...]] = {
    "en": (
        "Coding of newspaper headlines, second round",
        "Inter-rater study, ward 4",
        "Reliability sample - do not edit!",
        "Essay marking spring term",
        "Export of project Alpha",
    ),
    "de": ("Kodierung Pressetexte, 2. Welle", "Auswertung Probelauf", "Reliabilitätsstichprobe"),
    "fr": ("Codage des extraits, groupe B", "Étude pilote : accord entre juges"),
    "es": ("Estudio piloto de acuerdo", "Codificación de noticias, versión final"),
    "pt": ("Correção das redações, turma B",),
    "it": ("Prova di affidabilità, gruppo B",),
    "nl": ("Proefcodering krantenkoppen",),
    "pl": ("Badanie zgodności sędziów",),
    "ru": ("Пилотная разметка отзывов",),
    "ja": ("予備調査の結果",),
    "zh": ("一致性检验数据",),
}
