"""Each promise of the server with the attack that it stands against."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from consilience.web import Settings, pages
from consilience.web.app import _listening
from consilience.web.guard import HEADERS, Guard, Keys
from patience import PATIENCE
from workbench import FORM, Running, multipart, running

ASKED = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


def test_it_listens_on_this_machine_only() -> None:
    listening = _listening(Settings())
    assert listening.getsockname()[0] == "127.0.0.1"
    listening.close()


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.0.7"])
def test_another_host_has_to_be_asked_for(host: str) -> None:
    assert not Settings(host=host).is_local
    guard = Guard(None, keys=Keys(), settings=Settings(host=host), broken=str)
    assert "evil.example" not in guard.hosts
    assert host in guard.hosts


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200), ("127.0.0.1", 200), ("[::1]", 200), ("localhost:99", 200),
        ("127.0.0.1:1", 200), ("[::1]:8000", 200), ("evil.example", 400),
        ("127.0.0.1.evil.example", 400), ("", 400), (None, 400), ("localhost.evil.example", 400),
        ("127.0.0.1@evil.example", 400), ("127.0.0.1:80@evil.example", 400), ("[::1].evil", 400),
    ],
)  # fmt: skip
def test_only_the_own_name_is_answered(server: Running, host: str | None, status: int) -> None:
    assert server.get("/", Host=host).status == status


@pytest.mark.parametrize(
    ("site", "origin", "status"),
    [
        ("same-origin", "own", 303), ("same-origin", "null", 303), ("same-origin", None, 303),
        ("cross-site", "own", 403), ("same-site", "own", 403), ("cross-site", None, 403),
        (None, "own", 303), (None, "http://evil.example", 403), (None, "null", 403),
        (None, None, 403), ("same-origin", "http://evil.example", 403),
        (None, "http://127.0.0.1:1", 403),
    ],
)  # fmt: skip
def test_forms_of_other_sites_are_refused(
    server: Running, site: str | None, origin: str | None, status: int
) -> None:
    headers: dict[str, str | None] = {
        **FORM, "Sec-Fetch-Site": site, "Origin": server.origin if origin == "own" else origin,
    }  # fmt: skip
    for kind in (FORM["Content-Type"], "text/plain"):
        sent = multipart("a.csv", b"item,a,b\n1,x,x\n2,y,x\n")
        answer = server.ask("POST", "/open", sent, headers={**headers, "Content-Type": kind})
        assert answer.status == (status if kind != "text/plain" or status == 403 else 400)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_unknown(server: Running, method: str) -> None:
    assert server.ask(method, "/", headers={"Origin": "http://evil.example"}).status == 405


def test_a_link_is_good_for_one_use() -> None:
    with running() as fresh:
        token = fresh.bench.keys.token
        assert fresh.get("/", Cookie=None).status == 403
        assert fresh.get(f"/?token={token[:-1]}", Cookie=None).status == 403
        first = fresh.get(f"/r/x/answer?token={token}&q=1", Cookie=None)
        assert (first.status, first.place) == (303, "/r/x/answer?q=1")
        assert {"HttpOnly", "SameSite=Strict"} <= set(first.headers["set-cookie"].split("; "))
        assert token not in first.headers["set-cookie"]
        again = fresh.get(f"/?token={token}", Cookie=None)
        assert again.status == 403
        assert "set-cookie" not in again.headers
        assert any("token=" in line for line in fresh.said)  # a new link, on the terminal only
        assert fresh.get("/", Cookie=f"{fresh.bench.keys.cookie_name}=guess").status == 403
        assert fresh.get("/").status == 200


def test_a_token_leads_nowhere_else(server: Running) -> None:
    assert server.get("//evil.example/?token=x").place == "/evil.example/"


@pytest.mark.parametrize(
    "path", ["/", "/static/workbench.js", "/nowhere", "/r/x/answer", "/static/..%2fapp.py"]
)
def test_every_answer_carries_the_headers(server: Running, path: str) -> None:
    for headers in ({}, {"Cookie": None}, {"Host": "evil.example"}):
        answer = server.ask("GET", path, headers=headers)
        assert {name: answer.headers[name] for name in HEADERS} == ASKED
        assert not [name for name in answer.headers if name.startswith("access-control")]
        assert "server" not in answer.headers or "uvicorn" not in answer.headers["server"]


def test_nothing_is_loaded_from_elsewhere() -> None:
    folder = Path(pages.__file__).parent
    for path in [*folder.rglob("*.html"), *folder.rglob("*.js"), *folder.rglob("*.css")]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"(src|href|action|@import|fetch|url)\W{1,3}(https?:)?//", text), path
        assert "innerHTML" not in text
        assert not re.search(r"\son\w+=", text), path
        assert "|safe" not in text.replace(" ", ""), path


# -------------------------------------------------------------------- uploads


@pytest.fixture(scope="module")
def small():
    with running(Settings(largest_upload=1 << 20, patience=PATIENCE, seconds=PATIENCE)) as found:
        yield found


def test_a_large_upload_is_refused(small: Running) -> None:
    assert small.upload("big.csv", b"x" * (3 << 20)).status == 413


def test_a_length_that_lies_is_counted(small: Running) -> None:
    sent = multipart("big.csv", b"x" * (3 << 20))
    chunked = b"".join(
        f"{len(part):x}\r\n".encode() + part + b"\r\n"
        for part in (sent[k : k + 65536] for k in range(0, len(sent), 65536))
    )
    headers = {**FORM, "Transfer-Encoding": "chunked"}
    assert small.ask("POST", "/open", chunked + b"0\r\n\r\n", headers=headers).status == 413
    told = {**FORM, "Content-Length": str(10**12)}
    assert small.ask("POST", "/open", sent[:1000], headers=told).status == 413


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_form_without_its_end_is_refused(server: Running) -> None:
    sent = multipart("a.csv", b"item,a,b\n1,x,x\n", end=b"")
    assert server.ask("POST", "/open", sent, headers=FORM).status == 400
    many = b"".join(
        f'--edge\r\nContent-Disposition: form-data; name="f{k}"\r\n\r\nx\r\n'.encode()
        for k in range(2000)
    )
    assert server.ask("POST", "/open", many + b"--edge--\r\n", headers=FORM).status == 400
    assert server.post("/demo", **{f"f{k}": "x" * 2000 for k in range(600)}).status == 413


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd", "..\\\\..\\\\x.csv", "C:\\\\x.csv", "a%00b.csv", "CON",
        "a" * 300 + ".csv", "gpj.\u202evsc.exe", "/etc/shadow", "nul.csv",
    ],
)  # fmt: skip
def test_names_of_files_are_text(server: Running, name: str) -> None:
    answer = server.upload(name, b"item,a,b\n1,x,x\n2,y,x\n3,y,y\n")
    assert answer.status == 303
    file = server.bench.store.newest
    place = Path(file.path)
    assert place.parent == server.bench.scratch.path
    assert re.fullmatch(r"[0-9a-f]{32}(\.csv)?", place.name)
    assert len(file.shown) <= 120
    assert "\u202e" not in file.shown
    assert "/" not in file.shown


@pytest.mark.parametrize("name", ["../app.py", "..%2fapp.py", "%2e%2e/app.py", "nothing.js"])
def test_static_files_stay_below_their_root(server: Running, name: str) -> None:
    answer = server.get(f"/static/{name}")
    assert answer.status == 404
    assert "import" not in answer.text


# -------------------------------------------------------------------- state


def test_reading_changes_nothing(server: Running) -> None:
    state = server.opened(Path(__file__).parents[3] / "examples" / "labels.csv")
    before = list(server.bench.store._states)
    for path in ("/file", "/answer", "/items", "/options", "/export"):
        server.page(state + path)
    assert list(server.bench.store._states) == before
    assert server.get("/demo").status == 405
    assert server.get("/open").status == 405


@pytest.mark.parametrize("back", ["//evil.example", "https://evil.example", "/\\\\evil", "x"])
def test_nothing_leads_to_another_site(server: Running, back: str) -> None:
    assert server.post("/job/none/again", back=back).place == "/"


def test_a_fault_shows_a_number_and_no_traceback(server: Running, monkeypatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("secret inside")

    monkeypatch.setattr(server.bench.store, "state", broken)
    answer = server.get("/r/x/answer")
    assert answer.status == 500
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text
    number = re.search(r"Error (\w{8})", answer.text)
    assert number is not None
    assert any(number[1] in line and "secret inside" in line for line in server.said)
    assert {name: answer.headers[name] for name in HEADERS} == ASKED
