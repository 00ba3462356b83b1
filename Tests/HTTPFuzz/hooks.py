"""What OpenAPI cannot say about requests, and what only costs time."""

import schemathesis
from schemathesis.generation import GenerationMode

# The ledger asked has more events than this, and a position is at most an Int64.
KNOWN_POSITION = 50
LARGEST_POSITION = 2**63 - 1


@schemathesis.hook
def before_call(context, case, kwargs):
    query = case.query
    if not query:
        return
    # Either bound of what was known, not both: the document says so in words only.
    is_valid = case.meta is not None and case.meta.generation.mode == GenerationMode.POSITIVE
    if is_valid and "knownAt" in query and "knownPosition" in query:
        del query["knownPosition"]
    # A position that nobody reaches is waited for, 2 s each time; the router's tests do that.
    wanted = str(query.get("minPosition", ""))
    if wanted.isascii() and wanted.isdigit():
        if KNOWN_POSITION < int(wanted) <= LARGEST_POSITION:
            query["minPosition"] = KNOWN_POSITION
