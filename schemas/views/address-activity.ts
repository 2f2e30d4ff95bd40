import { derivedView } from '../../src/define/index.ts'
import { tables } from '../index.ts'
import { addressRowsQuery, tablesWithAddresses } from '../shared/address-activity.ts'

export const addressActivity = derivedView({
  name: 'address_activity',
  comment:
    'Every table in which an address occurs: one row per address, table and chain. Built-in tables count with their columns of addresses, also those of contracts and tokens; topics of logs, bytes, nested values and rest_icm_messages do not. A query for one address is fast; one without WHERE address = … groups all rows of the lake.',
  dependsOn: tablesWithAddresses(tables),
  columns: {
    network: { type: 'VARCHAR', comment: 'Network: mainnet, fuji, local, network-<id> or evm-<chain id>.' },
    chain_id: {
      type: 'VARCHAR',
      comment:
        'Chain of the rows as the table names it: a blockchain id, or the EVM chain id in the tables evm_ and most of rest_. Tables without it are about the P-Chain.',
    },
    address: {
      type: 'VARCHAR',
      comment: 'Address as in the tables: bech32 without chain prefix, or 0x in lower case.',
    },
    table_name: { type: 'VARCHAR', comment: 'Name of the table.' },
    row_count: {
      type: 'BIGINT',
      comment:
        'Number of rows in which the address occurs; a row counts once. In tables of observations each observation has rows.',
    },
    first_time: {
      type: 'TIMESTAMP WITH TIME ZONE',
      comment:
        'Earliest block_time or observed_at of these rows (UTC). Rows without a time are left out, such as most of the P-Chain before Apricot Phase 4: see first_height.',
    },
    last_time: { type: 'TIMESTAMP WITH TIME ZONE', comment: 'Latest block_time or observed_at of these rows (UTC).' },
    first_height: {
      type: 'BIGINT',
      comment: 'Lowest height or block number of these rows; null for tables without one.',
    },
    last_height: {
      type: 'BIGINT',
      comment: 'Highest height or block number of these rows; null for tables without one.',
    },
  },
  query: `SELECT
  network,
  chain_id,
  address,
  table_name,
  count(*) AS row_count,
  min(row_time) AS first_time,
  max(row_time) AS last_time,
  min(height) AS first_height,
  max(height) AS last_height
FROM (
${addressRowsQuery(tables)}
)
GROUP BY ALL`,
})
