"""Compares what readers read from a lake published as Iceberg with what DuckDB reads from its views.

read-iceberg.py LAKE READER...: the readers are pyiceberg, spark and clickhouse; other names are left out. Spark takes Iceberg's runtime from the path in
ICEBERG_JAR. Ends with 1 and says where they differ.
"""

import datetime
import json
import os
import sys
from collections import Counter

import duckdb
import pyarrow
from compare_rows import Timed, check, compare, failures, rows_of, seconds, stored_columns


def spark_of(jar, lake):
    """With a time zone other than UTC, which must not change the result."""
    from pyspark.sql import SparkSession

    return (
        SparkSession.builder.master("local[2]")
        .config("spark.jars", jar)
        .config("spark.sql.extensions", "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions")
        .config("spark.sql.session.timeZone", "Asia/Tokyo")
        .config("spark.sql.execution.arrow.pyspark.enabled", "true")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "ERROR")
        .config("spark.sql.catalog.lake", "org.apache.iceberg.spark.SparkCatalog")
        .config("spark.sql.catalog.lake.type", "hadoop")
        .config("spark.sql.catalog.lake.warehouse", lake)
        .getOrCreate()
    )


def compare_lake(lake, readers):
    with open(os.path.join(lake, "iceberg/publication.json")) as file:
        publication = json.load(file)
    spark = spark_of(os.environ["ICEBERG_JAR"], lake) if "spark" in readers else None
    duck = duckdb.connect(os.path.join(lake, "lake.duckdb"), read_only=True)
    duck.execute("SET TimeZone = 'UTC'")
    counts = Counter()
    for published in publication["tables"]:
        name = published["table"]
        metadata = os.path.join(lake, published["metadata"])
        with Timed("DuckDB"):
            expected = duck.execute(stored_columns(name)).to_arrow_table()
        schema = expected.schema
        rows = rows_of(expected, schema)
        check(expected.num_rows == published["rows"], name, "rows", expected.num_rows, published["rows"])
        counts.update(tables=1, rows=expected.num_rows, files=published["files"])
        if "pyiceberg" in readers:
            with Timed("PyIceberg"):
                from pyiceberg.table import StaticTable

                table = StaticTable.from_metadata("file://" + metadata)
                compare(name, "PyIceberg", rows_of(expected, schema, "PyIceberg"), rows_of(table.scan().to_arrow(), schema, "PyIceberg"))
                if published["files"] > 1:
                    counts.update(pruned=compare_pruning(duck, table, name, schema))
        if spark is not None:
            with Timed("Spark"):
                frame = spark.table(f"lake.iceberg.{name}")
                compare(name, "Spark", rows, rows_of(frame.toArrow(), schema))
                compare_extremes(spark, duck, f"lake.iceberg.{name}", name, schema)
        if "clickhouse" in readers:
            with Timed("ClickHouse"):
                compare(name, "ClickHouse", rows_of(expected, schema, "ClickHouse"), rows_of(click(lake, name), schema, "ClickHouse"))
    return counts


def click(lake, name):
    import chdb

    query = f"SELECT * FROM icebergLocal('{lake}/iceberg/{name}/') SETTINGS output_format_arrow_string_as_string = 0, session_timezone = 'UTC'"
    answer = chdb.query(query, "Arrow").bytes()
    return pyarrow.ipc.open_file(pyarrow.BufferReader(answer)).read_all()


def compare_extremes(spark, duck, table, name, schema):
    """Spark computes aggregates of whole columns from the bounds in manifests where it can."""
    plain = [field for field in schema if not pyarrow.types.is_nested(field.type)]
    asked = [f"{how}({{}}{field.name}{{}}) AS {how}_{at}" for at, field in enumerate(plain) for how in ("min", "max", "count")]
    query = ", ".join(asked + ["count(*) AS n"])
    theirs = spark.sql(f"SELECT {query.replace('{}', '`')} FROM {table}").toArrow()
    ours = duck.execute(f"SELECT {query.replace('{}', chr(34))} FROM ({stored_columns(name)})").to_arrow_table()
    compare(name, "Spark's extremes", rows_of(ours, ours.schema), rows_of(theirs, ours.schema))
    for field in plain:
        if pyarrow.types.is_decimal(field.type):
            ours = duck.execute(f'SELECT sum("{field.name}"::HUGEINT)::VARCHAR FROM {name}').fetchone()[0]
            theirs = spark.sql(f"SELECT cast(sum(`{field.name}`) AS string) FROM {table}").collect()[0][0]
            check(ours == theirs, name, field.name, "sum", ours, theirs)


def compare_pruning(duck, table, name, schema):
    """The files planned for one value of a column are those with bounds around the value."""
    from pyiceberg.expressions import EqualTo

    asked = 0
    for field in schema:
        if not (pyarrow.types.is_integer(field.type) or pyarrow.types.is_timestamp(field.type) or pyarrow.types.is_decimal(field.type)):
            continue
        middle = duck.execute(f'SELECT quantile_disc("{field.name}", 0.5) FROM {name}').fetchone()[0]
        if middle is None:
            continue
        found = duck.execute(f'SELECT count(*) FROM {name} WHERE "{field.name}" = ?', [middle]).fetchone()[0]
        paths = [task.file.file_path.removeprefix("file://") for task in table.scan().plan_files()]
        holding = [
            path
            for path, low, high in duck.execute(
                f"SELECT filename, min(c), max(c) FROM (SELECT filename, \"{field.name}\" AS c FROM read_parquet(?, filename = true, hive_partitioning = false, union_by_name = true)) GROUP BY filename",
                [paths],
            ).fetchall()
            if low is not None and low <= middle <= high
        ]
        literal = middle.isoformat() if isinstance(middle, datetime.datetime) else middle
        scan = table.scan(row_filter=EqualTo(field.name, literal))
        planned = {task.file.file_path.removeprefix("file://") for task in scan.plan_files()}
        check(planned == set(holding), name, field.name, "files planned", len(planned), "holding", len(holding))
        check(scan.to_arrow().num_rows == found, name, field.name, "rows of", literal)
        asked += 1
    return asked


def main():
    lake, *readers = sys.argv[1:]
    print(lake, dict(compare_lake(os.path.abspath(lake), readers)), flush=True)
    print({what: round(spent, 1) for what, spent in seconds.items()})
    if failures:
        sys.exit(f"{len(failures)} differences")


main()
