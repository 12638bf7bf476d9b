"""What bytes become: encodings, line ends, delimiters, archives and folders within their limits."""

from __future__ import annotations

import gzip
import io
import os
import random
import tarfile
import zipfile
from itertools import product
from pathlib import Path

import pytest

import needed
from consilience.core.reading_account import Ledger
from consilience.exceptions import InputError
from consilience.io.events.unit_files import File, find_files
from consilience.io.files import parsing as _guarded
from consilience.io.files import source as _source
from consilience.io.files import strict_xml as _strict_xml
from consilience.io.files import text as _text_kind
from consilience.io.files.parsing import bounded, csv_rows, decode, parse_json, parse_table
from consilience.io.files.source import Source, tar_files, walk
from consilience.io.files.text import (
    choose_delimiter,
    examine,
    first_rows,
    is_quoted,
    to_utf8,
    unmarked_utf16,
)


@pytest.fixture
def kept(tmp_path):
    """Write bytes into a file."""

    def write(content: bytes | str, name: str = "codes.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


# -------------------------------------------------------------------- encodings


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("item,Ann,Bob".encode("utf-16-le"), "utf-16-le"),
        ("item,Ann,Bob".encode("utf-16-be"), "utf-16-be"),
        ("Мария,Анна: word, word".encode("utf-16-le"), "utf-16-le"),
        ("Мария,Анна: word, word".encode("utf-16-be"), "utf-16-be"),
        # Some letters beyond Latin-1 have a zero in the other half.
        (("many Latin letters " * 2 + "Ā").encode("utf-16-le"), "utf-16-le"),
        (("many Latin letters " * 2 + "Ā").encode("utf-16-be"), "utf-16-be"),
        # A zero or two are no alphabet.
        (b"item,Ann,Bob\n1,\0,y\n2,x,y\n", None),
        (b"item,Ann,Bob\n1,x,\0y\n2,x,y\n", None),
        (b"\0" * 64, None),
        (b"\0a\0", None),
        (b"item,Ann,Bob", None),
    ],
)
def test_utf16_without_its_mark_is_told_from_stray_zeros(head, expected):
    assert unmarked_utf16(head) == expected


@pytest.mark.parametrize("place", [14, 15])
def test_a_zero_in_plain_text_is_refused_with_its_line(kept, place):
    text = bytearray(b"item,Ann,Bob\n1,xx,y\n")
    text[place] = 0
    with pytest.raises(InputError, match=r"codes\.csv, line 2: .* NUL byte"):
        examine(kept(bytes(text)))


def test_places_are_counted_over_many_pieces(kept, monkeypatch):
    monkeypatch.setattr(_text_kind, "_CHUNK", 8)
    rows = "".join(f"{k},x,y\n" for k in range(40))
    with pytest.raises(InputError, match=r"line 31: .* NUL"):
        examine(kept(rows.replace("30,x", "30,\0")))
    with pytest.raises(InputError, match=r"line 31: .* NUL characters"):
        to_utf8(kept(rows.replace("30,x", "30,\0")), "utf-8", kept("", "copy.csv"))
    with pytest.raises(InputError, match=r"near line \d+"):
        to_utf8(kept(rows.encode() + b"\xff"), "utf-8", kept("", "copy.csv"))
    blank = f"0,x,y\n0\n{' ' * 24}"
    with pytest.raises(InputError, match=r"line 3: .* blanks"):
        examine(kept(blank))
    with pytest.raises(InputError, match=r"line 1: .* blanks"):
        examine(kept("\n" * 8 + rows))


@pytest.mark.parametrize("byte", [0x81, 0x8D, 0x8F, 0x90, 0x9D])
def test_bytes_that_no_western_encoding_has_are_refused(kept, byte):
    with pytest.raises(InputError, match="UTF-8, UTF-16 or cp1252"):
        examine(kept(b"item,Ann\n1,\xff" + bytes((byte,))))


