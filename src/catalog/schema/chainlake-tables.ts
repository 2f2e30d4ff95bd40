/** The project's own tables, in schema `chainlake` of the catalog. A change needs an upgrade (`versions.ts`). */
export const chainlakeTables: { readonly [name: string]: string } = {
  version: 'version BIGINT NOT NULL',
  /**
   * Which slices of a (table, stream) are committed. Neighbours are merged: the run and snapshot are the last ones. Where records are
   * containers, the ids of the blocks in them are there too.
   */
  coverage:
    'network VARCHAR NOT NULL, stream VARCHAR NOT NULL, table_name VARCHAR NOT NULL, slice_from BIGINT NOT NULL, slice_to BIGINT NOT NULL, first_id VARCHAR, first_parent_id VARCHAR, last_id VARCHAR, row_count BIGINT NOT NULL, byte_count BIGINT NOT NULL, last_run_id VARCHAR NOT NULL, last_snapshot_id BIGINT NOT NULL, first_block_id VARCHAR, first_block_parent_id VARCHAR, last_block_id VARCHAR',
  /** Every run. It lives while it holds the lock that carries its id; `ended` without one is set by recovery. */
  run: 'run_id VARCHAR NOT NULL, pid BIGINT NOT NULL, host VARCHAR NOT NULL, command VARCHAR NOT NULL, streams VARCHAR[] NOT NULL, started TIMESTAMPTZ NOT NULL, ended TIMESTAMPTZ, outcome VARCHAR',
  /** The networks of the lake, as their nodes or known constants told. */
  source:
    'network VARCHAR NOT NULL, network_id BIGINT NOT NULL, hrp VARCHAR NOT NULL, native_asset_id VARCHAR, durango_time BIGINT',
  source_chain:
    'network VARCHAR NOT NULL, alias VARCHAR NOT NULL, blockchain_id VARCHAR NOT NULL, vm_id VARCHAR, subnet_id VARCHAR NOT NULL',
  /** The committed stretches of a list, newest first by `position`. Keys are lists of texts. */
  stretch:
    'stream VARCHAR NOT NULL, position BIGINT NOT NULL, top_keys VARCHAR[] NOT NULL, top_time BIGINT, bottom_keys VARCHAR[] NOT NULL, bottom_time BIGINT, token VARCHAR, token_at_ms BIGINT, reached_end BOOLEAN NOT NULL, item_count BIGINT NOT NULL',
  /** Every observation; open while `outcome` is null, at most one of a stream. `run_id` is the run that opened it last. */
  observation:
    'observation_id VARCHAR NOT NULL, stream VARCHAR NOT NULL, observed_at_ms BIGINT NOT NULL, run_id VARCHAR NOT NULL, cursor_token VARCHAR, cursor_at_ms BIGINT, completed TIMESTAMPTZ, outcome VARCHAR',
  /** Parts of open observations: durable, not visible. Partition and statistics are JSON. */
  staged_part:
    'observation_id VARCHAR NOT NULL, position BIGINT NOT NULL, table_name VARCHAR NOT NULL, path VARCHAR NOT NULL, row_count BIGINT NOT NULL, byte_count BIGINT NOT NULL, footer_bytes BIGINT NOT NULL, partition_values VARCHAR NOT NULL, leaf_stats VARCHAR NOT NULL, sha256 VARCHAR NOT NULL',
  /** What commits without a slice have added to a (table, stream). */
  written:
    'stream VARCHAR NOT NULL, table_name VARCHAR NOT NULL, row_count BIGINT NOT NULL, byte_count BIGINT NOT NULL, last_run_id VARCHAR NOT NULL, last_snapshot_id BIGINT NOT NULL',
  /** Compute units that were taken from the days of services, in periods of ten minutes; by fingerprint of the key, `none` without one. */
  spent_units:
    'origin VARCHAR NOT NULL, key_fingerprint VARCHAR NOT NULL, period_ms BIGINT NOT NULL, units BIGINT NOT NULL',
  /**
   * What each data file is of: a row for each stream, and each slice of it, that it may hold rows of; without a slice for streams that
   * are not read by ranges. Hash and run are the same in all rows of a file: several streams share a file only where all are small.
   * `run_id` is the run that wrote the file.
   */
  file: 'data_file_id BIGINT NOT NULL, stream VARCHAR NOT NULL, slice_from BIGINT, slice_to BIGINT, run_id VARCHAR NOT NULL, sha256 VARCHAR NOT NULL',
  /** Files that were merged from others: how often their rows have been written anew at most. */
  compacted_file: 'data_file_id BIGINT NOT NULL, level BIGINT NOT NULL',
  /**
   * Files that were removed though nobody can read their rows again: for each stream, and each slice of it, that they may have held rows
   * of. Versions up to `observed_to` may not be the latest ones until these have been read again.
   */
  loss: 'table_name VARCHAR NOT NULL, network VARCHAR, stream VARCHAR NOT NULL, slice_from BIGINT, slice_to BIGINT, row_count BIGINT NOT NULL, observed_to TIMESTAMPTZ NOT NULL, lost_at TIMESTAMPTZ NOT NULL',
  /** When the head of each stream was last reached. */
  reached: 'stream VARCHAR NOT NULL, reached_ms BIGINT NOT NULL',
  /** What jobs took when they were last run to their end: records of ranges, requests of lists. */
  measure:
    'job VARCHAR NOT NULL, pipeline VARCHAR NOT NULL, ended_ms BIGINT NOT NULL, duration_ms BIGINT NOT NULL, record_count BIGINT NOT NULL, request_count BIGINT NOT NULL',
  /**
   * What each commit of a list read of a (table, stream): rows that its items gave, how many of them were new, and how many the lake or the
   * commit had already. `progress_items` says by how many items the progress of the stream grew. A removal takes back what it removes.
   */
  list_commit:
    'snapshot_id BIGINT NOT NULL, run_id VARCHAR NOT NULL, stream VARCHAR NOT NULL, table_name VARCHAR NOT NULL, rows_read BIGINT NOT NULL, rows_new BIGINT NOT NULL, rows_known BIGINT NOT NULL, progress_items BIGINT NOT NULL',
  /** What a repair removed from a (table, stream), covered again since or not; without a slice for streams that are not read by ranges. */
  removed: 'stream VARCHAR NOT NULL, table_name VARCHAR NOT NULL, slice_from BIGINT, slice_to BIGINT',
}
