import { afterEach, describe, expect, test } from 'vitest'
import { startDevnet, transientFaults } from '../../devnet/serve.ts'
import { evmBlocksPipeline } from '../../pipelines/evm-blocks.ts'
import { evmTracesPipeline } from '../../pipelines/evm-traces.ts'
import type { Pipeline } from '../../src/define/index.ts'
import { OtherSourceError } from '../../src/errors.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { type Frame, type TracedAnswers, tracedAnswers } from '../decode/evm/trace-facts.ts'
import { command, newLake, query, rowSets, strayFiles } from '../run/lake-run.ts'
import { type EvmNodeOptions, startEvmNode } from '../sources/evm-node.ts'
import { filesOf, type Row, rewriteFile } from '../verify/rewrite-file.ts'
import { copyOf } from '../verify/sound-lake.ts'
import { type ChainRun, countRows, runOnChain } from './run-on-chain.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const recorded = tracedAnswers()

async function serve(chain: readonly TracedAnswers[] = recorded, options: EvmNodeOptions = {}) {
  const node = await startEvmNode(chain, options)
  cleanups.push(node.close)
  return node
}

type Run = Omit<ChainRun, 'pipeline'> & { readonly pipeline?: Pipeline }

const run = ({ pipeline = evmTracesPipeline, ...rest }: Run) => runOnChain({ ...rest, pipeline })

/** A lake with the recorded traces, and with their blocks if `pipelines` says so. */
async function recordedLake(...pipelines: readonly Pipeline[]): Promise<string> {
  const { url } = await serve()
  const lake = newLake()
  for (const pipeline of pipelines) await run({ lake, url, pipeline, values: { chain: url } })
  return lake
}

describe('the recorded chain', () => {
  test('gives all calls, internal transfers, created contracts and selectors', async () => {
    const lake = await recordedLake(evmTracesPipeline)
    expect(await countRows(lake, 'evm_traces')).toBe(876)
    expect(await countRows(lake, 'evm_internal_transfers')).toBe(77)
    expect(await countRows(lake, 'evm_contracts_created')).toBe(67)
    expect(await countRows(lake, 'evm_contracts')).toBe(67)
    const selectors = await query(
      lake,
      "SELECT transaction_hash, selector || '-' || argument_bytes AS call, call_count::INT AS n FROM evm_four_byte_counts",
    )
    const found = selectors.map(({ transaction_hash, call, n }) => `${transaction_hash} ${call}: ${n}`)
    expect(found.sort()).toEqual(recorded.flatMap(fourByteCounts).sort())
    // As the tracer 4byteTracer of the same node counts.
    expect(found).toContain('0xcb0fa4e8ef0c10392e45d5a0edda7c82d1e477b5a62410cbe636c0f80171fca4 0xa22cb465-64: 1')
    expect(found).toContain('0xd27e0367b04461e57eb7846454c55c76b61f41aab539869b1aaeee5f73dbb873 0x60806040-1404: 1')
  })

  test('adds contracts that contracts created to those of transactions, each once', async () => {
    const lake = await recordedLake(evmBlocksPipeline)
    const own = await countRows(lake, 'evm_contracts')
    const { url } = await serve()
    await run({ lake, url, values: { chain: url } })
    expect([own, await countRows(lake, 'evm_contracts')]).toEqual([38, 67])
    const twice = 'SELECT 1 FROM evm_contracts GROUP BY transaction_hash, trace_index HAVING count(*) > 1'
    expect(await query(lake, twice)).toEqual([])
    const other = `SELECT 1 FROM evm_contracts JOIN evm_contracts_created USING (network, chain_id, transaction_hash, trace_index)
      WHERE (evm_contracts.contract_address, evm_contracts.creator_address) = (evm_contracts_created.contract_address, evm_contracts_created.creator_address)`
    expect(await query(lake, other)).toHaveLength(67)
  })
})