def test_what_is_no_utf8_is_western_and_that_is_said(kept):
    form = examine(kept("item,Ann\n1,“é”\n".encode("cp1252")))
    assert (form.encoding, form.is_plain) == ("cp1252", False)
    assert form.evidence == ("not UTF-8, so taken as cp1252 (--encoding)",)
    assert examine(kept("item,Ann\n1,“é”\n")).is_plain
    assert examine(kept("item,Ann\n1,é"[:-1].encode() + b"\xc3")).encoding == "cp1252"


def test_an_encoding_is_taken_as_named_or_refused(kept):
    path = kept("item,Ann\n1,x\n")
    assert examine(path, encoding="CP1252").encoding == "cp1252"
    for word in ("klingon", "base64", "a\0b"):
        with pytest.raises(InputError, match="encoding must be one that Python knows"):
            examine(path, encoding=word)
        with pytest.raises(InputError, match="encoding must be one that Python knows"):
            decode(b"text", "x", encoding=word)


@pytest.mark.parametrize(
    ("written", "taken", "is_plain"),
    [("utf-8-sig", "utf-8", True), ("utf-16", "utf-16", False), ("utf-32", "utf-32", False),
     ("utf-16-be", "utf-16-be", False)],
)  # fmt: skip
def test_a_byte_order_mark_tells_the_encoding(kept, written, taken, is_plain):
    form = examine(kept("item,Ann\n1,x\n".encode(written)))
    assert (form.encoding, form.is_plain) == (taken, is_plain)


def test_a_packed_text_is_examined_up_to_its_limits(kept, monkeypatch):
    monkeypatch.setattr(_text_kind, "UNPACKED_FREELY", 200)
    monkeypatch.setattr(_text_kind, "LARGEST_RATIO", 1)
    assert examine(kept(gzip.compress(b"a,b\n" * 50), "x.csv.gz")).encoding == "utf-8"
    with pytest.raises(InputError, match="unpack it yourself"):
        examine(kept(gzip.compress(b"a,b\n" * 51), "x.csv.gz"))
    monkeypatch.setattr(_text_kind, "LARGEST_RATIO", 200)
    assert examine(kept(gzip.compress(b"a,b\n" * 51), "x.csv.gz")).encoding == "utf-8"


@pytest.mark.parametrize("size", [4, 5, 6, 7, 64])
def test_characters_may_be_cut_by_pieces_of_any_size(kept, monkeypatch, size):
    monkeypatch.setattr(_text_kind, "_CHUNK", size)
    assert examine(kept("item,Ann\n1,ж€é𝄞\n2,ж€é𝄞\n")).encoding == "utf-8"


# -------------------------------------------------------------------- line ends


@pytest.mark.parametrize("ends", [*product(("\n", "\r\n", "\r"), repeat=3)])
def test_line_ends_of_two_kinds_are_seen_wherever_they_change(kept, monkeypatch, ends):
    text = "".join(row * 3 for row in (f"1,x,y{ends[0]}", f"2,x,y{ends[1]}", f"3,x,y{ends[2]}"))
    for size in (5, 6, 7, 18, 21, 1000):  # of the pieces: some end where one kind begins
        monkeypatch.setattr(_text_kind, "_CHUNK", size)
        assert examine(kept(text)).mixed_line_ends == (len(set(ends)) > 1), size


def test_a_long_text_whose_line_ends_change_is_read(kept):
    from consilience.io import read

    row = "item{:06d},yes,no\n"
    above = "item,Ann,Bob\n" + "".join(map(row.format, range(49_930)))
    above = above.replace("item000000", "item000000" + "0" * ((1 << 20) - len(above)))
    below = "".join(map(row.format, range(60_000, 60_050))).replace("\n", "\r\n")
    assert len(above) == 1 << 20
    assert read(kept(above + below)).n_items == 49_980


# -------------------------------------------------------------------- delimiters


