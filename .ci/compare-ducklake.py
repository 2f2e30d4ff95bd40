"""Compares what the ducklake extension of DuckDB reads from the catalogs of lakes with what the views of chainlake show.

compare-ducklake.py WHEN COMMAND [FOLDER PLACE LAKE ...]: the data of each lake is in a folder, its catalog is at a place that ATTACH takes after 'ducklake:',
and chainlake finds it with --lake LAKE. COMMAND is the path of chainlake's main.js. Each table is compared now, and at up to twelve snapshots that still have all of their files.
Ends with 1 and says where they differ.
"""

import glob
import os
import subprocess
import sys

import duckdb


def attach(place):
    connection = duckdb.connect(":memory:", config={"allow_unsigned_extensions": "true"})
    for extension in glob.glob(f"{sys.prefix}/lib/*/site-packages/duckdb_extension*/**/*.duckdb_extension", recursive=True):
        connection.execute(f"LOAD '{extension}'")
    connection.execute(f"ATTACH 'ducklake:{place}' AS lake (READ_ONLY)")
    connection.execute("SET TimeZone = 'UTC'")
    return connection


def compare(folder, extension, snapshot):
    """Compares each table that the extension shows at a snapshot with the view; returns the numbers of tables and rows."""
    ours = duckdb.connect(os.path.join(folder, "lake.duckdb"), read_only=True)
    ours.execute("SET TimeZone = 'UTC'")
    views = {name for name, in ours.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()}
    at = f"AT (VERSION => {snapshot})"
    tables = total = 0
    for name in names_of(extension):
        try:
            # Views have block_date, which tables do not have.
            columns = ", ".join(f'"{column}"' for column, *_ in extension.execute(f'DESCRIBE SELECT * FROM lake."{name}" {at}').fetchall())
        except duckdb.CatalogException:
            # The snapshot is older than the table.
            continue
        asked = f"SELECT count(*), bit_xor(hash(t)) FROM (SELECT {columns} FROM {{}}) t"
        theirs = extension.execute(asked.format(f'lake."{name}" {at}')).fetchone()
        if name not in views:
            sys.exit(f"{folder} at snapshot {snapshot}: no view {name}")
        # Views show an address as text, which files have as bytes.
        bytes_of = " REPLACE (from_hex(substr(manager_address, 3)) AS manager_address)" if name in ("p_transactions", "rest_p_transactions") else ""
        shown = ours.execute(asked.format(f'(SELECT *{bytes_of} FROM "{name}")')).fetchone()
        if theirs != shown:
            sys.exit(f"{folder} at snapshot {snapshot}: {name} has {theirs} in ducklake and {shown} in chainlake")
        tables, total = tables + 1, total + shown[0]
    ours.close()
    return tables, total


def names_of(extension):
    asked = "SELECT table_name FROM duckdb_tables() WHERE database_name = 'lake' AND NOT internal ORDER BY 1"
    return [name for name, in extension.execute(asked).fetchall()]


def show(command, options, snapshot):
    """Rewrites the views as of a snapshot; false if some of its files are gone."""
    moment = [] if snapshot is None else ["--as-of", str(snapshot)]
    ended = subprocess.run(["node", "--no-warnings", command, "views", *moment, *options], capture_output=True, text=True)
    if ended.returncode != 0 and "some of its files are missing" not in ended.stderr:
        sys.exit(f"views --as-of {snapshot}: {ended.stderr}")
    return ended.returncode == 0


def main():
    when, command, *lakes = sys.argv[1:]
    for folder, place, lake in zip(lakes[::3], lakes[1::3], lakes[2::3]):
        extension = attach(place)
        snapshots = [snapshot for snapshot, in extension.execute("SELECT snapshot_id FROM ducklake_snapshots('lake') ORDER BY 1").fetchall()]
        options = ["--lake", lake, *([] if lake == folder else ["--data", folder])]
        show(command, options, None)
        tables, total = compare(folder, extension, snapshots[-1])
        if tables < 20:
            sys.exit(f"{folder}: only {tables} tables are in the catalog")
        shown = 0
        for snapshot in snapshots[1 :: max(1, len(snapshots) // 12)]:
            if show(command, options, snapshot):
                compare(folder, extension, snapshot)
                shown += 1
        show(command, options, None)
        print(f"ducklake: {when}: {tables} tables with {total:,} rows are equal, now and at {shown} of {len(snapshots)} snapshots", flush=True)


main()