/** What the tracer 4byteTracer returns, from the calls of a block. */
function fourByteCounts({ traces }: TracedAnswers): string[] {
  return traces.flatMap(({ txHash, result }) => {
    const counts = new Map<string, number>()
    const visit = (frame: Frame, isFirst: boolean): void => {
      const isPrecompiled = BigInt(frame.to ?? 0) <= 0xffffn
      if (frame.input.length >= 10 && (isFirst || (/CALL/.test(frame.type) && !isPrecompiled))) {
        const call = `${frame.input.slice(0, 10)}-${(frame.input.length - 10) / 2}`
        counts.set(call, (counts.get(call) ?? 0) + 1)
      }
      for (const call of frame.calls ?? []) visit(call, false)
    }
    visit(result, true)
    return [...counts].map(([call, n]) => `${txHash} ${call}: ${n}`)
  })
}

describe('a run of evm-traces', () => {
  test('resumes after any stop and stores the same rows, without duplicates', async () => {
    const { url } = await serve()
    const [whole, parts] = [newLake(), newLake()]
    await run({ lake: whole, url, values: { chain: url } })
    await run({ lake: parts, url, values: { chain: url, from: 100, to: 120 } })
    await run({ lake: parts, url, values: { chain: url, to: 110, unit: 16 } })
    await run({ lake: parts, url, values: { chain: url } })
    expect(await rowSets(parts)).toEqual(await rowSets(whole))
    expect(await strayFiles(parts)).toEqual([])
  })

  test('stores nothing of a unit in which the node could not trace a transaction', async () => {
    const why = 'ReferenceError: noSuchTracer is not defined at <eval>:1:2(0)'
    const hashes = recorded[40]!.traces.map(({ txHash }) => txHash)
    const { url } = await serve(recorded, {
      interfere: ({ method, params }) => {
        if (method === 'debug_traceTransaction' && hashes.includes(params[0]))
          return { error: { code: -32000, message: why } }
        return method === 'debug_traceBlockByNumber' && Number(params[0]) === 40
          ? { result: hashes.map((txHash) => ({ txHash, error: why })) }
          : undefined
      },
    })
    const lake = newLake()
    await expect(run({ lake, url, values: { chain: url, unit: 20 } })).rejects.toMatchObject({
      message: expect.stringMatching(
        /^Block 40: debug_trace(Transaction|BlockByNumber) failed: ReferenceError: noSuchTracer/,
      ),
    })
    expect(await countRows(lake, 'evm_traces WHERE block_number >= 40')).toBe(0)
    expect(await countRows(lake, 'evm_traces')).toBeGreaterThan(0)
  })

  test('refuses another chain with the same id, and a block that does not follow its parent', async () => {
    const lake = await recordedLake(evmTracesPipeline)
    const before = await rowSets(lake)
    const forked = recorded.map((each, number) => {
      const { block } = each
      return { ...each, block: { ...block, hash: `0x${'7'.repeat(60)}${String(number).padStart(4, '0')}` } }
    })
    const other = await serve(forked)
    await expect(run({ lake, url: other.url, values: { chain: other.url } })).rejects.toThrow(OtherSourceError)
    expect(await rowSets(lake)).toEqual(before)
    const parent = `0x${'77'.repeat(32)}`
    const broken = await serve(
      recorded.map((each, number) =>
        number === 40 ? { ...each, block: { ...each.block, parentHash: parent } } : each,
      ),
    )
    await expect(run({ lake: newLake(), url: broken.url, values: { chain: broken.url } })).rejects.toMatchObject({
      code: 'catalog.other-source',
      message: expect.stringContaining('Block 40 of evm-traces/43112 does not follow'),
    })
  })
})