DELIMITED = [
    ("item,label\n1,x\n2,y\n", ","),
    ("item\tlabel\n1\tx\n", "\t"),
    ("item|A|B\n1|x|y\n", "|"),
    ("label\nx\ny\n", None),
    ("", None),
    ("item;A;B\n1;2,5;3,5\n2;1,5;0,5\n", ";"),  # decimal commas
    ("item;A\n1;0,5\n2;1,5\n3;-1,25\n", ";"),
    ("item;A;B\n1;x, y;z\n2;u;v\n", ";"),
    # Most lines are enough, four of five just so; lines that differ still have a delimiter.
    ("All results, of May\n1,y;x;x\n2,y;x;x\n3,y;x;x\n4,y;x;x\n", ";"),
    ("a,b,c\n1,2\n1,2,3,4\n1,2,3\n", ","),
    # Both cut into two, one of them every line.
    ("name;label\nv,w;x\nu,w;x\nv,w;x\nu,w;x\nv,w;x\n", ";"),
    # A mark that opens a cell and never closes is a letter of tab-separated text.
    ('item\tlabel\n1\t"x\n2\ty\n', "\t"),
    ('item\tA, B\tC\n1\t"x, z\ty\n2\tx, q\ty\n', "\t"),
    ("1;2,5\n2;3,5\n3;1,5\n", ";"),
]


@pytest.mark.parametrize(("text", "expected"), DELIMITED)
def test_the_delimiter_is_the_sign_that_cuts_lines_alike(text, expected):
    assert choose_delimiter(text, ".csv", "codes.csv") == expected


def test_two_delimiters_that_fit_alike_are_asked_about_unless_the_name_decides():
    text = "a,b\tc\n1,2\t3\nx,y\tz\n"
    with pytest.raises(InputError, match="both comma and tab cut into 2 cells"):
        choose_delimiter(text, ".csv", "codes.csv")
    assert choose_delimiter(text, ".TSV", "codes.TSV") == "\t"
    assert choose_delimiter(text.replace("\t", "|"), ".psv", "codes.psv") == "|"
    assert choose_delimiter("a,b,c\t\n", ".tsv", "codes.tsv") == ","  # the name is no proof


def test_a_few_whole_lines_are_seen_however_long_they_are(kept):
    long = ",".join(["x" * 100_000] * 4)
    rows = first_rows(kept("".join(f"{k},{long}\n" for k in range(9))), "utf-8", ",")
    assert [row[0] for row in rows] == ["0", "1", "2", "3"]
    assert [len(row) for row in first_rows(kept("a,b\r\n1,2\r\n"), "utf-8", ",")] == [2, 2]
    assert first_rows(kept(b"\xef\xbb\xbfa,b\r1,2\r"), "utf-8", ",")[0] == ["a", "b"]
    assert first_rows(kept('a\tb\n"1\t2\n'), "utf-8", "\t", quoted=False)[1] == ['"1', "2"]


def test_what_is_cut_off_is_no_line(kept, monkeypatch):
    monkeypatch.setattr(_text_kind, "_SAMPLE", 30)
    rows = first_rows(kept("".join(f"{k:02d},x,y\n" for k in range(50))), "utf-8", ",")
    assert len(rows) == 4  # in 30 characters; of the fifth line there are two
    assert all(len(row) == 3 for row in rows)


# -------------------------------------------------------------------- quotation marks


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ('1\t"x"\ty', True),  # marks that hold cells together, beside cells without
        ('1\tsay ""x""\ty', True),
        ('1\t"say ""x"""\ty', True),
        ('1\t5" nail\ty', True),  # inside a cell it opens nothing
        ('1\t""\ty', True),
        ('1\t"x\ty', False),
        ('1\t"\ty', False),
        ('1\t"x" and "y"\ty', False),
        ('1\t"x\ty\n2\tx', True),  # lines of two widths: the cell goes on
        ('1\t"x\ty\n\n2\tx\ty', False),  # a blank line has no width
        ("1\tx\ty", True),
    ],
)
def test_marks_that_close_hold_cells_together(kept, cells, expected):
    path = kept(f"item\tAnn\tBob\n{cells}\n", "codes.tsv")
    assert is_quoted(path, "utf-8", "\t") == expected
    assert is_quoted(path, "utf-8", ",")


