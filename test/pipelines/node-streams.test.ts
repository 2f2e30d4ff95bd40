import { describe, expect, test } from 'vitest'
import { assetsPipeline } from '../../pipelines/assets.ts'
import { blockchainsPipeline } from '../../pipelines/blockchains.ts'
import { blocksByIdPipeline } from '../../pipelines/blocks-by-id.ts'
import { evmBlocksPipeline } from '../../pipelines/evm-blocks.ts'
import { evmProofsPipeline } from '../../pipelines/evm-proofs.ts'
import { evmStatePipeline } from '../../pipelines/evm-state.ts'
import { healthPipeline } from '../../pipelines/health.ts'
import { pFeesPipeline } from '../../pipelines/p-fees.ts'
import { rewardsUtxosPipeline } from '../../pipelines/rewards-utxos.ts'
import { subnetsPipeline } from '../../pipelines/subnets.ts'
import { supplyPipeline } from '../../pipelines/supply.ts'
import { transactionsByIdPipeline } from '../../pipelines/transactions-by-id.ts'
import { validatorsPipeline } from '../../pipelines/validators.ts'
import { validatorsAtPipeline } from '../../pipelines/validators-at.ts'
import { vmConfigPipeline } from '../../pipelines/vm-config.ts'
import { checkValue } from '../../src/config/parameter-values.ts'
import type {
  Facts,
  Keyed,
  NodeCall,
  NodeGet,
  Observation,
  Pipeline,
  StreamDeclaration,
} from '../../src/define/index.ts'
import { streamId } from '../../src/model.ts'
import { contextOf } from '../decode/recordings.ts'
import { testContext } from '../decode/service/reading.ts'

const primary = '11111111111111111111111111111111LpoYY'
const subnet = '2LSbznewhK34Lzu4DLBJFwdEMCohaY39w5aYedbcaNJnWYwdmy'
const other = '21fEsJU8PnSrd52JZZVckh3MCHKbVGkEqjB1UcZiVNNpigqxBT'
const xId = contextOf('granite', 'X').blockchainId
const cId = contextOf('granite', 'C').blockchainId

/** A node of a network with these known chains; its EVM chain is 43112. */
function facts(aliases: readonly ('P' | 'X' | 'C')[] = ['P', 'X', 'C']): Facts {
  const chains = aliases.map((alias) => ({ alias, blockchainId: contextOf('granite', alias).blockchainId }))
  const block = { number: 7, hash: `0x${'1'.repeat(64)}`, time: 1n }
  return {
    node: async () => ({ network: 'local', chains }),
    ask: async () => ({ chainId: 43_112n, genesisHash: '0x', name: 'evm-43112', ...block }),
  } as unknown as Facts
}

const streams = async (pipeline: Pipeline, values: Record<string, unknown> = {}, known = facts()) =>
  pipeline.streams(values, known)

/** The first request of each list or key. */
function questions({ walk }: StreamDeclaration): (NodeCall | NodeGet)[] {
  const of = walk as Observation | Keyed
  const requested =
    of.kind === 'keyed'
      ? of.keys.map(({ request }) => request)
      : of.subjects.flatMap(({ lists }) => lists.map((list) => list.request(null)))
  return requested as (NodeCall | NodeGet)[]
}

const calls = (declared: readonly StreamDeclaration[]) =>
  declared.flatMap(questions).map((question) => [question.path, question.method, (question as NodeCall).params])

