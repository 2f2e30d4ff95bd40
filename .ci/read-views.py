"""Prints a line for each view of a lake: its name, its columns, the number of its rows, and a checksum of their values. The lines of two
versions of DuckDB are equal if both read the same.

read-views.py VIEWS: the path of lake.duckdb or views.sql.
"""

import hashlib
import sys
from datetime import datetime, timezone

import duckdb


def opened(path):
    if not path.endswith(".sql"):
        return duckdb.connect(path, read_only=True)
    views = duckdb.connect()
    with open(path) as script:
        views.execute(script.read())
    return views


def plain(value):
    """The value without what differs between versions: classes of time zones."""
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(timezone.utc).isoformat()
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return value


def checksum(rows):
    lines = sorted(repr([plain(value) for value in row]) for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def main():
    [path] = sys.argv[1:]
    views = opened(path)
    for (name,) in views.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY view_name").fetchall():
        columns = [column[:2] for column in views.execute(f'DESCRIBE "{name}"').fetchall()]
        rows = views.execute(f'SELECT * FROM "{name}"').fetchall()
        print(name, hashlib.sha256(repr(columns).encode()).hexdigest()[:16], len(rows), checksum(rows))


main()