def test_a_first_line_may_be_narrower_and_have_a_byte_order_mark(kept):
    assert is_quoted(kept(b'\xef\xbb\xbf"item"\tAnn\n1\tx\n'), "utf-8", "\t")
    assert not is_quoted(kept(b'\xef\xbb\xbf"item\tAnn\n1\tx\n'), "utf-8", "\t")
    assert is_quoted(kept('item,Ann\n1,"x\n'), "utf-8", ",")  # commas need marks
    assert not is_quoted(kept('Ann\tBob\n1\t"x\ty\n2\tx\ty\n'), "utf-8", "\t")


def test_quoted_and_bare_labels_are_the_same_label(kept):
    from consilience.io import read

    path = kept('item\tAnn\tBob\n1\t"yes"\tyes\n2\tno\t"no"\n3\tyes\tyes\n', "codes.tsv")
    assert read(path).categories == ("no", "yes")


# -------------------------------------------------------------------- text, JSON and rows in memory


def test_what_stands_twice_is_named():
    with pytest.raises(InputError, match="'b' twice"):
        parse_json('{"a": 1, "b": 2, "c": 3, "b": 4}', "x.json")
    with pytest.raises(InputError, match="'b' twice"):
        list(parse_table("a,b,c,b\n1,2,3,4\n", "x.csv").records())


def test_half_characters_are_found_at_any_depth():
    for text in ('[["\\ud800"]]', '{"a": {"b": ["\\udc00"]}}', '[{"\\ud800": 1}]'):
        with pytest.raises(InputError, match="lone surrogate"):
            parse_json(text, "x.json")


def test_depth_and_digits_are_allowed_up_to_their_limits():
    deep = '{"a":' * 199 + "[]" + "}" * 199
    assert parse_json(deep, "x.json")
    with pytest.raises(InputError, match="at most 200 levels"):
        parse_json(f"[{deep}]", "x.json")
    assert parse_json("-" + "1" * 299, "x.json") < 0
    with pytest.raises(InputError, match="301 digits"):
        parse_json("1" * 301, "x.json")
    assert parse_json("[1e308, NaN]", "x.json") == [1e308, None]


def test_text_is_refused_at_its_line():
    with pytest.raises(InputError, match=r"x, line 3: .*NUL characters"):
        decode(b"a long first line\nanother\nx\0y\n", "x")
    with pytest.raises(InputError, match=r"x, line 2: .*ascii throughout"):
        decode("a\né\n".encode(), "x", encoding="ascii")
    with pytest.raises(InputError, match=r"x, line 3: .*utf-8 throughout"):
        decode(b"a\nb\n\xff\n", "x", otherwise=None)
    with pytest.raises(InputError, match=r"x: .*UTF-8, UTF-16 or cp1252"):
        decode(b"a\n\x81\xff\n", "x")


def test_blank_lines_are_allowed_up_to_their_limit(monkeypatch):
    monkeypatch.setattr(_guarded, "MOST_BLANK_LINES", 5)
    for end in ("\n", "\r\n", "\r"):
        text = f"a{end}b" + end * 4
        assert decode(text.encode(), "x") == text
        with pytest.raises(InputError, match=r"x, line 2: .*more than 5 empty lines"):
            decode((text + end).encode(), "x")


def test_rows_know_the_line_where_they_begin():
    text = 'a,b\n"1\n2",x\n\n3,y\n'
    assert csv_rows(text, "x", ",") == [
        (1, ["a", "b"]), (2, ["1\n2", "x"]), (4, []), (5, ["3", "y"])
    ]  # fmt: skip
    table = parse_table(f" a ,b\n,\n{text[4:]}", "x.csv")
    assert (table.columns, [line for line, _ in table.rows]) == (("a", "b"), [3, 6])
    assert parse_table("a,b\n,x\n", "x.csv").rows == [(2, ["", "x"])]  # one cell is enough