describe('observations of subnets', () => {
  test('are of the primary network when no subnet is known, and their requests do not name it', async () => {
    for (const subnets of [undefined, []]) {
      const declared = await streams(validatorsPipeline, { subnets })
      expect(calls(declared)).toEqual([['/ext/bc/P', 'platform.getCurrentValidators', {}]])
      expect(streamId(declared[0]!.stream)).toBe(`local/node/validators?subnets=${primary}`)
    }
    expect(calls(await streams(supplyPipeline, { subnets: [subnet, subnet] }))).toEqual([
      ['/ext/bc/P', 'platform.getCurrentSupply', { subnetID: subnet }],
      ['/ext/bc/X', 'xvm.getTxFee', {}],
    ])
  })

  test('are split into streams of 64 subnets', async () => {
    const many = Array.from({ length: 130 }, (_, at) => `${subnet.slice(0, 40)}${at}`)
    const declared = await streams(validatorsPipeline, { subnets: many })
    expect(declared.map(({ walk }) => (walk as Observation).subjects.length)).toEqual([64, 64, 2])
    expect(new Set(declared.map(({ stream }) => streamId(stream))).size).toBe(3)
  })

  test('fill the table of delegators only when the job enables it', async () => {
    const [plain] = await streams(validatorsPipeline)
    expect(Object.keys(plain!.tables)).toEqual(['validators', 'l1Validators'])
    const [more] = await streams(validatorsPipeline, { delegators: true, 'node-ids': ['NodeID-a'] })
    expect(Object.keys(more!.tables)).toEqual(['validators', 'l1Validators', 'delegators'])
    expect((more!.walk as Observation).subjects.map(({ name }) => name)).toEqual([
      `subnet/${primary}?node-ids=NodeID-a&delegators=true`,
    ])
    expect(calls([more!])).toEqual([['/ext/bc/P', 'platform.getCurrentValidators', { nodeIDs: ['NodeID-a'] }]])
  })
})

describe('chains', () => {
  test('are requested by the name in the job and stored by their id', async () => {
    const names = ['X', other]
    const [, fees] = await streams(supplyPipeline, { 'blockchain-ids': names })
    expect(questions(fees!).map(({ path }) => path)).toEqual(names.map((name) => `/ext/bc/${name}`))
    expect((fees!.walk as Observation).subjects.map(({ name }) => name)).toEqual(
      [xId, other].map((id) => `chain/${id}`),
    )
    const [, once] = await streams(supplyPipeline, { 'blockchain-ids': ['X', xId] })
    expect((once!.walk as Observation).subjects.map(({ name }) => name)).toEqual([`chain/${xId}`])
    expect(calls(await streams(vmConfigPipeline))).toEqual([['/ext/bc/C/admin', 'admin_getVMConfig', {}]])
  })

  test('of unknown id must be named by id', async () => {
    await expect(streams(assetsPipeline, {}, facts(['P']))).rejects.toThrow(
      'The id of the X chain of local is unknown.',
    )
    expect(await streams(assetsPipeline, { chain: other, 'asset-ids': [subnet] }, facts([]))).toHaveLength(1)
  })

  test('have different methods for transactions and blocks', async () => {
    const ids = { 'tx-ids': [subnet, subnet] }
    expect(calls(await streams(transactionsByIdPipeline, ids))).toEqual([
      ['/ext/bc/X', 'xvm.getTxStatus', { txID: subnet }],
    ])
    for (const chain of ['C', cId]) {
      const [declared] = await streams(transactionsByIdPipeline, { ...ids, chain })
      const [key] = (declared!.walk as Keyed).keys
      expect(calls([declared!])).toEqual([[`/ext/bc/${chain}/cx`, 'cx.getAtomicTxStatus', { txID: subnet }]])
      expect(key!.next!('token')).toMatchObject({ method: 'cx.getAtomicTx', params: { txID: subnet, encoding: 'hex' } })
      expect(key!.key).toEqual({ blockchain_id: cId, tx_id: subnet })
    }
    const block = { 'block-ids': [subnet], encoding: 'json' }
    for (const [chain, method] of [
      ['P', 'platform.getBlock'],
      [primary, 'platform.getBlock'],
      ['X', 'xvm.getBlock'],
      [other, 'xvm.getBlock'],
    ])
      expect(calls(await streams(blocksByIdPipeline, { ...block, chain }))).toEqual([
        [`/ext/bc/${chain}`, method, { blockID: subnet, encoding: 'json' }],
      ])
  })

  test('declare the id column of ids that the node may not know', async () => {
    const ids = { 'tx-ids': [subnet], 'block-ids': [subnet], 'asset-ids': [subnet], chain: 'X' }
    for (const pipeline of [assetsPipeline, blocksByIdPipeline, transactionsByIdPipeline, rewardsUtxosPipeline]) {
      const [{ walk } = expect.fail()] = (await streams(pipeline, ids)) as readonly StreamDeclaration<Keyed>[]
      expect(walk.keys[0]!.key).toHaveProperty(walk.unanswered!.column, subnet)
    }
  })

  test('without a suitable method are refused before any request', async () => {
    const ids = { 'tx-ids': [subnet] }
    await expect(streams(transactionsByIdPipeline, { ...ids, chain: 'P' })).rejects.toThrow('are in p_transactions')
    await expect(streams(transactionsByIdPipeline, { ...ids, chain: 'C', encoding: 'json' })).rejects.toThrow(
      'as bytes only',
    )
    await expect(streams(blocksByIdPipeline, { 'block-ids': [subnet], chain: 'C' })).rejects.toThrow(
      'no method for C-Chain blocks by id',
    )
    await expect(streams(evmStatePipeline, { chain: 'nothing' })).rejects.toThrow('"nothing" names no EVM chain.')
    for (const chain of [
      'https://me:sesame@host:999999/',
      'wss://host/sesame',
      'https//host/sesame',
      'me:sesame@host',
    ]) {
      const refused: unknown = await streams(evmStatePipeline, { chain }).catch((error: unknown) => error)
      expect(String(refused), chain).toContain('The URL of the chain is malformed')
      expect(JSON.stringify(refused) + String(refused), chain).not.toContain('sesame')
    }
  })
  test('a WebSocket is named by its URL, which errors do not show', async () => {
    for (const [url, wrong] of [
      ['https://user:password@host/', /^ws-url begins with https:, not with ws:\/\/ or wss:\/\/\.$/],
      ['password', /^ws-url is not a URL\.$/],
    ] as const)
      await expect(streams(evmBlocksPipeline, { 'ws-url': url })).rejects.toThrow(wrong)
  })

  test('with an EVM may have any URL', async () => {
    const [state] = await streams(evmStatePipeline, { chain: 'https://rpc.example/key' })
    expect(streamId(state!.stream)).toBe('evm-43112/node/evm-state/43112')
    expect(questions(state!)).toEqual([
      { host: 'node', endpoint: { url: 'https://rpc.example/key' }, path: '', method: 'eth_chainId', params: [] },
    ])
    const account = `0x${'aB'.repeat(20)}`
    const [proofs] = await streams(evmProofsPipeline, { addresses: [account, account.toLowerCase()], slots: ['0x1'] })
    expect(calls([proofs!])).toEqual([['/ext/bc/C/rpc', 'eth_getProof', [account.toLowerCase(), ['0x1'], '0x7']]])
  })
})

