import { expect, test } from 'vitest'
import { evmBlocks } from '../../../schemas/evm-blocks.ts'
import { metricsChainTps } from '../../../schemas/metrics.ts'
import { nodeFees, nodeUtxos } from '../../../schemas/node-state.ts'
import { pTransactions } from '../../../schemas/p-chain.ts'
import { restErc20Transfers } from '../../../schemas/rest-tokens.ts'
import { restNodeBlocks } from '../../../schemas/rest-transactions.ts'
import { xBlocks } from '../../../schemas/x-chain.ts'
import type { InventoryFile, StreamFacts } from '../../../src/catalog/catalog.ts'
import { nodeStream, serviceStream, type Table } from '../../../src/define/index.ts'
import type { Stream } from '../../../src/model.ts'
import { allowedValues, factsOf } from '../../../src/verify/same-facts.ts'

const chainId = '2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM'
const blocks = { network: 'fuji', parameters: {} }

function valuesOf(table: Table, stream: Stream): Record<string, string[] | null> {
  const streams = new Map([['s', stream as StreamFacts]])
  const file = { sources: [{ stream: 's' }], network: null } as unknown as InventoryFile
  const idOf = (_: string, name: string) => (name === 'X' ? chainId : name)
  return Object.fromEntries(factsOf(table).map((fact) => [fact.column, allowedValues({ streams }, file, fact, idOf)]))
}

test.each([
  [serviceStream('fuji', 'evm-blocks', {}, '43113'), evmBlocks, { network: ['fuji'], chain_id: ['43113'] }],
  [serviceStream('fuji', 'own', { from: 1 }, '43113'), evmBlocks, { network: ['fuji'], chain_id: ['43113'] }],
  [nodeStream('fuji', 'utxo-set', {}, 'X'), nodeUtxos, { network: ['fuji'], blockchain_id: [chainId] }],
  [nodeStream('fuji', 'utxo-set', {}, chainId), nodeUtxos, { network: ['fuji'], blockchain_id: [chainId] }],
  [
    serviceStream('fuji', 'node-blocks', { nodeId: 'N' }, 'X'),
    restNodeBlocks,
    { network: ['fuji'], blockchain_id: [chainId], node_id: ['N'] },
  ],
  [
    serviceStream('fuji', 'tps', { interval: 'day' }, '1'),
    metricsChainTps,
    { network: ['fuji'], chain_id: ['1'], interval: ['day'] },
  ],
  [
    serviceStream('fuji', 'token-transfers', { a: 'b', contract: '0x1' }, '1'),
    restErc20Transfers,
    { chain_id: ['1'], token_address: ['0x1'] },
  ],
  [
    serviceStream('fuji', 'wallet-transfers', { wallet: '0x1' }, '1'),
    restErc20Transfers,
    { chain_id: ['1'], token_address: null },
  ],
  [nodeStream('fuji', 'supply/fees', {}), nodeFees, { network: ['fuji'], blockchain_id: null }],
  [{ ...blocks, path: 'X/block', chain: 'X' }, xBlocks, { network: ['fuji'], blockchain_id: [chainId] }],
  [{ ...blocks, path: `${chainId}/block`, chain: chainId }, xBlocks, { network: ['fuji'], blockchain_id: [chainId] }],
])('the columns of the stream %j determine column values of its table', (stream, table, expected) => {
  expect(valuesOf(table, stream)).toMatchObject(expected)
})

test('a stream of the P-Chain does not determine the blockchains that its transactions create', () => {
  expect(valuesOf(pTransactions, { ...blocks, path: 'P/block', chain: 'P' })).not.toHaveProperty('blockchain_id')
})