def test_a_stream_is_read_up_to_its_limit():
    assert bounded(io.BytesIO(b"12345"), "x", most=5) == b"12345"
    with pytest.raises(InputError, match=r"at most 0 MB\. Got more than that"):
        bounded(io.BytesIO(b"123456"), "x", most=5)
    with pytest.raises(InputError, match="from 3 bytes"):
        bounded(io.BytesIO(b"123456"), "x", most=5, packed=3)


def test_xml_is_as_deep_as_it_is_open():
    side_by_side = "<a>" + "<b><c/></b>" * 300 + "</a>"
    seen: list[str] = []
    _strict_xml.walk(side_by_side.encode(), "x.xml", lambda *_: None, seen.append, None)
    assert seen.count("b") == seen.count("c") == 300
    for depth, fits in ((200, True), (201, False)):
        text = ("<p:a>" * depth + "</p:a>" * depth).encode()
        if fits:
            _strict_xml.check(text, Path("x.xml"))
        else:
            with pytest.raises(InputError, match="nested at most 200 deep"):
                _strict_xml.check(text, Path("x.xml"))


# -------------------------------------------------------------------- folders and archives


NOISE = random.Random(1).randbytes(3 << 20)  # bytes that cannot be packed


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in members.items():
            out.writestr(name, content)
    return path


def tarred(members: dict[str, bytes], mode: str = "w") -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return stream.getvalue()


def test_a_large_archive_that_packs_like_data_is_read(tmp_path):
    path = zipped(tmp_path / "x.zip", {"a.bin": NOISE, "README.md": b"x", ".hidden": b"x"})
    (member,) = Source((path,)).members
    assert member.name == "a.bin"
    for size in (1, 65_536, 65_537, 200_000):
        assert member.head(size) == NOISE[:size]
    assert member.bytes() == NOISE
    assert member.bytes() == NOISE  # kept: a second look is not counted


def test_an_archive_is_allowed_two_hundred_times_its_size_or_a_megabyte(tmp_path):
    for blanks, filling, fits in (
        (1 << 20, 0, True), ((1 << 20) + 1, 0, False),  # a megabyte, from a kilobyte
        (3 << 20, 20_000, True), (6 << 20, 20_000, False),  # about 4 MB, from 20 kB
    ):  # fmt: skip
        data = NOISE[:filling] + b" " * (blanks - filling)
        (member,) = Source((zipped(tmp_path / "x.zip", {"a.txt": data}),)).members
        if fits:
            assert member.bytes() == data
        else:
            with pytest.raises(InputError, match="200 times larger"):
                member.bytes()


def test_a_look_at_a_whole_member_is_counted_once(tmp_path, monkeypatch):
    path = zipped(tmp_path / "x.zip", {"a.txt": b"x" * 1000})
    monkeypatch.setattr(_source, "RATIO_COUNTS_FROM", 1000)
    monkeypatch.setattr(_source, "LARGEST_RATIO", 1)
    (member,) = Source((path,)).members
    assert [len(member.head(size)) for size in (2000, 10, 2000)] == [1000, 10, 1000]
    assert len(member.bytes()) == 1000


def test_what_is_inside_knows_its_name_and_place(tmp_path):
    inner = zipped(tmp_path / "inner.zip", {"b/Ann.CSV": b"item,label\n1,x\n"}).read_bytes()
    path = zipped(tmp_path / "x.zip", {"a/inner.zip": inner, "c.txt": b"text"})
    archive, text = Source((path,)).members
    (table,) = archive.members()
    assert (table.stem, table.suffix) == ("Ann", ".csv")
    assert table.where == f"{path}, a/inner.zip, b/Ann.CSV"
    assert table.table().rows == [(2, ["1", "x"])]
    assert not text.is_archive()
    assert text.members() == ()
    packed = tmp_path / "Bob.jsonl.gz"
    packed.write_bytes(gzip.compress(b'{"a": 1}\n[2]\n'))
    (member,) = Source((packed,)).members
    assert (member.stem, member.suffix, member.head(4)) == ("Bob", ".jsonl", b'{"a"')
    with pytest.raises(InputError, match=r"line 2: every record must be an object"):
        member.records()
    assert Source((path, packed)).where == f"{path} and 1 more"


