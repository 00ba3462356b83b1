"""What OpenAPI cannot say about requests that are to be accepted."""

import schemathesis
from schemathesis.generation import GenerationMode


@schemathesis.hook
def before_call(context, case, kwargs):
    # Either bound of what was known, not both: the document says so in words only.
    query = case.query
    is_valid = case.meta is not None and case.meta.generation.mode == GenerationMode.POSITIVE
    if is_valid and query and "knownAt" in query and "knownPosition" in query:
        del query["knownPosition"]
