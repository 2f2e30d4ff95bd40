import { afterEach, describe, expect, test } from 'vitest'
import { evmBalancesPipeline } from '../../pipelines/evm-balances.ts'
import { evmCodesPipeline } from '../../pipelines/evm-codes.ts'
import { evmNoncesPipeline } from '../../pipelines/evm-nonces.ts'
import { evmStoragePipeline } from '../../pipelines/evm-storage.ts'
import type { Pipeline } from '../../src/define/index.ts'
import {
  recordedAccounts,
  recordedBlocks,
  type StateNodeOptions,
  startStateNode,
  stateCalls,
} from '../recorded-state.ts'
import { newLake, query, strayFiles } from '../run/lake-run.ts'
import { runState } from './state-runs.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

async function serve(options: StateNodeOptions = {}) {
  const node = await startStateNode(options)
  cleanups.push(node.close)
  return node
}

const blocks = recordedBlocks.map(String)

describe('the state of a recorded chain at listed blocks', () => {
  const cases: [string, Pipeline, string, (row: any) => string][] = [
    [
      'evm_balances',
      evmBalancesPipeline,
      'eth_getBalance',
      ({ balance_raw }) => `0x${BigInt(balance_raw).toString(16)}`,
    ],
    ['evm_nonces', evmNoncesPipeline, 'eth_getTransactionCount', ({ nonce }) => `0x${BigInt(nonce).toString(16)}`],
    ['evm_codes', evmCodesPipeline, 'eth_getCode', ({ code }) => code],
  ]

  test.each(cases)('%s has what the node said, for each account and block', async (table, pipeline, method, said) => {
    const [lake, node] = [newLake(), await serve()]
    await runState(lake, node.url, [[pipeline, { addresses: recordedAccounts, blocks }]])
    const columns = table === 'evm_codes' ? "* REPLACE ('0x' || lower(hex(code)) AS code)" : '*'
    const rows = await query(lake, `SELECT ${columns} FROM ${table}`)
    expect(rows.length).toBe(420)
    const found = new Map(rows.map((row) => [`${row['address']} ${Number(row['block_number'])}`, said(row)]))
    expect(found.size).toBe(420)
    const recorded = stateCalls(method).filter(({ params, result }) => result && /^0x/.test(params[1]))
    for (const { params, result } of recorded) expect(found.get(`${params[0]} ${Number(params[1])}`)).toBe(result)
    const before = node.requested().length
    expect(await runState(lake, node.url, [[pipeline, { addresses: recordedAccounts, blocks }]])).toMatchObject([
      { upToDate: true },
    ])
    // Only the identity of the chain with the last final block, once for the job and once for the comparison with the lake. The final block is
    // old, so the newest one is requested too.
    expect(node.requested().length - before).toBe(7)
    expect(await strayFiles(lake)).toEqual([])
  })

  test('evm_storage has what the node said, for each slot', async () => {
    const [lake, node] = [newLake(), await serve()]
    const recorded = stateCalls('eth_getStorageAt').filter(({ params }) => params[1].length === 66)
    const slots = new Map<string, Set<string>>()
    for (const { params } of recorded) slots.set(params[0], (slots.get(params[0]) ?? new Set()).add(params[1]))
    const numbers = [...new Set(recorded.map(({ params }) => String(Number(params[2]))))]
    const jobs = [...slots].map(
      ([address, own]) => [evmStoragePipeline, { addresses: [address], slots: [...own], blocks: numbers }] as const,
    )
    await runState(lake, node.url, jobs)
    const rows = await query(lake, 'SELECT address, slot, block_number::INT AS number, slot_value FROM evm_storage')
    expect(rows.length).toBe(240)
    const found = new Map(
      rows.map(({ address, slot, number, slot_value }) => [`${address} ${slot} ${number}`, slot_value]),
    )
    for (const { params, result } of recorded)
      expect(found.get(`${params[0]} ${params[1]} ${Number(params[2])}`)).toBe(result)
  })

  test('is refused before any request where it would be too much, or both a list and a range', async () => {
    const addresses = Array.from({ length: 1001 }, (_, at) => `0x${String(at).padStart(40, '0')}`)
    const many = Array.from({ length: 100 }, (_, at) => String(at))
    const node = await serve()
    await expect(runState(newLake(), node.url, [[evmBalancesPipeline, { addresses, blocks: many }]])).rejects.toThrow(
      'that is 100,100 requests, more than 100,000',
    )
    await expect(
      runState(newLake(), node.url, [
        [evmBalancesPipeline, { addresses: addresses.slice(0, 1), blocks: many, from: 3 }],
      ]),
    ).rejects.toThrow('The job has a list of blocks and a range.')
    expect(node.requested()).toEqual([])
  })

  test('is refused for a block that is not final', async () => {
    const node = await serve()
    await expect(
      runState(newLake(), node.url, [[evmBalancesPipeline, { addresses: recordedAccounts, blocks: ['165'] }]]),
    ).rejects.toThrow('Block 165 is not final yet: the last final block is 164.')
  })

  test('comes with a warning where the final block stands still', async () => {
    const node = await serve({
      interfere: ({ params }, said) => {
        if (params[0] !== 'latest' || !('result' in said)) return undefined
        const newest = said.result as { timestamp: string }
        const timestamp = `0x${(Number(newest.timestamp) + 200_000).toString(16)}`
        return { result: { ...newest, timestamp, timestampMilliseconds: undefined } }
      },
    })
    const warnings: string[] = []
    const some = { addresses: recordedAccounts.slice(0, 1), blocks: blocks.slice(0, 1) }
    await runState(newLake(), node.url, [[evmBalancesPipeline, some]], (event) => {
      if (event.kind === 'warning') warnings.push(event.message)
    })
    expect(warnings).toEqual([expect.stringContaining('block 164 is its last final block, 0 blocks and 2 days below')])
  })

  test('keeps what was read when the node has no state of a block, and says so', async () => {
    const error = stateCalls('eth_getBalance', 'pruned').find(({ error }) => error !== undefined)!.error!
    const lake = newLake()
    const node = await serve({
      interfere: ({ method, params }) =>
        method === 'eth_getBalance' && Number(params[1]) === 35 ? { error } : undefined,
    })
    const job = [evmBalancesPipeline, { addresses: recordedAccounts, blocks, 'unit-pages': 28 }] as const
    await expect(runState(lake, node.url, [job])).rejects.toMatchObject({
      code: 'evm.no-state',
      message: expect.stringContaining('no state of block 35'),
    })
    expect(await query(lake, 'SELECT count(*)::INT AS n FROM evm_balances')).toEqual([{ n: 3 * 28 }])
    await runState(lake, (await serve()).url, [job])
    expect(await query(lake, 'SELECT count(*)::INT AS n FROM evm_balances')).toEqual([{ n: 420 }])
  })
})
