"""Votes in JSON lines: a poll, a voter, a vote."""

from consilience.io.exports import export
from consilience.io.exports.export_entries import Annotations


@export("votes", title="Votes (JSON lines)", suffixes=(".jsonl",))
class Votes:
    """Each record is one vote."""

    def recognise(self, sample):
        """Look for the three fields in every record."""
        records = sample.records()
        known = records and all({"poll", "voter", "vote"} <= set(one) for one in records)
        return "every record has poll, voter and vote" if known else None

    def read(self, source, options):
        """Read every vote."""
        found = Annotations()
        for member in source.members:
            for _, record in member.records():
                found.add(record["poll"], record["voter"], record["vote"])
        return found
