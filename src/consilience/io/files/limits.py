"""How much a file from strangers may ask for: one set of limits for ratings and for units."""

from __future__ import annotations

from consilience.core.input_files import Said
from consilience.exceptions import InputError

LARGEST_TEXT = 512 << 20  # bytes of one file that is read as a whole
LARGEST_UNPACKED = 500 << 20  # bytes of all members of an archive together
LARGEST_RATIO = 200  # of unpacked to packed bytes
RATIO_COUNTS_FROM = 1 << 20  # a few kilobytes of blanks may well pack better than 1 to 200
UNPACKED_FREELY = 64 << 20  # bytes of a single packed file, however small it was
MOST_FILES = 20_000  # in a folder
MOST_MEMBERS = 5_000  # in an archive
DEEPEST_ARCHIVE = 2
DEEPEST = 200  # levels of nesting in JSON and XML
LONGEST_INTEGER = 300  # digits; any number so long still fits a float
LONGEST_CELL = 1 << 20  # characters; longer means a quotation mark that never closes
MOST_COLUMNS = 10_000
MOST_BLANK_LINES = 1_000_000
TRUST = "unpack it yourself if you trust it"


def refused(where: str, what: str, expectation: str, got: str, hint: str) -> InputError:
    """Build the sentence that refuses a file, or a place in it."""
    return InputError.expected(what, expectation, Said(got), hint, where=where)


def badly_quoted(where: str, fault: Exception) -> InputError:
    """Build the sentence about a line that cannot be cut into cells."""
    if "field larger" in str(fault):
        most = f"at most {LONGEST_CELL:,} characters long"
        hint = "close the quotation mark that stays open; a text of that length is no label"
        return refused(where, "every cell", most, "a longer one", hint)
    hint = "close it, or double it where it is part of the text"
    return refused(where, "a quotation mark", "closed before the next cell", str(fault), hint)


def burst(where: str, unpacked: int, packed: int) -> InputError:
    """Build the sentence that stops a packed file."""
    most = f"at most {LARGEST_RATIO} times larger when unpacked"
    got = f"more than {unpacked >> 20} MB from {packed:,} bytes"
    return refused(where, "a packed file", most, got, TRUST)


def damaged(where: str, error: Exception, form: str = "readable to its end") -> InputError:
    """Build the sentence about a file that ends too early, or makes no sense."""
    told = str(error) or type(error).__name__
    return refused(where, "the file", form, told, "check that it was copied completely")
