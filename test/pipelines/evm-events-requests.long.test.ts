import { afterEach, describe, expect, test } from 'vitest'
import { evmEventsPipeline } from '../../pipelines/evm-events.ts'
import type { Facts } from '../../src/define/index.ts'
import { normalise } from '../../src/plan/intervals.ts'
import { newLake, query, strayFiles } from '../run/lake-run.ts'
import type { EvmNode } from '../sources/evm-node.ts'
import {
  callsOf,
  contracts,
  endNodes,
  granite,
  logs,
  logsOf,
  ofBlocks,
  ofLogs,
  rangesOf,
  run,
  serve,
} from './evm-log-runs.ts'

afterEach(endNodes)

const transfer = 'event Transfer(address indexed from, address indexed to, uint256 value)'
const approval = 'event Approval(address indexed owner, address indexed spender, uint256 value)'
const topic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const ofEvents = (values: object) => ({ pipeline: evmEventsPipeline, values: { events: [transfer], ...values } })

/** Logs of the chain that are transfers of ERC-20 tokens. */
const transfers = logs.filter(({ topics }) => topics[0] === topic && topics.length === 3)
const tokens = [...new Set(transfers.map(({ address }) => address as string))]

/** Rows of the table of transfers; fails on duplicate keys and stray files. */
async function rowsOf(lake: string, table = 'evm_event_transfer') {
  const rows = await query(
    lake,
    `SELECT block_number, block_time, transaction_index, transaction_hash, log_index, contract, "from", "to", value_raw, value FROM ${table} ORDER BY ALL`,
  )
  expect(new Set(rows.map((row) => `${row['block_number']} ${row['log_index']}`)).size).toBe(rows.length)
  expect(await strayFiles(lake)).toEqual([])
  return rows
}

/** All columns of the rows and failures, with the rows in order. */
async function wholeRowsOf(lake: string) {
  await rowsOf(lake)
  const tables = ['evm_event_transfer', 'evm_event_failures']
  return Promise.all(tables.map((table) => query(lake, `SELECT * FROM ${table} ORDER BY block_number, log_index`)))
}

/** The slices of blocks whose logs were requested, in order. */
function requestedBlocks(node: EvmNode) {
  const slices = rangesOf(node).map(({ params: [{ fromBlock, toBlock }] }) => ({
    from: Number(fromBlock),
    to: Number(toBlock) + 1,
  }))
  return normalise(slices).map(({ from, to }) => [from, to])
}

