"""Constraints that OpenAPI cannot express, and limits that save time."""

import schemathesis
from schemathesis.generation import GenerationMode

# The ledger has more events than this; positions are Int64.
KNOWN_POSITION = 50
LARGEST_POSITION = 2**63 - 1


@schemathesis.hook
def before_call(context, case, kwargs):
    query = case.query
    if not query:
        return
    # The two knowledge limits exclude each other, which the schema cannot express.
    is_valid = case.meta is not None and case.meta.generation.mode == GenerationMode.POSITIVE
    if is_valid and "knownAt" in query and "knownPosition" in query:
        del query["knownPosition"]
    # A position beyond the log costs 2 s of waiting; the router's tests cover that.
    wanted = str(query.get("minPosition", ""))
    if wanted.isascii() and wanted.isdigit():
        if KNOWN_POSITION < int(wanted) <= LARGEST_POSITION:
            query["minPosition"] = KNOWN_POSITION
