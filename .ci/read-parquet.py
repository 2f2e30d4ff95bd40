"""Compares what readers read from a folder of published tables, without any option, with what DuckDB reads from the views of the lake.

read-parquet.py LAKE FOLDER READER...: the readers are pandas (with pyarrow, polars and DuckDB), spark and clickhouse; other names are left out. Ends
with 1 and says where they differ.
"""

import datetime
import os
import sys
from collections import Counter

import duckdb
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
from compare_rows import UTC, Timed, check, compare, failures, rows_of, seconds, stored_columns

types = pyarrow.types


def kind_of(type):
    """A type as text, without the differences between string, large string and string view."""
    if types.is_list(type) or types.is_large_list(type):
        return [kind_of(type.value_type)]
    if types.is_struct(type):
        return {field.name: kind_of(field.type) for field in type}
    if types.is_timestamp(type):
        return f"timestamp {type.unit} {'with' if type.tz else 'without'} zone"
    return str(type).replace("large_", "").replace("_view", "")


def readers(names):
    """Functions that read the folder of a table as an Arrow table, by reader."""
    if "pandas" in names:
        import polars

        duck = duckdb.connect()
        # A time zone other than UTC must not change the result.
        duck.execute("SET TimeZone = 'America/New_York'")
        yield "pyarrow", pyarrow.parquet.read_table
        yield "dataset", lambda path: pyarrow.dataset.dataset(path).to_table()
        yield "polars", lambda path: polars.read_parquet(path).to_arrow()
        yield "polars scan", lambda path: polars.scan_parquet(f"{path}/*.parquet").collect().to_arrow()
        yield "DuckDB", lambda path: duck.execute(f"FROM read_parquet('{path}/*.parquet')").to_arrow_table()
        yield "DuckDB **", lambda path: duck.execute(f"FROM '{path}/**/*.parquet'").to_arrow_table()
    if "clickhouse" in names:
        yield "ClickHouse", click
    if "spark" in names:
        spark = start_spark()
        yield "Spark", lambda path: spark.read.parquet(path).toArrow()


def start_spark():
    from pyspark.sql import SparkSession

    with Timed("Spark's start"):
        # Settings of the program, not of reading. Compiling code for each table would take longer than reading it.
        quiet = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}
        interpreted = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
        return SparkSession.builder.master("local[2]").config(map={**quiet, **interpreted}).getOrCreate()


def click(path):
    import chdb

    # Both settings are about the answer.
    query = f"SELECT * FROM file('{path}/*.parquet') SETTINGS output_format_arrow_string_as_string = 0, session_timezone = 'UTC'"
    return pyarrow.ipc.open_file(pyarrow.BufferReader(chdb.query(query, "Arrow").bytes())).read_all()


def compare_pandas(name, path, expected):
    import pandas

    frame = pandas.read_parquet(path)
    check(list(frame.columns) == expected.column_names, name, "pandas", list(frame.columns))
    check(len(frame) == expected.num_rows, name, "pandas", len(frame), "rows, not", expected.num_rows)
    for field in expected.schema:
        column, values = frame[field.name], [value for value in expected[field.name].to_pylist() if value is not None]
        check(column.count() == len(values), name, "pandas", field.name, "has", column.count(), "values")
        if types.is_integer(field.type) or types.is_decimal(field.type):
            # A column of integers with nulls is float64 in pandas.
            found = sum(int(value) for value in column.dropna())
            exact = sum(int(value) for value in values)
            near = column.dtype == "float64" and abs(found - exact) <= abs(exact) * 1e-9
            check(found == exact or near, name, "pandas", field.name, "sum", found, exact)
        if types.is_timestamp(field.type):
            check(str(column.dtype) == "datetime64[us, UTC]", name, "pandas", field.name, column.dtype)


def compare_dates(views, name):
    """The date that a view adds is the UTC date of the time, in every time zone."""
    if views.execute("SELECT count(*) FROM duckdb_columns() WHERE table_name = ? AND column_name = 'block_date'", [name]).fetchone() == (0,):
        return
    epoch = datetime.datetime(1970, 1, 1, tzinfo=UTC)
    for zone in ("America/New_York", "Pacific/Kiritimati", "UTC"):
        views.execute(f"SET TimeZone = '{zone}'")
        for micros, date in views.execute(f'SELECT DISTINCT epoch_us(block_time), block_date FROM "{name}"').fetchall():
            expected = None if micros is None else (epoch + datetime.timedelta(microseconds=micros)).date()
            check(date == expected, name, "block_date", date, "instead of", expected, "in", zone)


def main():
    lake, folder, *names = sys.argv[1:]
    lake, folder = os.path.abspath(lake), os.path.abspath(folder)
    read_by = list(readers(names))
    views = duckdb.connect(os.path.join(lake, "lake.duckdb"), read_only=True)
    views.execute("SET TimeZone = 'UTC'")
    tables = [name for name in sorted(os.listdir(folder)) if not name.startswith(".")]
    shown = views.execute("SELECT view_name FROM duckdb_views() WHERE sql LIKE '%read_parquet(%' AND NOT internal").fetchall()
    check({name for name, in shown} <= set(tables), "tables that were not published:", sorted({name for name, in shown} - set(tables)))
    counts = Counter()
    for name in tables:
        path = os.path.join(folder, name)
        expected = views.execute(stored_columns(name)).to_arrow_table()
        compare_dates(views, name)
        schema = expected.schema
        rows = {knows: rows_of(expected, schema, knows) for knows in ("all", "ClickHouse")}
        counts.update(tables=1, rows=expected.num_rows, files=len(os.listdir(path)), empty=int(expected.num_rows == 0))
        for reader, read in read_by:
            knows = reader if reader in rows else "all"
            with Timed(reader):
                found = read(path)
            check(found.column_names == schema.names, name, reader, found.column_names, schema.names)
            if knows == "all":
                for field in schema:
                    kind = kind_of(found.schema.field(field.name).type)
                    check(kind == kind_of(field.type), name, reader, field.name, kind, "instead of", kind_of(field.type))
            compare(name, reader, rows[knows], rows_of(found, schema, knows))
        if "pandas" in names:
            with Timed("pandas"):
                compare_pandas(name, path, expected)
    print(folder, dict(counts), flush=True)
    print({what: round(spent, 1) for what, spent in seconds.items()})
    if failures:
        sys.exit(f"{len(failures)} differences")


main()