describe('evm-events', () => {
  test('has the ERC-20 transfers that evm-blocks stores', async () => {
    const lake = newLake()
    const node = await serve()
    await run(lake, node, ofBlocks(), ofEvents({}))
    const rows = await rowsOf(lake)
    expect(rows.length).toBeGreaterThan(100)
    expect(rows).toEqual(
      await query(
        lake,
        `SELECT block_number, block_time, transaction_index, transaction_hash, log_index, token_address AS contract,
           from_address AS "from", to_address AS "to", amount_raw AS value_raw, amount AS value
         FROM evm_token_transfers WHERE standard = 'erc20' ORDER BY ALL`,
      ),
    )
    expect(await query(lake, 'SELECT * FROM evm_event_failures')).toEqual([])
  })

  test('resumes when the chain has grown, and then has nothing to do', async () => {
    const [lake, whole] = [newLake(), newLake()]
    await run(lake, await serve({}, granite.slice(0, 100)), ofEvents({}))
    const node = await serve()
    await run(lake, node, ofEvents({}))
    await run(whole, node, ofEvents({}))
    expect(await rowsOf(lake)).toEqual(await rowsOf(whole))
    expect(await run(lake, node, ofEvents({}))).toMatchObject([{ upToDate: true }])
  })

  test('reads only a new contract and a new event, and nothing where any contract was read', async () => {
    const lake = newLake()
    const node = await serve()
    const [first, second] = tokens as [string, string]
    await run(lake, node, ofEvents({ contracts: [first] }))
    const before = rangesOf(node).length
    await run(lake, node, ofEvents({ contracts: [first.toUpperCase().replace('0X', '0x'), second] }))
    await run(lake, node, ofEvents({ contracts: [first], events: [transfer, approval] }))
    const requested = rangesOf(node).slice(before)
    expect(
      requested.filter(({ params: [{ address, topics }] }) => address.includes(first) && topics[0].includes(topic)),
    ).toEqual([])
    expect(requested.some(({ params: [{ address }] }) => address.includes(second))).toBe(true)
    expect((await rowsOf(lake)).length).toBe(
      transfers.filter(({ address }) => [first, second].includes(address)).length,
    )
    await run(lake, node, ofEvents({}))
    expect((await rowsOf(lake)).length).toBe(transfers.length)
    expect(await run(lake, node, ofEvents({ contracts: [tokens[2]] }))).toMatchObject([{ upToDate: true }])
  })

  test('requests no logs of blocks that evm-blocks has stored, and has the same rows', async () => {
    const [lake, whole] = [newLake(), newLake()]
    const [plain, node] = [await serve(), await serve()]
    await run(whole, plain, ofEvents({}))
    await run(lake, plain, ofBlocks({ from: 20, to: 90 }), ofBlocks({ from: 120, to: 150 }))
    await run(lake, node, ofEvents({}))
    expect(requestedBlocks(node)).toEqual([
      [0, 20],
      [90, 120],
      [150, granite.length],
    ])
    expect(await wholeRowsOf(lake)).toEqual(await wholeRowsOf(whole))
    expect(await run(lake, node, ofEvents({}))).toMatchObject([{ upToDate: true }])
  })

  test('requests no logs that evm-logs has stored for these contracts and topics', async () => {
    const [lake, whole] = [newLake(), newLake()]
    const [plain, node] = [await serve(), await serve()]
    const wanted = tokens.slice(0, 4)
    await run(whole, plain, ofEvents({ contracts: wanted }))
    await run(
      lake,
      plain,
      // A filter with more and with fewer contracts, one with the same long list, and filters that logs of the event may not pass.
      ofLogs({ topics: [topic], to: 30 }),
      ofLogs({ contracts: wanted.slice(0, 2), from: 30, to: 60 }),
      ofLogs({ contracts: wanted, topics: [topic], from: 60, to: 90 }),
      ofLogs({ topics: [`0x${'ab'.repeat(32)}`], from: 90 }),
      ofLogs({ topics: [topic], 'second-topics': [`0x${'00'.repeat(32)}`], from: 90 }),
    )
    await run(lake, node, ofEvents({ contracts: wanted }))
    expect(requestedBlocks(node)).toEqual([
      [30, 60],
      [90, granite.length],
    ])
    const [first, second] = rangesOf(node)
    expect(first!.params[0].address.toSorted()).toEqual(wanted.slice(2).toSorted())
    expect(second!.params[0].address.toSorted()).toEqual(wanted.toSorted())
    expect(await wholeRowsOf(lake)).toEqual(await wholeRowsOf(whole))
  })

  test('stores data that the ABI does not allow as failures, with the raw log', async () => {
    const lake = newLake()
    const chain = structuredClone(granite)
    const changed = logsOf(chain).filter(({ topics }) => topics[0] === topic && topics.length === 3)
    changed[0].data = changed[0].data.slice(0, -2)
    changed[1].data += '00'
    changed[2].topics[1] = `0x01${changed[2].topics[1].slice(4)}`
    await run(lake, await serve({}, chain), ofBlocks(), ofEvents({ table: 'transfers' }))
    const [rows] = await query(lake, 'SELECT count(*)::INT AS rows FROM transfers')
    expect(rows).toEqual({ rows: transfers.length - 3 })
    const failures = await query(
      lake,
      `SELECT table_name, reason, parameter, f.contract = l.address AND f.topic1 = l.topic1 AND f.data = l.data AS same
       FROM evm_event_failures f JOIN evm_logs l USING (network, chain_id, block_number, log_index) ORDER BY block_number, log_index`,
    )
    expect(failures).toEqual([
      { table_name: 'transfers', reason: 'short_data', parameter: null, same: true },
      { table_name: 'transfers', reason: 'trailing_data', parameter: null, same: true },
      { table_name: 'transfers', reason: 'dirty_padding', parameter: 'from', same: true },
    ])
  })

  test('requests the logs of many contracts together', async () => {
    const lake = newLake()
    const node = await serve()
    const [job] = await run(lake, node, ofEvents({ contracts: tokens }))
    expect(rangesOf(node).map(({ params: [{ address }] }) => address)).toEqual([tokens.toSorted()])
    expect(job).toMatchObject({ streams: tokens.length })
    const rows = await rowsOf(lake)
    expect(rows.length).toBe(transfers.length)
    expect(await run(lake, node, ofEvents({ contracts: tokens }))).toMatchObject([{ upToDate: true }])
  })

  test('requests the logs of several events together, and stores the rows of each', async () => {
    const [lake, apart] = [newLake(), newLake()]
    const node = await serve()
    const events = [transfer, approval]
    const tables = ['evm_event_transfer', 'evm_event_approval']
    const wanted = (at: string) =>
      Promise.all(tables.map((table) => query(at, `SELECT * FROM ${table} ORDER BY block_number, log_index`)))
    await run(apart, await serve(), ...events.map((event) => ofEvents({ events: [event], contracts: tokens })))
    // The run continues where the events were read up to different blocks.
    await run(lake, await serve(), ofEvents({ contracts: tokens, to: 40 }))
    await run(lake, node, ofEvents({ contracts: tokens, events }))
    const requested = rangesOf(node).map(({ params: [{ fromBlock, toBlock, topics }] }) => ({
      blocks: [Number(fromBlock), Number(toBlock) + 1],
      events: topics[0].length,
    }))
    expect(requested).toEqual([
      { blocks: [0, 40], events: 1 },
      { blocks: [40, granite.length], events: 2 },
    ])
    // Once for all events, and once for the block that identifies the chain.
    expect(callsOf(node, 'eth_getBlockByNumber').filter(({ params: [tag] }) => tag === 'finalized')).toHaveLength(2)
    const rows = await wanted(lake)
    expect(rows.map(({ length }) => length > 0)).toEqual([true, true])
    expect(rows).toEqual(await wanted(apart))
    expect(await strayFiles(lake)).toEqual([])
    expect(await run(lake, node, ofEvents({ contracts: tokens, events }))).toMatchObject([{ upToDate: true }])
  })

  test('takes the events of an ABI by name', async () => {
    const lake = newLake()
    const node = await serve()
    const abi = [transfer, approval]
    await run(lake, node, ofEvents({ events: ['Transfer'], abi, contracts: contracts.slice(0, 2), to: 50 }))
    expect(
      await query(
        lake,
        "SELECT table_name FROM information_schema.tables WHERE table_schema = 'main' AND table_name LIKE 'evm_event_%' ORDER BY ALL",
      ),
    ).toEqual([{ table_name: 'evm_event_failures' }, { table_name: 'evm_event_transfer' }])
  })
})

