import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { serviceHosts } from '../../src/cli/service-settings.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { runPipelines } from '../../src/run/jobs/run-pipelines.ts'
import { listSchema } from '../../src/yaml-lists/check-list.ts'
import { compileList, listDecoder } from '../../src/yaml-lists/list-pipeline.ts'
import type { ListText } from '../../src/yaml-lists/list-schema.ts'
import { listTable } from '../../src/yaml-lists/list-table.ts'
import { evmAddress, hash, id, nodeId, owner } from '../decode/made-ids.ts'
import { startServer } from '../fetch/local-server.ts'
import { command, newLake, query } from '../run/lake-run.ts'
import { contextOf } from './parsed-list.ts'

const files = ['node', 'service'] as const
const pathOf = (file: string) => join(packageRoot(), `examples/lists/${file}.yaml`)
const lists = Object.fromEntries(
  files.flatMap((file) => Object.entries(parse(readFileSync(pathOf(file), 'utf8')).lists as Record<string, ListText>)),
)

/** A documented answer, and what becomes of it: columns of a row, as text. */
type Case = {
  readonly values?: Readonly<Record<string, unknown>>
  readonly path: string
  readonly answer: object
  readonly row: Readonly<Record<string, string>>
  /** A part of the answer and what a wrong service could write there, so that a value is none of its column. */
  readonly lie: readonly [right: string, wrong: string]
}

const rpc = (result: object) => ({ jsonrpc: '2.0', id: 1, result })
const asset = {
  assetId: id('avax'),
  name: 'Avalanche',
  symbol: 'AVAX',
  denomination: 9,
  type: 'secp256k1',
  amount: '7',
}
const party = { address: evmAddress('from'), name: 'F', symbol: 'F', decimals: 18, logoUri: 'u' }
const a = owner('a')
const chainInfo = { chainName: 'p-chain', network: 'mainnet' }
const points = { results: [{ value: 18446744073709551616n, timestamp: 1734393600 }] }
const windows = { lastHour: 1, lastDay: 24, lastWeek: 168, lastMonth: 720, last90Days: 2160, lastYear: 8760 }

