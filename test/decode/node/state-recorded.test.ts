import { describe, expect, test } from 'vitest'
import { vmConfigList } from '../../../pipelines/vm-config.ts'
import {
  nodeEvmProofs,
  nodeEvmState,
  nodeHealth,
  nodeHealthReports,
  nodeVmConfig,
} from '../../../schemas/node-state.ts'
import {
  decodeEvmState,
  decodeProof,
  evmStateCall,
  evmStateCalls,
  evmStateRefused,
  proofRefused,
} from '../../../src/decode/node/evm.ts'
import { decodeHealth, type HealthReport } from '../../../src/decode/node/node.ts'
import { parseLosslessJson } from '../../../src/lib/json.ts'
import { expectFits } from '../service/expect-fits.ts'
import { testContext } from '../service/reading.ts'
import { recordedCalls } from './calls.ts'
import { expectSaid } from './expect-said.ts'

test('a recorded VM configuration gives one row with all of its settings', () => {
  const calls = recordedCalls('admin.getVMConfig')
  // Helicon no longer has this path.
  expect(calls.map(({ status }) => status)).toEqual([200, 404])
  const context = testContext()
  const { result } = calls[0]!
  const { rows } = vmConfigList({ network: 'local', blockchain_id: 'C', subject: 'C' })(result, context)
  expect(context.unknown).toEqual([])
  expectFits(nodeVmConfig, rows.config)
  const [row] = rows.config
  expect(parseLosslessJson(row!.config)).toEqual(result.config)
  const columns = ['eth-apis', 'pruning-enabled', 'historical-proof-query-window', 'api-max-blocks-per-request']
  const said = Object.fromEntries([...columns, 'batch-request-limit', 'rpc-gas-cap'].map((n) => [n, result.config[n]]))
  expect(expectSaid(nodeVmConfig, row!, said)).toBe(result.config['eth-apis'].length + 5)
})

describe('the health of a node', () => {
  const renamed = {
    timestamp: 'checked_at',
    duration: 'duration_ns',
    timeOfFirstFailure: 'first_failure_at',
  }
  const asGet = recordedCalls('GET').filter(({ path }) => path.startsWith('/ext/health'))
  const asCall = recordedCalls('health.health', 'health.readiness', 'health.liveness')

  test('gives rows with the same data as the recorded answers, check by check', () => {
    const counts = { reports: 0, checks: 0, unhealthy: 0 }
    for (const { path, query, method, params, status, result } of [...asGet, ...asCall]) {
      if (status === 404) {
        expect(path).toBe('/ext/health/nothing')
        continue
      }
      const isGet = method === 'GET'
      const endpoint = isGet ? (path.split('/')[3] ?? 'root') : method.slice('health.'.length)
      const tags = isGet ? query.getAll('tag') : (params.tags ?? [])
      const requested = {
        network: 'local',
        subject: 's',
        endpoint,
        transport: isGet ? 'get' : 'rpc',
        tags,
      } as HealthReport
      const context = testContext()
      const { rows } = decodeHealth(requested)(isGet ? { status, json: result } : result, context)
      expect(context.unknown).toEqual([])
      expectFits(nodeHealthReports, rows.reports)
      expectFits(nodeHealth, rows.checks)
      const count = Object.keys(result.checks).length
      expect(rows.reports).toMatchObject([{ endpoint, tags, status, healthy: result.healthy, check_count: count }])
      expect(rows.checks.length).toBe(count)
      for (const row of rows.checks) {
        const said = result.checks[row.check_name]
        const { message, ...others } = said
        expectSaid(nodeHealth, row, others, renamed)
        expect(row.message === null ? undefined : parseLosslessJson(row.message)).toEqual(message)
        expect(BigInt(row.checked_at_ns!) / 1000n).toBe(row.checked_at)
        if (!('error' in said)) expect(row.error).toBeNull()
      }
      counts.reports++
      counts.checks += count
      if (status === 503) counts.unhealthy++
    }
    expect(counts).toEqual({ reports: 43, checks: 2413, unhealthy: 12 })
  })

  test('may have errors that are objects and checks that have not run, as in releases of 2021', () => {
    const answer = {
      checks: {
        C: { error: { message: 'too slow', code: 1 }, timestamp: '0001-01-01T00:00:00Z', duration: 0 },
        P: { error: 'not yet run' },
      },
      healthy: false,
    }
    const requested = { network: 'local', subject: 's', endpoint: 'root', transport: 'get', tags: [] } as const
    const { rows } = decodeHealth(requested)({ status: 503, json: answer }, testContext())
    expectFits(nodeHealth, rows.checks)
    expect(rows.checks).toMatchObject([
      { check_name: 'C', error: '{"message":"too slow","code":1}', checked_at: null, checked_at_ns: null },
      { check_name: 'P', error: 'not yet run', message: null, checked_at: null, duration_ns: null },
    ])
  })
})

