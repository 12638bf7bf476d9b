"""Names of items: numbers, codes, files, addresses, sentences."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tables.lists import listed


@dataclass(frozen=True)
class Ids:
    """Distinct names of items; `numeric` that they are whole numbers, `running` sorted 1..n."""

    values: tuple[str, ...]
    kind: str
    numeric: bool = False
    running: bool = False


COMMON_KINDS = listed(
    "running running running coded coded coded letter_number shuffled files gapped sentences words"
)
ALL_KINDS = listed(
    "running coded letter_number shuffled files gapped sentences words uuid urls hashes dates "
    "codes3 long_numbers zero_padded dotted tweets"
)


def draw_ids(rng: Random, n_items: int, kinds: list[str]) -> Ids:
    """Draw distinct names for so many items."""
    kind = rng.choice(kinds)
    if kind == "codes3" and n_items > 200:
        kind = "coded"
    values = tuple(_KINDS[kind](rng, n_items))
    numeric = kind in ("running", "shuffled", "gapped", "long_numbers", "tweets", "zero_padded")
    return Ids(values, kind, numeric, kind in ("running", "zero_padded"))


def _distinct(n: int, draw: Callable[[], str]) -> list[str]:
    """Draw until there are n distinct values; a suffix ends what would take for ever."""
    found: dict[str, None] = {}
    for attempt in range(50 * n + 50):
        if len(found) == n:
            break
        value = draw()
        found[value if attempt < 20 * n else f"{value} ({attempt})"] = None
    return list(found)


def _running(rng: Random, n: int) -> list[str]:
    start = rng.choice((1, 1, 1, 1, 0, 101, 1001))
    return [str(start + i) for i in range(n)]


def _shuffled(rng: Random, n: int) -> list[str]:
    return [str(i) for i in rng.sample(range(1, n + 1), n)]


def _gapped(rng: Random, n: int) -> list[str]:
    values = rng.sample(range(1, 40 * n), n)
    return [str(i) for i in (sorted(values) if rng.random() < 0.7 else values)]


def _coded(rng: Random, n: int) -> list[str]:
    stem = rng.choice(
        listed(
            "doc_{:03d}|text{:02d}|item-{}|S{:03d}|case {}|essay_{:03d}|q{}|vid{:03d}|T{:04d}|"
            "img_{:04d}|s{}|Patient {}|ex{:02d}|pt-{:03d}|utt_{}|I{}",
            "|",
        )
    )
    start = rng.choice((1, 1, 1, 0, 17))
    values = [stem.format(start + i) for i in range(n)]
    return values if rng.random() < 0.8 else rng.sample(values, n)


def _letter_number(rng: Random, n: int) -> list[str]:
    letter = rng.choice("PSVKXTM")
    return [f"{letter}{i}" for i in sorted(rng.sample(range(1, 5 * n), n))]


def _files(rng: Random, n: int) -> list[str]:
    ending = rng.choice((".jpg", ".txt", ".mp4", ".wav", ".pdf", ".png", ".docx"))
    stem = rng.choice(("IMG_", "scan", "clip-", "interview ", "recording_", "page"))
    return [f"{stem}{i:04d}{ending}" for i in sorted(rng.sample(range(1, 9 * n), n))]


def _uuid(rng: Random, n: int) -> list[str]:
    raw = [f"{rng.getrandbits(128):032x}" for _ in range(n)]
    return [f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}" for h in raw]


def _urls(rng: Random, n: int) -> list[str]:
    site = rng.choice(("https://example.org/p/", "https://news.example.com/a?id=", "example.net/"))
    return [f"{site}{i}" for i in rng.sample(range(1000, 99999), n)]


def _hashes(rng: Random, n: int) -> list[str]:
    length = rng.choice((8, 12, 24))
    return _distinct(n, lambda: f"{rng.getrandbits(4 * length):0{length}x}")


def _dates(rng: Random, n: int) -> list[str]:
    day = datetime.date(rng.randrange(1998, 2025), rng.randrange(1, 13), rng.randrange(1, 28))
    pattern = rng.choice(("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y"))
    return [(day + datetime.timedelta(i)).strftime(pattern) for i in range(n)]


def _codes3(rng: Random, n: int) -> list[str]:
    letters = "BCDFGHJKLMPRSTVZ"
    return _distinct(n, lambda: "".join(rng.choice(letters) for _ in range(3)))


def _long_numbers(rng: Random, n: int) -> list[str]:
    start = rng.randrange(10**6, 10**8)
    values = [str(start + 7 * i + rng.randrange(7)) for i in range(n)]
    return values if rng.random() < 0.5 else rng.sample(values, n)


def _tweets(rng: Random, n: int) -> list[str]:
    start = rng.randrange(10**17, 9 * 10**17)
    return [str(start + 13 * i + rng.randrange(13)) for i in range(n)]


def _zero_padded(rng: Random, n: int) -> list[str]:
    return [f"{i:04d}" for i in range(1, n + 1)]


def _dotted(rng: Random, n: int) -> list[str]:
    stem = rng.choice(("{}.{}", "{}-{}", "{}_{}", "{}{}"))
    parts = "abcde" if stem == "{}{}" else "12345"
    return [stem.format(1 + i // 5, parts[i % 5]) for i in range(n)]


_SUBJECTS = listed(
    "The mayor|Our team|A neighbour|This phone|The new law|My teacher|The hotel|Die Regierung|"
    "Le film|El equipo|Il gatto|De minister|Polisen|Sąd|Правительство|Η ομάδα|その店|这家酒店",
    "|",
)
_VERBS = listed(
    "wants|never liked|has sold|will open|cannot find|praised|refuses|verlangt|a refusé|perdió|"
    "vede|zegt|säger|odrzucił|хвалит|κέρδισε|は好き|很喜欢",
    "|",
)
_OBJECTS = listed(
    "the bridge|a second match|too many trees|nothing at all|the old harbour|free meals|a vote|"
    "mehr Geld|la proposition|el partido|la luna|het plan|förslaget|wniosek|решение|τον αγώνα|"
    "このカメラ|早餐",
    "|",
)


def sentence(rng: Random) -> str:
    """Write a sentence of three parts, sometimes with commas and quotation marks in it."""
    text = f"{rng.choice(_SUBJECTS)} {rng.choice(_VERBS)} {rng.choice(_OBJECTS)}"
    ending = rng.choice((".", ".", "!", "?", ", they say.", " again", ' ("really")', ", or not?"))
    return text + ending


def _sentences(rng: Random, n: int) -> list[str]:
    return _distinct(n, lambda: sentence(rng))


_WORDS = listed(
    "apple bridge candle desert engine forest garden hammer island jacket kettle ladder mirror "
    "needle orange pillow quarry ribbon saddle tunnel umbrella valley window yellow zebra anchor "
    "basket carpet dragon eagle feather glacier harbor insect jungle kitchen lemon magnet napkin "
    "ocean pepper rabbit shadow tomato violin wallet butter circle doctor effort father ginger"
)


def _words(rng: Random, n: int) -> list[str]:
    if n <= len(_WORDS):
        return rng.sample(_WORDS, n)
    return _distinct(n, lambda: f"{rng.choice(_WORDS)} {rng.choice(_WORDS)}")


_KINDS = {
    "running": _running, "shuffled": _shuffled, "gapped": _gapped, "coded": _coded,
    "letter_number": _letter_number, "files": _files, "uuid": _uuid, "urls": _urls,
    "hashes": _hashes, "dates": _dates, "codes3": _codes3, "long_numbers": _long_numbers,
    "tweets": _tweets, "zero_padded": _zero_padded, "dotted": _dotted, "sentences": _sentences,
    "words": _words,
}  # fmt: skip