const cases: Readonly<Record<string, Case>> = {
  // Examples of the documentation of the node, and recorded answers.
  peers: {
    path: '/ext/info',
    answer: rpc({
      numPeers: '1',
      peers: [
        {
          ip: '206.189.137.87:9651',
          publicIP: '206.189.137.87:9651',
          nodeID: 'NodeID-8PYXX47kqLDe2wD4oPbvRRchcnSzMA4J4',
          version: 'avalanche/1.9.4',
          lastSent: '2020-06-01T15:23:02Z',
          lastReceived: '2020-06-01T15:22:57Z',
          benched: [],
          observedUptime: '99',
          trackedSubnets: ['29uVeLPJB1eQJkzRemU8g8wZDw5uJRqpab5U2mX9euieVwiEbL'],
        },
      ],
    }),
    row: { node_id: 'NodeID-8PYXX47kqLDe2wD4oPbvRRchcnSzMA4J4', observed_uptime: '99', benched: '[]' },
    lie: ['"observedUptime":"99"', '"observedUptime":"most"'],
  },
  'node-uptime': {
    path: '/ext/info',
    answer: rpc({ rewardingStakePercentage: '74.0741', weightedAveragePercentage: '72.4074' }),
    row: { rewarding_stake_percentage: '74.0741', weighted_average_percentage: '72.4074' },
    lie: ['"74.0741"', 'null'],
  },
  acps: {
    path: '/ext/info',
    answer: rpc({
      acps: {
        '23': {
          supportWeight: '0',
          supporters: [nodeId('a')],
          objectWeight: '0',
          objectors: [],
          abstainWeight: '161147778098286584',
        },
      },
    }),
    row: { acp: '23', abstain_weight: '161147778098286584', supporters: `[${nodeId('a')}]` },
    lie: ['"161147778098286584"', '"-1"'],
  },
  'current-epoch': {
    path: '/ext/bc/C/proposervm',
    answer: rpc({ number: '56', startTime: '1755802182', pChainHeight: '21857141' }),
    row: { chain: 'C', epoch_number: '56', p_chain_height: '21857141' },
    lie: ['"1755802182"', '"soon"'],
  },
  'l1-fee-config': {
    values: { blockchain: id('l1') },
    path: `/ext/bc/${id('l1')}/rpc`,
    answer: rpc({
      feeConfig: {
        gasLimit: 15000000,
        targetBlockRate: 2,
        minBaseFee: 33000000000,
        targetGas: 15000000,
        baseFeeChangeDenominator: 36,
        minBlockGasCost: 0,
        maxBlockGasCost: 1000000,
        blockGasCostStep: 200000,
      },
      lastChangedAt: 0,
    }),
    row: { blockchain_id: id('l1'), min_base_fee: '33000000000', last_changed_block: '0' },
    lie: ['33000000000', '33.5'],
  },
  'l1-active-rules': {
    values: { blockchain: id('l1') },
    path: `/ext/bc/${id('l1')}/rpc`,
    answer: rpc({ ethRules: { IsHomestead: true }, avalancheRules: {}, precompiles: { warpConfig: { timestamp: 5 } } }),
    row: { precompiles: '{"warpConfig":{"timestamp":5}}', eth_rules: '{"IsHomestead":true}' },
    lie: ['"result"', '"error"'],
  },
  'fee-history': {
    path: '/ext/bc/C/rpc',
    answer: rpc({
      oldestBlock: '0xf',
      reward: [['0x2', '0x2']],
      baseFeePerGas: ['0x1', '0x1'],
      gasUsedRatio: [0.0021, 0.2079],
    }),
    row: { oldest_block: '0xf', base_fees: '[0x1, 0x1]', gas_used_ratios: '[0.0021, 0.2079]' },
    lie: ['0.0021', '"little"'],
  },
  // Shapes of the API description of the service.
  'avax-supply': {
    path: '/v1/avax/supply',
    answer: {
      circulatingSupply: '416826134.123456789',
      totalSupply: '456826134.123456789',
      totalPBurned: '1',
      totalCBurned: '2',
      totalXBurned: '3',
      totalStaked: '4',
      totalLocked: '5',
      totalRewards: '6',
      lastUpdated: '2026-01-01T00:00:00Z',
      genesisUnlock: '7',
      l1ValidatorFees: '8',
    },
    row: { asset: 'AVAX', circulating_supply: '416826134.123456789', l1_validator_fees: '8' },
    lie: ['"416826134.123456789"', '{}'],
  },
  'p-chain-balances': {
    values: { addresses: [a] },
    path: `/v1/networks/mainnet/blockchains/p-chain/balances?addresses=${a}`,
    answer: {
      balances: {
        unlockedStaked: [],
        unlockedUnstaked: [{ ...asset, amount: '18446744073709551615', utxoCount: 109 }],
        lockedStaked: [],
        lockedPlatform: [],
        lockedStakeable: [],
        pendingStaked: [],
        atomicMemoryLocked: [],
        atomicMemoryUnlocked: [],
      },
      chainInfo,
    },
    row: { address: a, locked_staked: '[]', unlocked_unstaked: expect.stringContaining('"18446744073709551615"') },
    lie: ['"lockedStaked":[]', '"lockedStaking":[]'],
  },
  'x-chain-balances': {
    values: { addresses: [a] },
    path: `/v1/networks/mainnet/blockchains/x-chain/balances?addresses=${a}`,
    answer: {
      balances: { locked: [], unlocked: [asset], atomicMemoryLocked: [], atomicMemoryUnlocked: [] },
      chainInfo,
    },
    row: { address: a, locked: '[]' },
    lie: ['"locked":[]', '"held":[]'],
  },
  'active-stakes': {
    values: { addresses: [a] },
    path: `/v1/networks/mainnet/blockchains/p-chain/transactions:listStaking?addresses=${a}&sortOrder=asc&pageSize=100`,
    answer: {
      transactions: [
        {
          txHash: id('tx'),
          txType: 'AddPermissionlessDelegatorTx',
          blockTimestamp: 1765251574,
          blockNumber: '9',
          blockHash: id('block'),
          consumedUtxos: [],
          emittedUtxos: [],
          value: [asset],
          amountBurned: [],
          amountStaked: [asset],
          amountL1ValidatorBalanceBurned: [],
          startTimestamp: 1765251574,
          endTimestamp: 1766615565,
          nodeId: nodeId('a'),
          subnetId: id('subnet'),
          estimatedReward: '1585793298',
          rewardAddresses: [`P-${a}`],
          memo: '0x',
        },
      ],
      chainInfo,
    },
    row: { address: a, tx_id: id('tx'), estimated_reward: '1585793298', reward_addresses: `[${a}]` },
    lie: ['"1585793298"', '"1585793298.5"'],
  },
  'primary-blocks': {
    path: '/v1/networks/mainnet/blockchains/p-chain/blocks?pageSize=100',
    answer: {
      blocks: [
        {
          blockNumber: '21857141',
          blockHash: id('block'),
          parentHash: id('parent'),
          blockTimestamp: 1755802182,
          blockType: 'BanffStandardBlock',
          txCount: 1,
          transactions: [id('tx')],
          blockSizeBytes: 900,
          l1ValidatorsAccruedFees: 18446744073709551615n,
          activeL1Validators: 900,
          currentSupply: '460000000000000000',
          proposerDetails: { proposerId: id('wrapper'), proposerNodeId: nodeId('a'), proposerTimestamp: 1755802182 },
        },
      ],
      chainInfo,
    },
    row: { chain_name: 'p-chain', height: '21857141', l1_validators_accrued_fees: '18446744073709551615' },
    lie: [`"${nodeId('a')}"`, '"a node"'],
  },
  'x-assets': {
    values: { assets: [id('avax')] },
    path: `/v1/networks/mainnet/blockchains/x-chain/assets/${id('avax')}`,
    answer: {
      assetId: id('avax'),
      name: 'Avalanche',
      symbol: 'AVAX',
      denomination: 9,
      type: 'secp256k1',
      createdAtTimestamp: 1599696000,
      cap: 'fixed',
    },
    row: { asset_id: id('avax'), stated_asset_id: id('avax'), denomination: '9', cap: 'fixed' },
    lie: ['"denomination":9', '"denomination":"nine"'],
  },
  'asset-transactions': {
    values: { assets: [id('avax')] },
    path: `/v1/networks/mainnet/blockchains/x-chain/assets/${id('avax')}/transactions?pageSize=100`,
    answer: {
      transactions: [
        {
          txHash: id('tx'),
          chainFormat: 'linear',
          timestamp: 1755802182,
          txType: 'BaseTx',
          memo: '0x',
          consumedUtxos: [],
          emittedUtxos: [],
          amountUnlocked: [asset],
          amountCreated: [asset],
          blockHeight: 5,
          blockHash: id('block'),
        },
      ],
      chainInfo,
    },
    row: { asset_id: id('avax'), tx_id: id('tx'), height: '5' },
    lie: ['1755802182', '"today"'],
  },
  'chain-transactions': {
    values: { 'chain-id': '43114' },
    path: '/v1/chains/43114/transactions?pageSize=100',
    answer: {
      transactions: [
        {
          blockNumber: '339',
          blockTimestamp: 1648672486,
          blockTimestampMilliseconds: 1648672486000,
          blockHash: hash('block'),
          chainId: '43114',
          blockIndex: 0,
          txHash: hash('tx'),
          txStatus: '1',
          txType: 1,
          gasLimit: '51373',
          gasUsed: '51373',
          gasPrice: '470000000000',
          nonce: '1',
          from: party,
          to: { address: evmAddress('to') },
          method: { callType: 'CONTRACT_CALL', methodHash: '0xa9059cbb' },
          value: '340282366920938463463374607431768211456',
        },
      ],
    },
    row: { transaction_hash: hash('tx'), amount: '340282366920938463463374607431768211456', gas_used: '51373' },
    lie: ['"470000000000"', '"4.7e11"'],
  },
  deployments: {
    values: { 'chain-id': '43114', contracts: [evmAddress('factory')] },
    path: `/v1/chains/43114/contracts/${evmAddress('factory')}/deployments?pageSize=100`,
    answer: {
      contracts: [
        {
          address: evmAddress('token'),
          ercType: 'ERC-20',
          name: 'T',
          symbol: 'T',
          decimals: 18,
          tags: [],
          deploymentDetails: { txHash: hash('tx'), deployerAddress: evmAddress('deployer') },
        },
        { address: evmAddress('other'), ercType: 'UNKNOWN' },
      ],
    },
    row: { contract_address: evmAddress('token'), decimals: '18', transaction_hash: hash('tx') },
    lie: [`"${evmAddress('token')}"`, '"0x12"'],
  },
  'nft-tokens': {
    values: { 'chain-id': '43114', collections: [evmAddress('collection')] },
    path: `/v1/chains/43114/nfts/collections/${evmAddress('collection')}/tokens?pageSize=100`,
    answer: {
      tokens: [
        {
          address: evmAddress('collection'),
          name: 'N',
          symbol: 'N',
          ercType: 'ERC-721',
          tokenId: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
          tokenUri: 'ipfs://x',
          metadata: { indexStatus: 'UNINDEXED' },
        },
      ],
    },
    row: {
      collection: evmAddress('collection'),
      token_id: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
      metadata: '{"indexStatus":"UNINDEXED"}',
    },
    lie: ['639935"', '639936"'],
  },
  'rolling-metrics': {
    values: { 'chain-id': '43114', metrics: ['feesPaid'] },
    path: '/v2/chains/43114/rollingWindowMetrics/feesPaid',
    answer: { result: { ...windows, allTime: 17447631884123456789n } },
    row: { metric: 'feesPaid', last_hour: '1', all_time: '17447631884123456789' },
    lie: ['"lastHour":1', '"lastHour":{}'],
  },
  'icm-timeseries': {
    path: '/v2/icm/timeseries?network=mainnet&timeInterval=day&pageSize=2160',
    answer: { results: [{ value: 37738, timestamp: 1734393600, srcBlockchainId: '', destBlockchainId: id('C') }] },
    row: { source: '', destination: id('C'), message_count: '37738' },
    lie: ['37738', '37738.5'],
  },
  'icm-summary': {
    path: '/v2/icm/summary?network=mainnet',
    answer: { result: { ...windows, allTime: 900_000, srcBlockchainId: '', destBlockchainId: '' } },
    row: { last_day: '24', all_time: '900000' },
    lie: ['900000', '-1'],
  },
  'l1-fees': {
    values: { subnets: [id('subnet')] },
    path: `/v2/subnet/${id('subnet')}/metrics/perSubnetDailyFeesPaid`,
    answer: points,
    row: { subnet_id: id('subnet'), metric_value: '18446744073709551616' },
    lie: ['18446744073709551616', '0.5'],
  },
  'node-fees-paid': {
    values: { nodes: [nodeId('a')] },
    path: `/v2/validator/${nodeId('a')}/metrics/perNodeDailyFeesPaid`,
    answer: points,
    row: { node_id: nodeId('a'), metric: 'perNodeDailyFeesPaid', metric_value: '18446744073709551616' },
    lie: ['1734393600', '"then"'],
  },
  'validation-fees': {
    values: { validations: [id('validation')] },
    path: `/v2/validation/${id('validation')}/metrics/validationFeesDaily`,
    answer: points,
    row: { validation_id: id('validation'), metric_value: '18446744073709551616' },
    lie: ['18446744073709551616', '"many"'],
  },
}