describe('the state of an EVM chain', () => {
  const place = { network: 'local', subject: '43112', chainId: '43112' }
  const decode = decodeEvmState(place)
  const columns: Readonly<Record<string, string>> = {
    eth_chainId: 'chain_id',
    eth_baseFee: 'base_fee',
    eth_maxPriorityFeePerGas: 'max_priority_fee_per_gas',
    web3_clientVersion: 'client_version',
    eth_getChainConfig: 'chain_config',
  }

  test.each(['granite', 'helicon', 'live'])('is one row from six recorded answers of %s', (recording) => {
    const answers = new Map(
      recordedCalls(...evmStateCalls)
        .filter((call) => call.recording === recording && call.status === 200)
        .map(({ method, result }) => [method, result]),
    )
    let token: string | null = null
    const said: Record<string, unknown> = {}
    for (let requested = 1; requested <= evmStateCalls.length; requested++) {
      const method = evmStateCall(token)
      said[columns[method] ?? method] = answers.get(method)
      const page = decode(answers.get(method), testContext(), token)
      token = page.next
      expect(page.rows.state.length).toBe(requested === evmStateCalls.length ? 1 : 0)
      if (token !== null) continue
      expectFits(nodeEvmState, page.rows.state)
      const { chain_id, ...others } = said
      expect(expectSaid(nodeEvmState, page.rows.state[0]!, others)).toBe(5)
      expect(page.rows.state[0]!.chain_id).toBe(String(Number(chain_id)))
    }
    expect(token).toBeNull()
  })

  test('has null for each method that the node does not know; any other refusal remains an error', () => {
    const refused = evmStateRefused(place)
    const unknown = { code: -32601, message: 'the method eth_baseFee does not exist/is not available' }
    expect(refused(unknown, testContext(), null)).toBeNull()
    let token = decode('0xa868', testContext(), null).next
    while (evmStateCall(token) !== 'eth_maxPriorityFeePerGas') token = refused(unknown, testContext(), token)!.next
    expect(refused({ code: -32000, message: 'header not found' }, testContext(), token)).toBeNull()
    const { rows } = decode('0x5', testContext(), token)
    expect(rows.state).toMatchObject([
      { chain_id: '43112', base_fee: null, max_priority_fee_per_gas: 5n, net_version: null, chain_config: null },
    ])
  })

  test('is refused when it is of another chain or an answer is invalid', () => {
    expect(() => decode('0xa86a', testContext(), null)).toThrow('chain 43114 instead of 43112')
    expect(() => decode(7, testContext(), null)).toThrow('The answer to eth_chainId is no text.')
    expect(() => decode('abc', testContext(), null)).toThrow('The answer to eth_chainId is no quantity.')
  })
})

describe('recorded proofs', () => {
  const calls = recordedCalls('eth_getProof')
  const block = { number: 7, hash: `0x${'1'.repeat(64)}`, time: 1_000_000n }
  const askedOf = ([address, slots]: any) => ({
    network: 'local',
    chainId: '43112',
    address: address.toLowerCase(),
    slots,
    block,
  })

  test('give rows with the same data, and are refused for another account or other slots', () => {
    const answered = calls.filter(({ refusal }) => refusal === null)
    expect(answered.length).toBe(8)
    for (const { params, result } of answered) {
      const context = testContext()
      const { rows } = decodeProof(askedOf(params))(result, context)
      expect(context.unknown).toEqual([])
      expectFits(nodeEvmProofs, rows.proofs)
      const leaves = expectSaid(nodeEvmProofs, rows.proofs[0]!, result, { storageProof: 'storage_proofs' })
      expect(leaves).toBe(5 + result.accountProof.length + 2 * result.storageProof.length)
      expect(rows.proofs[0]!.balance_raw).toBe(BigInt(result.balance).toString())
      const other = { ...askedOf(params), address: `0x${'0'.repeat(40)}` }
      expect(() => decodeProof(other)(result, context)).toThrow('another account')
      const more = { ...askedOf(params), slots: ['0x1', '0x2'] }
      expect(() => decodeProof(more)(result, context)).toThrow('another list of slots')
    }
  })

  test('are an error when the node no longer or not yet has the state of the block', () => {
    const messages = calls.flatMap(({ refusal }) => (refusal === null ? [] : [refusal.message]))
    expect(messages).toEqual([expect.stringMatching(/^missing trie node/), 'cannot query unfinalized data'])
    for (const message of messages)
      expect(() => proofRefused({ block })({ code: -32000, message })).toThrow(
        `The node has no state of block 7 to prove anything with: ${message}`,
      )
    expect(proofRefused({ block })({ code: -32000, message: 'invalid address' })).toBeNull()
  })
})