def test_too_many_members_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(_source, "MOST_MEMBERS", 3)
    names = [f"{k}.txt" for k in range(4)]
    path = zipped(tmp_path / "x.zip", dict.fromkeys(names, b"x"))
    with pytest.raises(InputError, match=r"at most 3 files\. Got 4"):
        _ = Source((path,)).members
    assert len(Source((zipped(path, dict.fromkeys(names[:3], b"x")),)).members) == 3
    tar = tmp_path / "x.tar"
    tar.write_bytes(tarred(dict.fromkeys(names, b"x")))
    with pytest.raises(InputError, match="at most 3 files"):
        _ = Source((tar,)).members
    tar.write_bytes(tarred(dict.fromkeys(names[:3], b"x")))
    assert [one.name for one in Source((tar,)).members] == names[:3]


def test_too_many_files_in_a_folder_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(_source, "MOST_FILES", 3)
    for name in ("a.csv", "b.csv", "c/d.csv", "README", ".hidden"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    assert len(Source((tmp_path,)).files) == 3
    (tmp_path / "e.csv").write_text("x")
    with pytest.raises(InputError, match="at most 3 files"):
        _ = Source((tmp_path,)).files


def test_a_folder_is_walked_by_name_and_tells_what_it_passes_over(tmp_path):
    for name in ("b/z.csv", "b/a.csv", "a/x.csv", "m.csv", "__MACOSX/m.csv", "readme.md", "x.log"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "link.csv").symlink_to(tmp_path / "m.csv")
    (tmp_path / "linked").symlink_to(tmp_path / "a")
    (tmp_path / "readme").symlink_to(tmp_path / "m.csv")
    found = {path.relative_to(tmp_path).as_posix(): why for path, why in walk(tmp_path)}
    link, about = "a link or a device", "a file about the data"
    assert list(found.items()) == [
        ("link.csv", link), ("linked", link), ("m.csv", None), ("readme", about),
        ("readme.md", about), ("x.log", "settings of a program"),
        ("a/x.csv", None), ("b/a.csv", None), ("b/z.csv", None),
    ]  # fmt: skip
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="filled with files"):
        _ = Source((tmp_path / "empty",)).files


# -------------------------------------------------------------------- tar


def test_every_file_of_a_tar_archive_comes_out_whole():
    members = {"./a.bin": NOISE, "b/c.txt": b"", "d.txt": b"text"}
    expected = {name.removeprefix("./"): data for name, data in members.items()}
    plain = tarred(members)
    assert tar_files(plain, "x.tar", most=3, largest=1) == expected
    for packed in (
        gzip.compress(plain),
        gzip.compress(plain[:700]) + gzip.compress(plain[700:]),  # as `cat` puts them together
    ):
        assert tar_files(packed, "x.tgz", most=3, largest=len(plain)) == expected
        with pytest.raises(InputError, match="when unpacked"):
            tar_files(packed, "x.tgz", most=3, largest=len(plain) - 1)
        with pytest.raises(InputError, match="readable to its end"):
            tar_files(packed[:-9], "x.tgz", most=3, largest=len(plain))
    with pytest.raises(InputError, match="at most 2 files"):
        tar_files(plain, "x.tar", most=2, largest=1)
    with pytest.raises(InputError, match=r"a complete tar archive\. Got it ends too early"):
        tar_files(plain[: len(NOISE) + 512], "x.tar", most=3, largest=1)  # between two files


@pytest.mark.parametrize("name", ["../a", "b/../../a", "/a", "~/a", "C:a", "b\\..\\a"])
def test_a_name_in_a_tar_archive_may_not_lead_out_of_it(name):
    with pytest.raises(InputError, match="a name that leads out of it"):
        tar_files(tarred({name: b"x"}), "x.tar", most=3, largest=1)


