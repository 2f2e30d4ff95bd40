"""What the comparisons of readers share: values of Arrow tables as texts, and what differs."""

import datetime
import json
import time
from collections import Counter
from decimal import Decimal

import pyarrow

UTC = datetime.timezone.utc
failures = []
seconds = Counter()


def check(same, *words):
    if not same:
        failures.append(" ".join(str(word) for word in words))
        print("differs:", failures[-1][:2000], flush=True)


def canonical(value, kind, knows="all"):
    """A value as text, by its Arrow type in DuckDB, as far as a reader supports it.

    PyIceberg (0.12) has an empty list for a null list of structs (its issue 3833); ClickHouse has one for any null list, and for a null
    struct one of nulls, or of zeros where a field cannot be null.
    """
    if pyarrow.types.is_list(kind) or pyarrow.types.is_large_list(kind):
        if value is None:
            return [] if knows == "ClickHouse" or (knows == "PyIceberg" and pyarrow.types.is_struct(kind.value_type)) else None
        return [canonical(each, kind.value_type, knows) for each in value]
    if pyarrow.types.is_struct(kind):
        if value is None:
            return None
        fields = [canonical(value[field.name], field.type, knows) for field in kind]
        return None if knows == "ClickHouse" and all(field in (None, "", 0, "0", []) for field in fields) else fields
    if value is None:
        return None
    if pyarrow.types.is_timestamp(kind):
        return value.astimezone(UTC).isoformat()
    if pyarrow.types.is_decimal(kind):
        return str(Decimal(value))
    if pyarrow.types.is_boolean(kind):
        return bool(value)
    if pyarrow.types.is_floating(kind):
        return float(value).hex()
    if pyarrow.types.is_integer(kind):
        return int(value)
    data = value.encode() if isinstance(value, str) else bytes(value)
    return data.hex()


def stored_columns(name):
    """A query of the columns of a view as the files of its table have them: the view computes block_date and method_id, and shows an address as text."""
    bytes_of = " REPLACE (from_hex(substr(manager_address, 3)) AS manager_address)" if name in ("p_transactions", "rest_p_transactions", "node_subnets") else ""
    return f"SELECT COLUMNS(name -> name NOT IN ('block_date', 'method_id')) FROM (SELECT *{bytes_of} FROM \"{name}\")"


def rows_of(table, schema, knows="all"):
    return Counter(
        json.dumps([canonical(row[field.name], field.type, knows) for field in schema]) for row in table.to_pylist()
    )


def compare(name, reader, expected, found):
    if expected != found:
        missing, more = expected - found, found - expected
        check(False, name, reader, f"{sum(missing.values())} missing, {sum(more.values())} others;", *list(missing)[:1], "|", *list(more)[:1])


class Timed:
    def __init__(self, what):
        self.what = what

    def __enter__(self):
        self.began = time.time()

    def __exit__(self, *_):
        seconds[self.what] += time.time() - self.began
