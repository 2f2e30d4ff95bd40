import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { evmBalancesPipeline } from '../../../pipelines/evm-balances.ts'
import { evmCallsPipeline } from '../../../pipelines/evm-calls.ts'
import { evmCodesPipeline } from '../../../pipelines/evm-codes.ts'
import { evmNoncesPipeline } from '../../../pipelines/evm-nonces.ts'
import { evmStateDiffsPipeline } from '../../../pipelines/evm-state-diffs.ts'
import { evmStoragePipeline } from '../../../pipelines/evm-storage.ts'
import { evmTokensPipeline } from '../../../pipelines/evm-tokens.ts'
import { evmTracesPipeline } from '../../../pipelines/evm-traces.ts'
import { pBlocksPipeline } from '../../../pipelines/p-blocks.ts'
import { txpoolPipeline } from '../../../pipelines/txpool.ts'
import { verifyLake } from '../../../src/verify/verify-lake.ts'
import { chainlake } from '../../cli/in-process.ts'
import { exportLake } from '../../run/export-lake.ts'
import { jobOf } from '../../run/job-of.ts'
import { newLake } from '../../run/lake-run.ts'
import { listOf } from '../../run/lists/devnet-jobs.ts'
import { filesOf, type Row, rewriteFile, rewriteFiles } from '../rewrite-file.ts'
import { copyOf } from '../sound-lake.ts'

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }

/** A node in front of the network that answers some calls with an error. */
async function startRefusing(url: string, refuse: (call: Call) => object | null): Promise<Server> {
  const server = createServer(async (incoming, answer) => {
    const body = await text(incoming)
    const path = new URL(incoming.url ?? '', url)
    const headers = { 'content-type': 'application/json' }
    const ask = async (sent: unknown) =>
      (await fetch(path, { method: 'POST', headers, body: JSON.stringify(sent) })).json()
    const each = async (call: Call) => {
      const error = refuse(call)
      return error === null ? ask(call) : { jsonrpc: '2.0', id: call.id, error }
    }
    if (incoming.method !== 'POST') return answer.end(await (await fetch(path)).text())
    const sent = JSON.parse(body) as Call | Call[]
    const said = Array.isArray(sent) ? await Promise.all(sent.map(each)) : await each(sent)
    return answer.writeHead(200, headers).end(JSON.stringify(said))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}
/** Methods that need the state of a block; the block is the last parameter, or the first one of traces. */
const stateMethod = /^eth_(call|get(?:Balance|Code|StorageAt|TransactionCount))$|^debug_traceBlockByNumber$/
const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

describe('verify with a node', () => {
  const lake = newLake()
  let node: Devnet
  /** The same network without the state of blocks below 60, and without its debug API. */
  let pruned: Server
  let withoutDebug: Server
  beforeAll(async () => {
    node = await startDevnet({ seed: 5, blocks: 120 })
    const addresses = (await listOf(node, 'evm')).slice(0, 4)
    const contracts = (await listOf(node, 'contracts')).slice(0, 3)
    const every = { step: 10 }
    const calls = ['function totalSupply() view returns (uint256)', 'function ownerOf(uint256) view returns (address)']
    await exportLake({
      node,
      lake,
      jobs: [
        jobOf(evmTracesPipeline),
        jobOf(evmStateDiffsPipeline, { reads: true }),
        jobOf(evmBalancesPipeline, { addresses, ...every }),
        jobOf(evmNoncesPipeline, { addresses, ...every }),
        jobOf(evmCodesPipeline, { addresses: contracts, ...every }),
        jobOf(evmStoragePipeline, { addresses: contracts, slots: ['0x2'], ...every }),
        jobOf(evmCallsPipeline, { contracts, calls: [...calls, '0x06fdde03'], arguments: ['1'], ...every }),
        jobOf(evmTokensPipeline, { tokens: contracts, blocks: ['5', '100'] }),
        jobOf(txpoolPipeline),
      ],
    })
    pruned = await startRefusing(node.url, ({ method, params }) => {
      if (!stateMethod.test(method)) return null
      const block = method.startsWith('debug_') ? params[0] : params.at(-1)
      if (Number(block) >= 60) return null
      return { code: -32000, message: 'missing trie node abc (path ) state 0x12 is not available' }
    })
    withoutDebug = await startRefusing(node.url, ({ method }) =>
      method.startsWith('debug_') ? { code: -32601, message: `the method ${method} does not exist` } : null,
    )
  })
  afterAll(async () => {
    for (const server of [pruned, withoutDebug]) {
      server.closeAllConnections()
      server.close()
    }
    await node.close()
  })

  const compared = (folder: string, nodeUrl: string, sample = 1_000) =>
    verifyLake({ lake: { folder }, fast: true, node: { nodeUrl, sample } })
  const said = ({ remarks }: Awaited<ReturnType<typeof compared>>) => remarks.map(({ message }) => message).join('\n')

  test('traces, balances, nonces, codes, slots, calls and tokens are those of the node', async () => {
    const report = await compared(lake, node.url)
    expect(report.findings).toEqual([])
    const requested = said(report)
    for (const [method, count] of [
      ['debug_traceBlockByNumber', 121],
      ['debug_traceBlockByNumber with diffMode', 121],
      ['eth_getBalance', 4 * 13],
      ['eth_getTransactionCount', 4 * 13],
      ['eth_getCode', 3 * 13],
      ['eth_getStorageAt', 3 * 13],
      // Three calls of three contracts, and three tokens at two blocks.
      ['eth_call', 9 * 13 + 6],
    ])
      expect(requested).toContain(`${method} of chain 43112 (${count})`)
    expect(said(await compared(lake, node.url, 7))).toContain('eth_call of chain 43112 (13)')
  })

  test('the same rows are compared with the JSON-RPC of the chain', async () => {
    const rpc = { nodeUrl: `${node.url}/ext/bc/C/rpc`, sample: 20 }
    const report = await verifyLake({ lake: { folder: lake }, fast: true, rpc })
    expect(report.findings).toEqual([])
    for (const method of ['debug_traceBlockByNumber', 'eth_getBalance'])
      expect(said(report)).toContain(`${method} of chain 43112 (20)`)
  })

  const plus = (row: Row, column: string) => ({ ...row, [column]: row[column] + 1n })
  test.each<[string, string, (row: Row) => Row]>([
    ['evm_traces', 'gas_used', (row) => plus(row, 'gas_used')],
    ['evm_nonce_changes', 'nonce_after', (row) => plus(row, 'nonce_after')],
    ['evm_balance_changes', 'balance_after', (row) => plus(row, 'balance_after')],
    ['evm_balances', 'balance', (row) => plus(row, 'balance')],
    ['evm_nonces', 'nonce', (row) => plus(row, 'nonce')],
    ['evm_codes', 'code', (row) => ({ ...row, code: new Uint8Array([1]) })],
    ['evm_storage', 'slot_value', (row) => ({ ...row, slot_value: `0x${'7'.repeat(64)}` })],
    ['evm_calls', 'status', (row) => ({ ...row, status: 'no_code' })],
    ['evm_tokens', 'symbol', (row) => ({ ...row, symbol: 'LIE' })],
  ])('a wrong row of %s is named with both values', async (table, column, change) => {
    const damaged = copyOf(lake)
    const [file = ''] = await filesOf(damaged, table)
    await rewriteFile(damaged, file, ([first, ...others]) => [change(first!), ...others])
    const { findings } = await compared(damaged, node.url)
    expect(findings).toEqual([
      expect.objectContaining({ kind: 'source.different', table, columns: [column], expected: expect.any(String) }),
    ])
  })

  test('a row that is missing in a file is named without a node, by the count that the commit recorded', async () => {
    const damaged = copyOf(lake)
    const changes = ['traces', 'balance_changes', 'nonce_changes', 'code_changes', 'storage_changes', 'state_reads']
    const state = ['balances', 'nonces', 'codes', 'storage', 'calls', 'tokens']
    const tables = [...changes, ...state].map((name) => `evm_${name}`)
    const files = await Promise.all(tables.map(async (table) => (await filesOf(damaged, table))[0] ?? ''))
    await rewriteFiles(
      damaged,
      files.map((path) => ({ path, change: ([, ...others]) => others, keepsCount: true })),
    )
    const { findings } = await verifyLake({ lake: { folder: damaged }, fast: true })
    const named = findings.filter(({ kind, rows }) => kind === 'catalog.rows' && rows === 1)
    expect(named.flatMap(({ file }) => file ?? []).sort()).toEqual(files.sort())
  })

  test('state that a pruned node no longer has is no finding', async () => {
    const report = await compared(lake, urlOf(pruned))
    expect(report.findings).toEqual([])
    const text = said(report)
    expect(text).toContain(
      'Not compared with the node: 24 of 52 sampled rows of evm_balances of chain 43112, because the node no longer has the state of blocks between 0 and 50. An archive node has it.',
    )
    expect(text).toContain('59 of 121 sampled blocks of local/evm-traces/43112')
    expect(text).toContain('59 of 121 sampled blocks of local/evm-state-diffs/43112')
    for (const table of ['evm_nonces', 'evm_codes', 'evm_storage', 'evm_calls', 'evm_tokens'])
      expect(text).toContain(`sampled rows of ${table} of chain 43112, because`)
    const damaged = copyOf(lake)
    for (const file of await filesOf(damaged, 'evm_balances'))
      await rewriteFile(damaged, file, (rows) => rows.map((row) => plus(row, 'balance')))
    expect((await compared(damaged, urlOf(pruned))).findings).toHaveLength(28)
  })

  test('a method that the node does not have is reported, and state is compared', async () => {
    const report = await compared(lake, urlOf(withoutDebug))
    expect(report.findings).toEqual([])
    expect(said(report)).toContain('Skipped: the node does not have debug_traceBlockByNumber of chain 43112')
    expect(said(report)).toContain('eth_getBalance of chain 43112 (52)')
  })

  test('transactions of a pool are observations, which no node can repeat', async () => {
    const { unverifiable } = await verifyLake({ lake: { folder: lake } })
    expect(unverifiable).toContainEqual(
      expect.objectContaining({ table: 'node_txpool', reason: expect.stringContaining('reported them at the time') }),
    )
  })

  test('a chain without blocks, traces and state is refused', async () => {
    const other = newLake()
    await exportLake({ node, lake: other, jobs: [jobOf(pBlocksPipeline)] })
    expect(await chainlake(['verify', '--lake', other, '--fast', '--rpc', `${node.url}/ext/bc/C/rpc`])).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('neither traces nor state'),
    })
  })
})