def test_a_file_that_is_twice_in_a_tar_archive_is_refused():
    with pytest.raises(InputError, match=r"twice: '\./a'"):
        tar_files(tarred({"a": b"x", "./a": b"y"}), "x.tar", most=3, largest=1)


# -------------------------------------------------------------------- files of units


def test_files_of_units_are_found_once_and_the_rest_is_told(tmp_path):
    for name in ("a.eaf", "b.eaf.gz", "c.zip", "notes.xyz", "README", "sub/d.eaf"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "e.eaf").symlink_to(tmp_path / "a.eaf")
    ledger = Ledger()
    found = find_files([tmp_path, tmp_path / "a.eaf"], [".eaf"], ledger)
    assert [path.name for path in found] == ["a.eaf", "b.eaf.gz", "c.zip", "d.eaf"]
    aside = {one.name: (one.count, one.reason) for one in ledger.close().set_aside}
    assert aside == {
        ".xyz": (1, "no file of annotations, by its ending"),
        "README": (1, "a file about the data"),
    }


def test_texts_beside_brat_files_are_no_files_of_units(tmp_path):
    for name in ("a.ann", "a.txt"):
        (tmp_path / name).write_text("x")
    assert [one.name for one in find_files(tmp_path, [".ann", ".txt"], Ledger())] == ["a.ann"]


@pytest.mark.parametrize(
    ("paths", "words"),
    [(3, "a path or a list of paths"), ([3], "a path or a list of paths"), ([], "at least one")],
)
def test_what_names_no_files_is_refused(paths, words):
    with pytest.raises(InputError, match=words):
        find_files(paths, [".eaf"], Ledger())


def test_a_folder_without_files_of_units_is_refused(tmp_path):
    (tmp_path / "a.xyz").write_text("x")
    with pytest.raises(InputError, match=r"one with annotation files \(\.eaf, \.xmi\)"):
        find_files(tmp_path, [".eaf", ".xmi"], Ledger())


@needed.ON_POSIX
def test_a_pipe_among_files_of_units_is_refused(tmp_path):
    os.mkfifo(tmp_path / "b.eaf")
    with pytest.raises(InputError, match="a pipe or a device"):
        find_files(tmp_path, [".eaf"], Ledger())


def test_a_file_finds_the_one_beside_it_on_disk_and_in_an_archive(tmp_path):
    for name in ("doc.ann", "doc.txt"):
        (tmp_path / name).write_text(name)
    here = File.on_disk(tmp_path / "doc.ann")
    beside = here.beside("doc.txt")
    assert beside is not None
    assert beside.text == "doc.txt"
    assert here.beside("other.txt") is None
    path = zipped(tmp_path / "x.zip", {"doc.ann": b"inside", "doc.txt": b"its text"})
    members = {one.name: one for one in Source((path,)).members}
    inside = File(path / "doc.ann", member=members["doc.ann"], others=members)
    found = inside.beside("doc.txt")
    assert found is not None
    assert (found.text, found.path.name) == ("its text", "doc.txt")
    assert inside.beside("other.txt") is None


def test_a_file_of_units_has_the_ending_and_the_lines_of_what_is_packed(tmp_path):
    path = tmp_path / "talk.EAF.gz"
    path.write_bytes(gzip.compress("\ufeffa\r\nb\rc\n".encode("utf-16")))
    file = File.on_disk(path)
    assert (file.suffix, file.stem, file.lines) == (".eaf", "talk", ["a", "b", "c", ""])
    assert file.head.startswith("a\r\n")
    path = tmp_path / "talk.txt"
    path.write_bytes(b"caf\xe9")
    assert File.on_disk(path).head == "caf\ufffd"
    with pytest.raises(InputError, match="utf-8 throughout"):
        _ = File.on_disk(path).text
    assert File.on_disk(path, "cp1252").text == "café"
