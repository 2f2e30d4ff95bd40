/** The tables of chainlake in the schema `chainlake` of the catalog. A change needs an upgrade (`versions.ts`). */
export const chainlakeTables: { readonly [name: string]: string } = {
  version: 'version BIGINT NOT NULL',
  /**
   * The committed slices of each (table, stream). Adjacent slices are merged; run and snapshot are those of the last commit. If records are
   * containers, the ids of their blocks are stored, too.
   */
  coverage:
    'network VARCHAR NOT NULL, stream VARCHAR NOT NULL, table_name VARCHAR NOT NULL, slice_from BIGINT NOT NULL, slice_to BIGINT NOT NULL, first_id VARCHAR, first_parent_id VARCHAR, last_id VARCHAR, row_count BIGINT NOT NULL, byte_count BIGINT NOT NULL, last_run_id VARCHAR NOT NULL, last_snapshot_id BIGINT NOT NULL, first_block_id VARCHAR, first_block_parent_id VARCHAR, last_block_id VARCHAR',
  /**
   * Every stream, with what runs declared about it; see `StreamFacts`. `stream` is its text, which other tables refer to. Parameters, tables,
   * overlapping paths and beginnings are JSON.
   */
  stream:
    'stream VARCHAR NOT NULL, network VARCHAR NOT NULL, path VARCHAR NOT NULL, kind VARCHAR, chain VARCHAR, parameters VARCHAR NOT NULL, pipeline VARCHAR, walk VARCHAR NOT NULL, unit VARCHAR NOT NULL, tables VARCHAR NOT NULL, read_again BIGINT NOT NULL, overlapping VARCHAR NOT NULL, begins VARCHAR NOT NULL, node_id VARCHAR',
  /** The views of own pipelines as JSON, with the snapshots that show them. Each comes after the views that it reads. */
  own_view:
    'begin_snapshot BIGINT NOT NULL, end_snapshot BIGINT, position BIGINT NOT NULL, view_name VARCHAR NOT NULL, declaration VARCHAR NOT NULL',
  /** Every run. A run is alive while it holds the lock with its id. Recovery sets `ended` of crashed runs. */
  run: 'run_id VARCHAR NOT NULL, pid BIGINT NOT NULL, host VARCHAR NOT NULL, command VARCHAR NOT NULL, streams VARCHAR[] NOT NULL, started TIMESTAMPTZ NOT NULL, ended TIMESTAMPTZ, outcome VARCHAR',
  /** The networks of the lake. The facts come from their nodes or from known constants. */
  source:
    'network VARCHAR NOT NULL, network_id BIGINT NOT NULL, hrp VARCHAR NOT NULL, native_asset_id VARCHAR, durango_time BIGINT',
  source_chain:
    'network VARCHAR NOT NULL, alias VARCHAR NOT NULL, blockchain_id VARCHAR NOT NULL, vm_id VARCHAR, subnet_id VARCHAR NOT NULL',
  /**
   * Final blocks that identify an EVM chain: chains from one genesis may share their chain id. Of each chain the two lowest known ones and
   * the highest one.
   */
  chain_anchor:
    'network VARCHAR NOT NULL, chain_id VARCHAR NOT NULL, block_number BIGINT NOT NULL, block_hash VARCHAR NOT NULL',
  /** The committed stretches of a list, newest first by `position`. Keys are lists of texts. */
  stretch:
    'stream VARCHAR NOT NULL, position BIGINT NOT NULL, top_keys VARCHAR[] NOT NULL, top_time BIGINT, bottom_keys VARCHAR[] NOT NULL, bottom_time BIGINT, token VARCHAR, token_at_ms BIGINT, reached_end BOOLEAN NOT NULL, hole VARCHAR, item_count BIGINT NOT NULL',
  /** Every observation. It is open while `outcome` is null; a stream has at most one open observation. `run_id` is the run that opened it last. */
  observation:
    'observation_id VARCHAR NOT NULL, stream VARCHAR NOT NULL, observed_at_ms BIGINT NOT NULL, run_id VARCHAR NOT NULL, cursor_token VARCHAR, cursor_at_ms BIGINT, completed TIMESTAMPTZ, outcome VARCHAR',
  /** Parts of open observations: durable, but not visible. Partition and statistics are JSON. */
  staged_part:
    'observation_id VARCHAR NOT NULL, position BIGINT NOT NULL, table_name VARCHAR NOT NULL, path VARCHAR NOT NULL, row_count BIGINT NOT NULL, byte_count BIGINT NOT NULL, footer_bytes BIGINT NOT NULL, partition_values VARCHAR NOT NULL, leaf_stats VARCHAR NOT NULL, sha256 VARCHAR NOT NULL',
  /** Rows and bytes that commits without a slice have added to a (table, stream). */
  written:
    'stream VARCHAR NOT NULL, table_name VARCHAR NOT NULL, row_count BIGINT NOT NULL, byte_count BIGINT NOT NULL, last_run_id VARCHAR NOT NULL, last_snapshot_id BIGINT NOT NULL',
  /** Compute units spent at services, in periods of ten minutes, by the fingerprint of the API key (`none` without a key). */
  spent_units:
    'origin VARCHAR NOT NULL, key_fingerprint VARCHAR NOT NULL, period_ms BIGINT NOT NULL, units BIGINT NOT NULL',
  /**
   * The sources of each data file: one row for each stream and slice that may have rows in it. The slice is null for streams that are not
   * read by ranges. All rows of a file have the same hash, run and number of rows. Streams share a file only if all of them are small.
   * `run_id` is the run that wrote the file.
   */
  file: 'data_file_id BIGINT NOT NULL, stream VARCHAR NOT NULL, slice_from BIGINT, slice_to BIGINT, run_id VARCHAR NOT NULL, sha256 VARCHAR NOT NULL, row_count BIGINT NOT NULL',
  /** Files that compaction made from other files. `level` is the maximum number of times that their rows were rewritten. */
  compacted_file: 'data_file_id BIGINT NOT NULL, level BIGINT NOT NULL',
  /**
   * Removed files with rows that no source can return again, by stream and slice. Until these have been read again, stored versions up to
   * `observed_to` may not be the latest ones.
   */
  loss: 'table_name VARCHAR NOT NULL, network VARCHAR, stream VARCHAR NOT NULL, slice_from BIGINT, slice_to BIGINT, row_count BIGINT NOT NULL, observed_to TIMESTAMPTZ NOT NULL, lost_at TIMESTAMPTZ NOT NULL',
  /** When a run last reached the head of each stream. */
  reached: 'stream VARCHAR NOT NULL, reached_ms BIGINT NOT NULL',
  /** Measurements of the last complete run of each job: its duration, records of ranges and requests of lists. */
  measure:
    'job VARCHAR NOT NULL, pipeline VARCHAR NOT NULL, ended_ms BIGINT NOT NULL, duration_ms BIGINT NOT NULL, record_count BIGINT NOT NULL, request_count BIGINT NOT NULL',
  /**
   * Row counts of each commit of a list, by (table, stream): rows in the items that it read, rows that were new, and rows that the lake or
   * the commit already had. `progress_items` is the number of items by which the progress of the stream grew. A removal adds negative rows.
   */
  list_commit:
    'snapshot_id BIGINT NOT NULL, run_id VARCHAR NOT NULL, stream VARCHAR NOT NULL, table_name VARCHAR NOT NULL, rows_read BIGINT NOT NULL, rows_new BIGINT NOT NULL, rows_known BIGINT NOT NULL, progress_items BIGINT NOT NULL',
  /** Gaps of a (table, stream) that the user accepted. Accepted ends of lists are in `stretch`. */
  accepted_gap:
    'stream VARCHAR NOT NULL, table_name VARCHAR NOT NULL, slice_from BIGINT NOT NULL, slice_to BIGINT NOT NULL',
  /** Slices that a repair removed from a (table, stream), even if they were read again. The slice is null for streams that are not read by ranges. */
  removed: 'stream VARCHAR NOT NULL, table_name VARCHAR NOT NULL, slice_from BIGINT, slice_to BIGINT',
}
