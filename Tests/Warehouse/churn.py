"""Recomputes monthly churn from exported transitions, as the page Warehouse shows it."""

import json
import re
import sys

import duckdb

page, transitions = sys.argv[1:3]
# The query is the page's own, so that what is shown is what is tested.
query = re.search(r"```sql\n(.*?)```", open(page, encoding="utf-8").read(), re.S).group(1)
query = query.replace("transitions.ndjson", transitions)
# As the page advises for a position: here the last possible one.
query = query.replace("GROUP BY bundleId", f"WHERE position <= {2**63 - 1} GROUP BY bundleId", 1)
connection = duckdb.connect()
cursor = connection.execute(query)
names = [column[0] for column in cursor.description]
print(json.dumps([dict(zip(names, row)) for row in cursor.fetchall()]))
