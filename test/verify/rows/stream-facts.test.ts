import { expect, test } from 'vitest'
import { evmBlocks } from '../../../schemas/evm-blocks.ts'
import { metricsChainTps } from '../../../schemas/metrics-chain-tps.ts'
import { nodeFees } from '../../../schemas/node-fees.ts'
import { nodeUtxos } from '../../../schemas/node-utxos.ts'
import { restErc20Transfers } from '../../../schemas/rest-erc20-transfers.ts'
import { restNodeBlocks } from '../../../schemas/rest-node-blocks.ts'
import { xBlocks } from '../../../schemas/x-blocks.ts'
import type { InventoryFile } from '../../../src/catalog/catalog.ts'
import type { Table } from '../../../src/define/index.ts'
import { allowedValues, factsOf } from '../../../src/verify/rows/stream-facts.ts'

const chainId = '2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM'

function valuesOf(table: Table, stream: string): Record<string, string[] | null> {
  const file = { sources: [{ stream }], network: null } as unknown as InventoryFile
  const idOf = (_: string, name: string) => (name === 'X' ? chainId : name)
  return Object.fromEntries(factsOf(table).map((fact) => [fact.column, allowedValues(file, fact, idOf)]))
}

test.each([
  ['fuji/evm-blocks/43113', evmBlocks, { network: ['fuji'], chain_id: ['43113'] }],
  ['fuji/a-pipeline-of-a-program/43113?from=1', evmBlocks, { network: ['fuji'], chain_id: ['43113'] }],
  ['fuji/node/utxo-set/X?addresses=fuji1', nodeUtxos, { network: ['fuji'], blockchain_id: [chainId] }],
  [`fuji/node/utxo-set/${chainId}`, nodeUtxos, { network: ['fuji'], blockchain_id: [chainId] }],
  ['fuji/node-blocks/X?nodeId=N', restNodeBlocks, { network: ['fuji'], blockchain_id: [chainId], node_id: ['N'] }],
  ['fuji/tps/1?interval=day', metricsChainTps, { network: ['fuji'], chain_id: ['1'], interval: ['day'] }],
  ['fuji/token-transfers/1?a=b&contract=0x1', restErc20Transfers, { chain_id: ['1'], token_address: ['0x1'] }],
  ['fuji/wallet-transfers/1?wallet=0x1', restErc20Transfers, { chain_id: ['1'], token_address: null }],
  // The second part names no chain.
  ['fuji/node/supply/fees', nodeFees, { network: ['fuji'], blockchain_id: null }],
  ['fuji/X/block', xBlocks, { network: ['fuji'], blockchain_id: null }],
  [`fuji/${chainId}/block`, xBlocks, { network: ['fuji'], blockchain_id: null }],
])('the name of the stream %s determines column values of its table', (stream, table, expected) => {
  expect(valuesOf(table, stream)).toMatchObject(expected)
})