const jsonOf = (value: unknown): string =>
  JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `big ${each}` : each)).replace(/"big (\d+)"/g, '$1')

test.each(files)('examples/lists/%s.yaml is valid', async (file) => {
  const { code, stderr } = await command(['validate', '--config', pathOf(file)])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

test('each list of the examples has a case here', () => {
  expect(Object.keys(cases)).toEqual(Object.keys(lists))
})

describe('lists of routes that no pipeline reads', () => {
  let asked: string[] = []
  let body = ''
  let server: Awaited<ReturnType<typeof startServer>>
  beforeAll(async () => {
    server = await startServer(({ path }) => {
      asked.push(decodeURIComponent(path))
      return { body }
    })
  })
  afterAll(() => server.close())

  /** Runs a list at the server, whatever host it is of. */
  async function run(name: string, answer: string, lake: string): Promise<string[]> {
    const { cost: _, ...list } = lists[name]!
    const pipeline = compileList(name, listSchema.parse({ ...list, service: 'own' }))
    const unknown: string[] = []
    body = answer
    asked = []
    const { jobs } = await runPipelines({
      nodeUrl: 'http://127.0.0.1:1',
      services: serviceHosts({ own: { url: server.url } }, [pipeline], {}),
      lake: { folder: lake },
      jobs: [{ name, pipeline, values: { network: 'mainnet', ...cases[name]!.values } }],
      tries: 1,
      stop: new AbortController().signal,
      emit: () => undefined,
    })
    for (const job of jobs) if ('unknownFields' in job) unknown.push(JSON.stringify(job.unknownFields))
    return unknown
  }

  test.each(Object.keys(cases))(
    '%s reads an answer of the documented shape, and refuses a lying field',
    async (name) => {
      const { answer, path, row, lie } = cases[name]!
      const lake = newLake()
      expect(await run(name, jsonOf(answer), lake)).toEqual([])
      expect(new Set(asked)).toEqual(new Set([path]))
      const table = listTable(listSchema.parse(lists[name]))
      const shown = Object.keys(row).map((column) => `"${column}"::VARCHAR AS "${column}"`)
      expect(await query(lake, `SELECT ${shown} FROM ${table.name}`)).toContainEqual(row)
      const [right, wrong] = lie
      expect(jsonOf(answer)).toContain(right)
      await expect(run(name, jsonOf(answer).replace(right, wrong), newLake())).rejects.toThrow()
    },
  )
})

test('an answer of a node with an error is not an empty list', () => {
  const decode = listDecoder(listSchema.parse(lists['peers']))({ network: 'mainnet', subject: 's', values: {} })
  const json = { jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'no' } }
  expect(() => decode({ status: 200, next: null, json }, contextOf())).toThrow('The service answers with an error')
})
