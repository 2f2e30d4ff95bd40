/** The project's own tables, in schema `chainlake` of the catalog. Change them only with `chainlakeVersion`. */
export const chainlakeTables: { readonly [name: string]: string } = {
  version: 'version BIGINT NOT NULL',
  /** Which slices of a (table, stream) are committed. Neighbours are merged: the run and snapshot are the last ones. */
  coverage:
    'network VARCHAR NOT NULL, stream VARCHAR NOT NULL, table_name VARCHAR NOT NULL, slice_from BIGINT NOT NULL, slice_to BIGINT NOT NULL, first_id VARCHAR, first_parent_id VARCHAR, last_id VARCHAR, row_count BIGINT NOT NULL, byte_count BIGINT NOT NULL, last_run_id VARCHAR NOT NULL, last_snapshot_id BIGINT NOT NULL',
  /** Every run. It lives while it holds the lock that carries its id; `ended` without one is set by recovery. */
  run: 'run_id VARCHAR NOT NULL, pid BIGINT NOT NULL, host VARCHAR NOT NULL, command VARCHAR NOT NULL, streams VARCHAR[] NOT NULL, started TIMESTAMPTZ NOT NULL, ended TIMESTAMPTZ, outcome VARCHAR',
  /** The networks of the lake, as their nodes or known constants told. */
  source:
    'network VARCHAR NOT NULL, network_id BIGINT NOT NULL, hrp VARCHAR NOT NULL, native_asset_id VARCHAR, durango_time BIGINT',
  source_chain:
    'network VARCHAR NOT NULL, alias VARCHAR NOT NULL, blockchain_id VARCHAR NOT NULL, vm_id VARCHAR, subnet_id VARCHAR NOT NULL',
}