describe('health', () => {
  const paths = (declared: readonly StreamDeclaration[]) =>
    declared.flatMap(questions).map(({ path, method }) => `${method} ${path}`)

  test('is requested in every form', async () => {
    const declared = await streams(healthPipeline, { tags: ['b', 'a', 'b'] })
    expect(paths(declared)).toEqual([
      'GET /ext/health',
      'GET /ext/health/health',
      'health.health /ext/health',
      'GET /ext/health/readiness',
      'health.readiness /ext/health',
      'GET /ext/health/liveness',
      'health.liveness /ext/health',
    ])
    const requested = declared.flatMap(questions)
    expect(requested[0]).toMatchObject({ query: { tag: ['a', 'b'] }, answers: [503] })
    expect(requested[2]).toMatchObject({ params: { tags: ['a', 'b'] } })
    // The specification has no parameters for this method.
    expect(requested[6]).toMatchObject({ params: {} })
  })

  test('is requested only in the chosen forms, and a choice without any form is refused', async () => {
    const some = { endpoints: ['liveness', 'root'], transports: ['get'] }
    const declared = await streams(healthPipeline, some)
    expect(paths(declared)).toEqual(['GET /ext/health', 'GET /ext/health/liveness'])
    expect(streamId(declared[0]!.stream)).toBe('local/node/health?endpoints=root,liveness&transports=get')
    await expect(streams(healthPipeline, { endpoints: ['root'], transports: ['rpc'] })).rejects.toThrow(
      'The job requests no report: root is a path and not a method.',
    )
  })
})