describe('a job of evm-events', () => {
  const streams = (values: object) => evmEventsPipeline.streams(values as never, {} as Facts)

  test.each([
    ['no event', {}, 'The job names no event.'],
    ['a name without an ABI', { events: ['Swap'] }, 'The job has no ABI with an event Swap.'],
    ['a name that its ABI does not have', { events: ['Swap'], abi: [transfer] }, 'The ABI has no event Swap.'],
    ['a malformed event', { events: ['event Swap(uint7 a)'] }, 'events[0] is no signature'],
    [
      'two events of one name',
      { events: [transfer, 'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)'] },
      'Two events would fill the table evm_event_transfer: Transfer(address indexed, address indexed, uint256) and Transfer(address indexed, address indexed, uint256 indexed).',
    ],
    [
      'a table for two events',
      { events: ['event A()', 'event B()'], table: 'ab' },
      'table names the table of one event',
    ],
    [
      'an anonymous event of any contract',
      { events: ['event A() anonymous'] },
      'The anonymous event A() anonymous has no topic',
    ],
    ['an empty range', { events: ['event A()'], from: 5, to: 5 }, 'The range from 5 to 5 is empty'],
    ['the table of something else', { events: ['event A()'], table: 'evm_logs' }, 'evm_logs is a table of chainlake'],
    ['a table with the name of a view', { events: ['event A()'], table: 'a_latest' }, 'must not end in _latest'],
    [
      'a table with the name of a derived view',
      { events: ['event A()'], table: 'p_stakers' },
      'is a view of chainlake',
    ],
    ['the view of the lake itself', { events: ['event A()'], table: 'chainlake_lake' }, 'is a view of chainlake'],
    [
      'an event with the table of failures',
      { events: ['event Failures()'] },
      'evm_event_failures is a table of chainlake',
    ],
  ])('is refused before any request: %s', async (_, values, message) => {
    await expect(streams(values)).rejects.toThrow(message)
  })
})
