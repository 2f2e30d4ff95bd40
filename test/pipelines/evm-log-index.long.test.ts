import { afterEach, describe, expect, test } from 'vitest'
import { evmEventsPipeline } from '../../pipelines/evm-events.ts'
import type { ChainlakeError } from '../../src/errors.ts'
import { newLake, query } from '../run/lake-run.ts'
import type { EvmNodeOptions } from '../sources/evm-node.ts'
import { contracts, endNodes, granite, logsOf, ofBlocks, ofLogs, rowsOf, run, serve } from './evm-log-runs.ts'

afterEach(endNodes)

type Chain = typeof granite

/** Enough blocks with logs of several transactions. */
const recorded = granite.slice(0, 90)

/** The recorded chain with other log indices. */
function indexed(indexOf: (inBlock: number, inTransaction: number) => number): Chain {
  return recorded.map(({ block, receipts }) => {
    let inBlock = 0
    const changed = receipts.map((receipt) => ({
      ...receipt,
      logs: receipt.logs.map((log: object, at: number) => ({ ...log, logIndex: hex(indexOf(inBlock++, at)) })),
    }))
    return { block, receipts: changed }
  })
}

const hex = (number: number) => `0x${number.toString(16)}`

/** Some chains count logs within the transaction; Cronos counts those of reverted calls, which leaves gaps. */
const byTransaction = indexed((_, at) => at)
const withGaps = indexed((at) => 3 * at + 1)

/** A node of which the answers to eth_getLogs and to eth_getBlockReceipts number the same logs differently. */
const otherReceipts: EvmNodeOptions = {
  interfere: ({ method, params: [number] }) =>
    method === 'eth_getBlockReceipts'
      ? { result: byTransaction.find(({ block }) => block.number === number)!.receipts }
      : undefined,
}

/** Three filters that together pass every log. */
const thirds = [0, 1, 2].map((third) => contracts.filter((_, at) => at % 3 === third))
const ofEvents = (values: object) => ({
  pipeline: evmEventsPipeline,
  values: { events: ['event Transfer(address indexed from, address indexed to, uint256 value)'], ...values },
})
const placed = `SELECT block_number::INT AS block, transaction_index::INT AS transaction, log_index::INT AS index, address
  FROM evm_logs ORDER BY ALL`
const placesIn = (chain: Chain) =>
  logsOf(chain).map((log) => ({
    block: Number(log.blockNumber),
    transaction: Number(log.transactionIndex),
    index: Number(log.logIndex),
    address: log.address,
  }))

async function failureOf(attempt: Promise<unknown>): Promise<ChainlakeError> {
  return attempt.then(
    () => expect.fail('the run succeeded'),
    (error: unknown) => error as ChainlakeError,
  )
}

describe.each([
  ['within the transaction', byTransaction],
  ['with gaps', withGaps],
])('logs that a chain counts %s', (_, chain) => {
  test('are stored once by evm-blocks, with their indices, and by evm-logs with several filters', async () => {
    const [whole, parts] = [newLake(), newLake()]
    const node = await serve({}, chain)
    await run(whole, node, ofBlocks())
    expect(await query(whole, placed)).toEqual(placesIn(chain))
    // The blocks are read in between: rows that the lake has are known, whichever pipeline comes first.
    for (const third of thirds.slice(0, 2)) await run(parts, node, ofLogs({ contracts: third }))
    await run(parts, node, ofBlocks({ from: 10, to: 60 }), ofLogs())
    expect(await rowsOf(parts)).toEqual(await rowsOf(whole))
  })
})

test('logs that a chain counts within the transaction are events of one contract after another, from the node and from the lake', async () => {
  const [one, other] = [newLake(), newLake()]
  const node = await serve({}, byTransaction)
  const transfers = 'SELECT * FROM evm_event_transfer ORDER BY ALL'
  for (const third of thirds.slice(0, 2)) await run(one, node, ofEvents({ contracts: third }))
  await run(one, node, ofEvents({}))
  await run(other, node, ofBlocks(), ofEvents({}))
  const rows = await query(other, transfers)
  expect(rows.length).toBeGreaterThan(10)
  expect(await query(one, transfers)).toEqual(rows)
})

test('the recorded chain has logs of several transactions in one block, which the position in the transaction confuses', () => {
  const places = placesIn(byTransaction).map(({ block, index }) => `${block} ${index}`)
  expect(new Set(places).size).toBeLessThan(places.length)
})

describe('a source that disagrees with the lake', () => {
  test('is refused when it numbers the same logs differently', async () => {
    const lake = newLake()
    const node = await serve(otherReceipts, recorded)
    await run(lake, node, ofLogs({ contracts: thirds[0]! }))
    const before = await rowsOf(lake)
    const failure = await failureOf(run(lake, node, ofBlocks()))
    expect(failure).toMatchObject({ code: 'decode.other-number', exitCode: 4 })
    expect(failure.details).toMatchObject({ table: 'evm_logs', column: 'log_index' })
    expect(await rowsOf(lake)).toEqual(before)
  })

  test('is refused when a row under a known key has other values, and the row and its column are named', async () => {
    const lake = newLake()
    await run(lake, await serve({}, recorded), ofLogs({ contracts: thirds[1]! }))
    const before = await rowsOf(lake)
    const log = logsOf(recorded).find(({ address }) => thirds[1]!.includes(address))
    const other = indexed((at) => at)
    const changed = logsOf(other).find(
      (each) => each.transactionHash === log.transactionHash && each.logIndex === log.logIndex,
    )
    changed.data = `0x${'77'.repeat(32)}`
    const failure = await failureOf(run(lake, await serve({}, other), ofBlocks()))
    expect(failure).toMatchObject({ code: 'decode.known-row', exitCode: 4 })
    expect(failure.details).toMatchObject({
      table: 'evm_logs',
      'differs in': 'data',
      'from the source': '77'.repeat(32),
    })
    expect(failure.details['key']).toContain(`block_number=${Number(log.blockNumber)} `)
    expect(await rowsOf(lake)).toEqual(before)
  })
})
