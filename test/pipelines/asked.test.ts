import { describe, expect, test } from 'vitest'
import { balancesPipeline } from '../../pipelines/balances.ts'
import { nodeBlocksPipeline } from '../../pipelines/node-blocks.ts'
import { restTransactionsPipeline } from '../../pipelines/rest-transactions.ts'
import { restUtxosPipeline } from '../../pipelines/rest-utxos.ts'
import { rewardsPipeline } from '../../pipelines/rewards.ts'
import { tokenTransfersPipeline } from '../../pipelines/token-transfers.ts'
import { tpsPipeline } from '../../pipelines/tps.ts'
import { utxoSetPipeline } from '../../pipelines/utxo-set.ts'
import { validatorsPipeline } from '../../pipelines/validators.ts'
import { verticesPipeline } from '../../pipelines/vertices.ts'
import { walletTransfersPipeline } from '../../pipelines/wallet-transfers.ts'
import { baseProfile } from '../../src/config/profiles.ts'
import type { Facts, List, ListWalk, Pipeline, Requested } from '../../src/define/index.ts'
import { serviceSettings } from '../../src/sources/service-profile.ts'
import { streamsOf } from './streams-of.ts'

const rules = { ...serviceSettings(baseProfile('public', {})), tpsPath: '/v2/chains/{chainId}/metrics/avgTps' }
const slice = { from: 100, to: 200 }

function listsOf(walk: ListWalk): readonly List[] {
  if ('head' in walk) return [walk.list(slice)]
  if ('subjects' in walk) return walk.subjects.flatMap(({ lists }) => lists)
  return 'list' in walk ? [walk.list] : []
}

/** What the lists of a job declare as requested. */
function askedBy(pipeline: Pipeline, values: object): readonly (Requested | undefined)[] {
  const streams = streamsOf(pipeline, { network: 'fuji', ...values }, rules)
  return streams.flatMap(({ walk }) => listsOf(walk as ListWalk)).map(({ requested }) => requested)
}

const [one, other] = [`0x${'ab'.repeat(20)}`, `0x${'cd'.repeat(20)}`]
const owner = 'fuji1ur873jhz9qnaqv5qthk5sn3e8nj3e0kmafyxut'
const nodeId = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'
const assetId = 'FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z'
const evm = { 'chain-id': '43113' }
const p = { blockchain: 'p-chain' }

const blocks = { column: 'block_number', holds: 'numbers', slice, margin: { before: 0, after: 1 } }
const seconds = { column: 'block_time', holds: 'times', slice, margin: { before: 2, after: 3 } }

describe('a list', () => {
  test.each([
    [
      'from or to the wallet',
      walletTransfersPipeline,
      { ...evm, wallets: [one] },
      { values: [{ from_address: [one], to_address: [one] }], range: blocks },
    ],
    [
      'of the contract',
      tokenTransfersPipeline,
      { ...evm, contracts: [one] },
      { values: [{ token_address: [one] }], range: blocks },
    ],
    [
      'proposed by the node',
      nodeBlocksPipeline,
      { ...p, 'node-ids': [nodeId] },
      { values: [{ proposer_node_id: [nodeId] }], range: seconds },
    ],
    ['by time alone', restTransactionsPipeline, { ...p, addresses: [owner] }, { range: seconds }],
    ['no transaction by its owners', restTransactionsPipeline, p, {}],
    ['of an owner', restUtxosPipeline, { ...p, addresses: [`P-${owner}`] }, { values: [{ addresses: [owner] }] }],
    [
      'of an asset',
      restUtxosPipeline,
      { blockchain: 'x-chain', 'asset-id': assetId },
      { values: [{ asset_id: [assetId] }] },
    ],
    ['of the address', rewardsPipeline, { addresses: [owner] }, { values: [{ addresses: [owner] }] }],
    [
      'of the address or the node',
      rewardsPipeline,
      { addresses: [owner], 'node-ids': [nodeId] },
      { values: [{ addresses: [owner], node_id: [nodeId] }] },
    ],
    [
      'held by the wallet',
      balancesPipeline,
      { ...evm, wallets: [one], lists: ['erc721'] },
      { values: [{ owner: [one] }] },
    ],
    [
      'of the contract, too',
      balancesPipeline,
      { ...evm, wallets: [one], lists: ['erc1155'], 'contract-address': other },
      { values: [{ owner: [one] }, { token_address: [other] }] },
    ],
    [
      'of the height',
      verticesPipeline,
      { blockchain: 'x-chain', 'from-height': 0 },
      { range: { column: 'height', holds: 'numbers', slice, margin: { before: 0, after: 0 } } },
    ],
    [
      'of the days',
      tpsPipeline,
      { 'chain-id': '43113', 'start-timestamp': 86_400, 'end-timestamp': 172_800 },
      {
        range: {
          column: 'point_time',
          holds: 'times',
          slice: { from: 0, to: 259_200 },
          margin: { before: 0, after: 0 },
        },
      },
    ],
  ] as const)('declares its requested rows: %s', (_, pipeline, values, requested) => {
    expect(askedBy(pipeline, values)).toEqual([requested])
  })

  test('of UTXO chunks or of validators declares the addresses or the nodes that it requests', async () => {
    const identity = { network: 'fuji', hrp: 'fuji', chains: [{ alias: 'P', blockchainId: 'p' }], nativeAssetId: null }
    const facts = { node: async () => identity } as unknown as Facts
    const requested = async (pipeline: Pipeline, values: object) =>
      (await pipeline.streams(values as never, facts))
        .flatMap(({ walk }) => listsOf(walk as ListWalk))
        .map((list) => list.requested)
    expect(await requested(utxoSetPipeline, { 'known-addresses': [owner] })).toEqual([
      { values: [{ addresses: [owner] }] },
    ])
    for (const delegators of [false, true]) {
      expect(await requested(validatorsPipeline, { delegators, 'node-ids': [nodeId] })).toEqual([
        { values: [{ node_id: [nodeId] }] },
      ])
      expect(await requested(validatorsPipeline, { delegators })).toEqual([{}])
    }
  })
})
