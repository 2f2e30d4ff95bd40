import type { ErrorFacts } from './error-fact.ts'

/** Failures of the catalog, its database, locks, workers and publications. */
export const lakeErrors: ErrorFacts = {
  'as-of.snapshot': [
    2,
    'The lake has no snapshot of that number or time.',
    'Name an existing snapshot, or a time after the oldest one; `expire` may have removed earlier ones.',
  ],
  'backup.folder': [
    2,
    'The folder of the backup is inside the lake, or it is not empty and holds no backup.',
    'Name an empty or new folder outside the lake, or the folder of an earlier backup.',
  ],
  'lake.catalog': [
    2,
    'The lake has another kind of catalog than the settings say.',
    'Use another folder: a catalog cannot move between a file and PostgreSQL.',
  ],
  'lake.data': [
    2,
    'The data files of the lake are at another location than the settings say.',
    'Omit `--data`, or name a new lake.',
  ],
  'lake.missing': [2, 'There is no lake.', 'Give `--lake` the folder or URL of a lake.'],
  'lake.not-a-lake': [
    2,
    'The folder is not empty and holds no lake.',
    'Name an empty folder, a new one, or a lake. If only the catalog is missing, restore it.',
  ],
  'lake.path': [
    2,
    'The path of the lake contains a question mark, which DuckDB reads as the query of a URL.',
    'Rename the folder.',
  ],
  'parquet.folder': [
    2,
    '`publish parquet --to` does not name a folder of its own.',
    'Give a local folder outside the lake, or omit `--to`.',
  ],
  'iceberg.table': [
    2,
    'The lake has no table of that name to publish.',
    'Name one that the error lists, or omit `--table`.',
  ],
  'iceberg.view': [
    2,
    'A view cannot be published.',
    'Publish the tables that it reads, and define the view in your system.',
  ],
  'parquet.table': [
    2,
    'The lake has no table of that name to publish.',
    'Name one that the error lists, or omit `--table`.',
  ],
  'parquet.view': [
    2,
    'A view cannot be published.',
    'Publish the tables that it reads, and define the view in your system.',
  ],
  'restore.postgres': [
    2,
    'chainlake cannot restore a catalog in PostgreSQL.',
    'Restore the database with its own tools, then run `chainlake verify`.',
  ],
  'restore.source': [
    2,
    'The folder or file to restore from holds no catalog.',
    'Name a folder of `chainlake backup`, or a catalog file such as lake.ducklake.',
  ],
  'backup.damaged': [5, 'The backup is damaged.', 'Use another backup, or lake.ducklake of the lake.'],
  catalog: [5, 'The catalog refused an operation.', 'Follow the hint; nothing was committed.'],
  'catalog.busy': [
    5,
    'Too many processes change the shared rate limit at the same time.',
    'Run fewer workers with this key; the throughput stays the same.',
  ],
  'catalog.chain-name': [
    5,
    'The lake has this EVM chain under the name of another network.',
    'Run the job with the flags that the hint names; `chainlake repair --chain` removes the rows under one name.',
  ],
  'catalog.column-type': [
    5,
    'The catalog has a column of a type that chainlake does not write.',
    'Restore the catalog, or use the version that wrote the lake.',
  ],
  'catalog.path': [
    5,
    'The catalog names a file outside the data of the lake. Nothing was read, written or removed there.',
    'Find out who else writes to the catalog; restore a backup that you trust.',
  ],
  'catalog.view': [
    5,
    'The catalog has a view that chainlake did not record: it is not one SELECT, or reads files.',
    'Find out who else writes to the catalog; restore a backup that you trust.',
  ],
  'catalog.commit': [
    5,
    'The catalog refused a commit because its facts do not add up.',
    'Run `chainlake verify`, and report the error with its details.',
  ],
  'catalog.conflict': [
    5,
    'Another run committed the same rows or slices meanwhile.',
    'Run again: the run compares the rows again and skips what is committed.',
  ],
  'catalog.connections': [
    5,
    'PostgreSQL has no free connection.',
    'Raise `max_connections`, or run fewer processes; each uses up to six connections.',
  ],
  'catalog.data': [
    5,
    'The data files of the catalog are at another location than the settings say.',
    'Follow the hint: name their location, or move them back.',
  ],
  'catalog.earlier-build': [5, 'A build before the first release wrote the lake.', 'Export again into a new folder.'],
  'catalog.generation': [
    5,
    'The catalog and its write-ahead file are of different times.',
    'Restore both from the same moment; see [backup and restore](../how-to/backup-and-restore.md).',
  ],
  'catalog.lock-lost': [
    5,
    'The connection to PostgreSQL that held the locks of the run was lost.',
    'Run again: it resumes from the last commit.',
  ],
  'catalog.locked': [
    5,
    'Another process holds the catalog or the lake.',
    'Wait for it, or end it; `chainlake status` shows active runs.',
  ],
  'catalog.login': [
    2,
    'PostgreSQL rejected the user or the password.',
    'Check the URL, PGUSER and PGPASSWORD, ~/.pgpass and pg_hba.conf.',
  ],
  'catalog.misplaced-index': [
    5,
    'An earlier version wrote rows from an incomplete index, with wrong coordinates.',
    'Run `chainlake repair --stream` with this stream, then the job again.',
  ],
  'catalog.missing': [5, 'The catalog of the lake is missing.', 'Restore it, or name the right lake.'],
  'catalog.no-database': [2, 'The database of the catalog does not exist.', 'Create it with createdb, one per lake.'],
  'catalog.observation': [
    5,
    'A reading is not open, or belongs to another run.',
    'Run again: it resumes from the staged parts.',
  ],
  'catalog.other-source': [
    5,
    'The source has another network, chain or index order than the lake, or another node ordered an index.',
    'Use the source of the lake, or another lake for this source.',
  ],
  'catalog.other-tables': [
    2,
    'The database contains another DuckLake, or another schema named chainlake.',
    'Create a database of its own for the lake.',
  ],
  'catalog.other-writer': [
    5,
    'Another copy of the lake has written to the bucket.',
    'Run chainlake with the folder of that copy: only one may write.',
  ],
  'catalog.overlap': [5, 'Another run has already committed the slice.', 'Run again: it skips what is committed.'],
  'catalog.overtaken': [5, 'The lake changed after a merge or removal was planned.', 'Run again.'],
  'catalog.package': [
    2,
    'The package for PostgreSQL is not installed.',
    'Install it next to chainlake: `npm install pg@8`.',
  ],
  'catalog.part': [5, 'A new file does not fit its table.', 'Report it: this is a bug.'],
  'catalog.permission': [
    2,
    'The user of PostgreSQL may not do this.',
    'A writer must own the database or its tables; a reader needs USAGE and SELECT.',
  ],
  'catalog.range': [5, 'Files were selected by a column that has no ranges.', 'Report it: this is a bug.'],
  'catalog.read-only': [
    2,
    'The PostgreSQL server is read-only, for example a replica.',
    'Use the URL of the primary server.',
  ],
  'catalog.run-ended': [
    5,
    'Another process declared this run dead because its lock was missing.',
    'Run again; do not remove the folder locks/.',
  ],
  'catalog.statistics': [
    5,
    'A statistic in the catalog is not a valid time.',
    'Run `chainlake verify`, and report the error.',
  ],
  'catalog.stream-locked': [
    8,
    'Live runs hold streams that this run needs.',
    'Run again when they have ended, or wait with `--wait`.',
  ],
  'catalog.pooler': [
    2,
    'A connection pooler in transaction mode is between chainlake and PostgreSQL, or one that drops settings.',
    'Use the address of PostgreSQL itself, or `pool_mode = session`.',
  ],
  'catalog.table': [
    5,
    'The catalog does not describe one of its tables, or has one with a name that chainlake does not give.',
    'Restore the catalog from a backup.',
  ],
  'catalog.tls': [
    2,
    'The TLS connection to PostgreSQL failed.',
    'Set `sslmode` in the URL, and `sslrootcert` to the certificate of the authority.',
  ],
  'catalog.unknown-outcome': [
    5,
    'The connection was lost during a commit, and its outcome is not known.',
    'Run again when the server answers: the commit was applied completely or not at all.',
  ],
  'catalog.unknown-version': [
    5,
    'An unknown version of chainlake wrote the lake.',
    'Use that version, or a newer one.',
  ],
  'catalog.unreachable': [
    5,
    'The database of the catalog does not answer.',
    'Check the server and the network, and run again.',
  ],
  'catalog.unreadable': [5, 'The catalog cannot be read.', 'Restore it from a backup or from lake.ducklake.'],
  'catalog.work-locked': [5, 'Another process does the same maintenance on the lake.', 'Wait until it ends.'],
  'iceberg.foreign': [
    5,
    'The Iceberg metadata were not written by chainlake for this lake.',
    'Remove the folder and publish again; the data files are elsewhere.',
  ],
  'iceberg.location': [
    2,
    'The path of the lake cannot be written in Iceberg metadata.',
    'Rename the folder, or give `--location`.',
  ],
  'iceberg.partition': [
    4,
    'A table is partitioned in a way that Iceberg does not have.',
    'Publish the other tables by name (`--table`).',
  ],
  'iceberg.partition-value': [
    5,
    'A file has another partitioning than its table.',
    'Publish the other tables by name (`--table`).',
  ],
  'iceberg.type': [
    4,
    'A column has a type that Iceberg does not have.',
    'Publish the other tables by name (`--table`).',
  ],
  'iceberg.unreadable': [5, 'The Iceberg metadata cannot be read.', 'Remove the folder and publish again.'],
  'lake.other-catalog': [
    5,
    'The folder and the database belong to different lakes.',
    'Use another folder for the lake of this database.',
  ],
  'lake.other-data': [
    5,
    'The location already holds the files of another lake. Exit code 2 for a new lake.',
    'Give `--data` another prefix, or `--lake` the folder of that lake.',
  ],
  'parquet.foreign': [
    5,
    'The folder of published tables contains something that chainlake did not put there.',
    'Move it elsewhere, or give another folder with `--to`.',
  ],
  'parquet.other-lake': [
    5,
    'The folder contains the published tables of another lake.',
    'Give another folder with `--to`.',
  ],
  'restore.other-lake': [5, 'The backup belongs to another lake.', 'Name the lake of the backup with `--lake`.'],
  'thread.died': [1, 'A worker thread crashed.', 'Run again; if it crashes again, use fewer `--threads`.'],
  unexpected: [
    1,
    'chainlake failed in a way that it does not foresee.',
    'Run again with `--log-level debug`, and report the stack.',
  ],
  'work.catalog': [
    2,
    'Workers cannot reach the catalog, because it is a local file.',
    'Use `--lake postgres://…` and `--data`.',
  ],
  'work.deaths': [
    5,
    'Several workers ended while they did one task.',
    'Look why they ended (memory limit, kernel log), then run the job again.',
  ],
  'work.definition': [
    2,
    'The worker does not have the module of the pipeline, or has another version of it.',
    'Start the worker with the same module and files.',
  ],
  'work.failed': [1, 'A task of a worker failed.', 'See the reason; run again: committed slices are skipped.'],
  'work.format': [2, 'Another version of chainlake queued the task.', 'Use the same version on all machines.'],
  'work.lost': [5, 'Another worker has taken the task.', 'Nothing; if it happens often, use a longer `--lease`.'],
  'work.node': [2, 'Workers need a newer Node.', 'Use the version that the hint names.'],
  'work.node-network': [
    2,
    'The node of the worker is in another network than the task.',
    'Start the worker with a node of that network.',
  ],
  'work.other-chain': [
    2,
    'The node of the worker serves another chain than the task.',
    'Start the worker with the URL of a node of that chain.',
  ],
  'work.package': [
    2,
    'The package for workers is not installed.',
    'Install it where chainlake is: `npm install pg-boss@12.35.0`.',
  ],
  'work.pipeline': [
    2,
    'Workers cannot run a pipeline that only a program declares.',
    'Export it from a module, or run without `--workers`.',
  ],
  'work.url': [
    2,
    'The worker does not know a URL of the job, because the queue holds no URLs.',
    'Start it with the same chainlake.yaml and environment as the command that queued the job.',
  ],
}