test('the blockchains job reads the list of all blockchains and names the given ids in its stream', async () => {
  const [declared] = await streams(blockchainsPipeline, { 'blockchain-ids': [other] })
  expect(streamId(declared!.stream)).toBe(`local/node/blockchains?blockchain-ids=${other}`)
  expect(calls([declared!])).toEqual([['/ext/bc/P', 'platform.getBlockchains', {}]])
})

test('fees of the P-Chain are two lists: each requests the configuration, then the state', async () => {
  const [declared] = await streams(pFeesPipeline)
  expect(calls([declared!])).toEqual([
    ['/ext/bc/P', 'platform.getFeeConfig', {}],
    ['/ext/bc/P', 'platform.getValidatorFeeConfig', {}],
  ])
  const [list] = (declared!.walk as Observation).subjects[0]!.lists
  const { next } = list!.decode({ minPrice: 1 }, testContext(), null)
  expect(list!.request(next)).toMatchObject({ method: 'platform.getFeeState' })
})

test('the subnets job reads the list of subnets, then each but the Primary Network', async () => {
  const [declared] = await streams(subnetsPipeline)
  expect(calls([declared!])).toEqual([['/ext/bc/P', 'platform.getSubnets', {}]])
  expect(calls(await streams(subnetsPipeline, { subnets: [subnet] }))).toEqual([
    ['/ext/bc/P', 'platform.getSubnets', { ids: [subnet] }],
  ])
  const [list] = (declared!.walk as Observation).subjects[0]!.lists
  const listed = [primary, subnet].map((id) => ({ id, controlKeys: [], threshold: '0' }))
  const { next, rows } = list!.decode({ subnets: listed }, testContext(), null)
  expect(rows).toEqual({ subnets: [] })
  expect(list!.request(next)).toMatchObject({ method: 'platform.getSubnet', params: { subnetID: subnet } })
  expect(list!.decode({ subnets: [listed[0]] }, testContext(), null).next).toBeNull()
})

test('validators at heights are requested once for each subnet and height', async () => {
  const [declared] = await streams(validatorsAtPipeline, { heights: ['7', '9', '7'], subnets: [primary, subnet] })
  expect(calls([declared!]).map(([, , params]) => params)).toEqual([
    { height: 7 },
    { height: 9 },
    { height: 7, subnetID: subnet },
    { height: 9, subnetID: subnet },
  ])
  const { heights } = validatorsAtPipeline.parameters
  for (const wrong of ['-1', '07', '1e3', '0x1']) expect(checkValue(heights, [wrong])).toHaveProperty('mistake')
})

test('two different blockchains with one id in the list are refused', async () => {
  const [declared] = await streams(blockchainsPipeline, {})
  const walk = declared!.walk as Observation
  const list = walk.subjects[0]!.lists[0]!
  const chain = { id: other, name: 'a', subnetID: other, vmID: other }
  const own = [xId, cId].map((id) => ({ ...chain, id }))
  const read = (...blockchains: object[]) => list.decode({ blockchains: [...own, ...blockchains] }, testContext())
  expect(read(chain, chain).next).not.toBeNull()
  expect(() => read(chain, { ...chain, name: 'b' })).toThrow('two different items with the same blockchain_id')
})

test('the block of a proof is a number or a tag, and a slot is a hexadecimal number', () => {
  const { block, slots } = evmProofsPipeline.parameters
  for (const right of ['0', '123', 'latest', 'safe', 'finalized'])
    expect(checkValue(block, right)).toEqual({ value: right })
  for (const wrong of ['pending', '0x1', '-1', '1.5']) expect(checkValue(block, wrong)).toHaveProperty('mistake')
  expect(checkValue(slots, ['0x0', `0x${'f'.repeat(64)}`])).toHaveProperty('value')
  for (const wrong of ['0', '0x', `0x${'f'.repeat(65)}`]) expect(checkValue(slots, [wrong])).toHaveProperty('mistake')
})