describe('the simulated network', () => {
  const values = { unit: 60, finality: 0 }

  test('gives the same rows to runs that are killed, and to runs with faults', async () => {
    const node = await startDevnet({ seed: 7, blocks: 200 })
    cleanups.push(node.close)
    const [quiet, killed, faulty] = [newLake(), newLake(), newLake()]
    await run({ lake: quiet, url: node.url, values })
    const rows = await rowSets(quiet)
    expect(await countRows(quiet, 'evm_internal_transfers')).toBeGreaterThan(0)
    const args = ['run', 'evm-traces', '--node-url', node.url, '--lake', killed, '--unit', '60', '--finality', '0']
    for (const point of ['fetch.after#8', 'write.before-fsync#2', 'commit.after-coverage', 'publish.before']) {
      const { signal, stderr } = await command(args, { CHAINLAKE_DIE_AT: point })
      expect({ point, signal }, stderr).toEqual({ point, signal: 'SIGKILL' })
    }
    await run({ lake: killed, url: node.url, values })
    expect(await rowSets(killed)).toEqual(rows)
    expect(await strayFiles(killed)).toEqual([])
    node.setFaults({ every: 5, kinds: transientFaults, seed: 3 })
    await run({ lake: faulty, url: node.url, values })
    node.setFaults(null)
    expect(await rowSets(faulty)).toEqual(rows)
  })
})

describe('verify', () => {
  const altered = (column: string, value: (row: Row) => unknown, isMeant: (row: Row) => boolean) => (rows: Row[]) =>
    rows.map((row, at) => (at === rows.findIndex(isMeant) ? { ...row, [column]: value(row) } : row))
  const isRoot = ({ depth }: Row) => Number(depth) === 0
  const isInner = ({ trace_address }: Row) => trace_address === '0.1'
  const cases: [string, string, (rows: Row[]) => Row[]][] = [
    [
      'address of a created contract',
      'to_address',
      altered(
        'to_address',
        () => `0x${'ab'.repeat(20)}`,
        (row) => isRoot(row) && row['call_type'] === 'CREATE',
      ),
    ],
    ['status of a receipt', 'reverted', altered('reverted', ({ reverted }) => !reverted, isRoot)],
    ['position', 'trace_index', altered('trace_index', ({ trace_index }) => trace_index + 900, isInner)],
    ['path', 'trace_address', altered('trace_address', () => '0.7', isInner)],
    ['depth', 'depth', altered('depth', () => 1, isInner)],
    ['calls of a call', 'child_count', altered('child_count', () => 7, isInner)],
    ['revert of a call around it', 'reverted', altered('reverted', ({ reverted }) => !reverted, isInner)],
  ]

  test('finds calls that contradict each other or their transactions', async () => {
    const lake = await recordedLake(evmBlocksPipeline, evmTracesPipeline)
    expect((await verifyLake({ lake: { folder: lake } })).findings).toEqual([])
    for (const [name, column, change] of cases) {
      const copy = copyOf(lake)
      for (const file of await filesOf(copy, 'evm_traces')) await rewriteFile(copy, file, change)
      const { findings } = await verifyLake({ lake: { folder: copy } })
      const found = findings.map(({ table, columns }) => `${table}.${columns}`)
      expect(found, name).toContain(`evm_traces.${column}`)
      expect(findings[0], name).toMatchObject({ stream: expect.stringMatching(/evm-traces\/43112$/) })
    }
    // Only of a C-Chain it is certain that the gas of the first call is that of the receipt.
    const other = copyOf(lake)
    const changed = altered('gas_used', ({ gas_used }) => gas_used + 1n, isRoot)
    for (const file of await filesOf(other, 'evm_traces')) await rewriteFile(other, file, changed)
    const { findings: none, remarks } = await verifyLake({ lake: { folder: other } })
    expect(none).toEqual([])
    expect(remarks.filter(({ table }) => table === 'evm_traces')).toMatchObject([
      { message: expect.stringMatching(/gas_used of 1 rows? .*differ/) },
    ])
    const without = copyOf(lake)
    const [file] = await filesOf(without, 'evm_traces')
    await rewriteFile(without, file!, (rows) => rows.slice(1))
    const { findings } = await verifyLake({ lake: { folder: without } })
    expect(findings).toMatchObject([{ kind: 'rows.missing', table: 'evm_traces', otherTable: 'evm_transactions' }])
  })
})
