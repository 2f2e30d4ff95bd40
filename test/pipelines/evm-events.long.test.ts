import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as AbiEvent from 'ox/AbiEvent'
import * as AbiParameters from 'ox/AbiParameters'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { tokenContracts } from '../../devnet/c/contracts.ts'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { evmEventsPipeline } from '../../pipelines/evm-events.ts'
import { command, newLake, query, strayFiles } from '../run/lake-run.ts'
import { filesOf, rewriteFile } from '../verify/rewrite-file.ts'
import { temporaryFolder } from '../views/test-lake.ts'
import { contracts, endNodes, granite, logsOf, ofBlocks, ofLogs, run, serve } from './evm-log-runs.ts'

afterEach(endNodes)

const transfer = 'event Transfer(address indexed from, address indexed to, uint256 value)'
const approval = 'event Approval(address indexed owner, address indexed spender, uint256 value)'

const transferTopic = AbiEvent.getSelector(transfer)
/** The parameters of an event without its name. */
const inputsOf = (event: string): string => event.slice(event.indexOf('(') + 1, -1)

/** Rows of the tables of events, in order; fails on duplicate keys and stray files. */
async function rowsOf(lake: string, tables: readonly string[] = ['evm_event_transfer']) {
  const found: Record<string, unknown> = {}
  for (const table of tables) {
    const rows = await query(lake, `SELECT * FROM ${table} ORDER BY block_number, log_index`)
    expect(new Set(rows.map((row) => `${row['block_number']} ${row['log_index']}`)).size).toBe(rows.length)
    found[table] = rows
  }
  const failures = await query(lake, 'SELECT * FROM evm_event_failures ORDER BY ALL')
  expect(await strayFiles(lake)).toEqual([])
  return { ...found, failures }
}

describe('evm-events of a recorded chain', () => {
  test('stores each row once when runs with other contracts are concurrent, of a node that refuses requests', async () => {
    const [lake, whole] = [newLake(), newLake()]
    const node = await serve({
      refuse: () => (Math.random() < 0.1 ? { status: 503, body: 'busy' } : undefined),
    })
    const of = (values: object) => ({ pipeline: evmEventsPipeline, values: { events: [transfer], ...values } })
    await run(whole, node, of({}))
    await run(lake, node, of({ to: 1 }))
    await Promise.all([
      run(lake, node, of({ contracts: contracts.slice(0, 5) })),
      run(lake, node, of({ contracts: contracts.slice(5) })),
      run(lake, node, of({ from: 50 })),
    ])
    await run(lake, node, of({}))
    expect(await rowsOf(lake)).toEqual(await rowsOf(whole))
  })

  test('requests windows again that a node refuses because they are too long', async () => {
    const [lake, whole] = [newLake(), newLake()]
    const plain = await serve()
    const node = await serve({
      interfere: ({ method, params: [filter] }) =>
        method === 'eth_getLogs' && Number(filter.toBlock) - Number(filter.fromBlock) >= 20
          ? { error: { code: -32000, message: 'requested too many blocks, maximum is set to 20' } }
          : undefined,
    })
    const of = (values: object) => ({ pipeline: evmEventsPipeline, values: { events: [transfer], ...values } })
    await run(whole, plain, of({ contracts }))
    await run(lake, node, of({ contracts }))
    expect(await rowsOf(lake)).toEqual(await rowsOf(whole))
  })
})

describe('evm-events of the simulated network', () => {
  let node: Devnet
  const tokens = tokenContracts.map(({ address }) => address)
  beforeAll(async () => {
    node = await startDevnet({ seed: 31, blocks: 300, mostLogBlocks: 48 })
  })
  afterAll(() => node.close())

  const argumentsOf = (lake: string, pipeline: string, ...more: string[]) => [
    'run',
    pipeline,
    ...more,
    ...['--node-url', node.url, '--lake', lake, '--log-level', 'error'],
  ]
  const quietly = async (lake: string, pipeline: string, ...more: string[]): Promise<void> => {
    const { code, stderr } = await command(argumentsOf(lake, pipeline, ...more))
    expect(code, stderr).toBe(0)
  }
  const verify = (lake: string) => command(['verify', '--lake', lake, '--json'])

  test('leaves each row once after many kills', async () => {
    const [whole, lake] = [newLake(), newLake()]
    const events = ['--events', `${transfer},${approval}`]
    const tables = ['evm_event_transfer', 'evm_event_approval']
    await quietly(whole, 'evm-events', ...events)
    // The logs of some blocks are in the lake.
    await quietly(lake, 'evm-blocks', '--from', '60', '--to', '130')
    await quietly(lake, 'evm-logs', '--topics', transferTopic, '--from', '130', '--to', '140')
    const few = ['--contracts', tokens.slice(0, 3).join(',')]
    const deaths: [string, readonly string[]][] = [
      ['fetch.after#2', few],
      ['write.after-fsync', [...few, '--to', '170']],
      ['commit.after-coverage', [...few, '--to', '170']],
      ['commit.after-commit', [...few, '--to', '170']],
      ['commit.after-files', ['--contracts', tokens.slice(1).join(',')]],
      ['commit.after-close', []],
    ]
    for (const [point, more] of deaths) {
      const args = argumentsOf(lake, 'evm-events', ...events, ...more)
      const { signal, stderr } = await command(args, { CHAINLAKE_DIE_AT: point })
      expect({ point, signal }, stderr).toEqual({ point, signal: 'SIGKILL' })
    }
    await quietly(lake, 'evm-events', ...events, '--contracts', tokens.join(','))
    await quietly(lake, 'evm-events', ...events)
    expect(await rowsOf(lake, tables)).toEqual(await rowsOf(whole, tables))
    expect((await verify(lake)).code).toBe(0)
  })

  test('has the ERC-20 transfers of evm-blocks, and verify decodes them again', async () => {
    const lake = newLake()
    const abi = join(temporaryFolder('abi'), 'token.json')
    const address = (name: string, indexed = true) => ({ name, type: 'address', indexed })
    const value = { name: 'value', type: 'uint256', indexed: false }
    const items = [
      { type: 'function', name: 'transfer' },
      { type: 'event', name: 'Transfer', inputs: [address('from'), address('to'), value] },
      { type: 'event', name: 'Approval', inputs: [address('owner'), address('spender'), value] },
    ]
    writeFileSync(abi, JSON.stringify({ abi: items }))
    await quietly(lake, 'evm-blocks')
    await quietly(lake, 'evm-events', '--abi', abi, '--contracts', tokens.join(','))
    const moved = (sql: string) => query(lake, `SELECT * FROM (${sql}) ORDER BY ALL`)
    const columns = 'block_number, block_time, transaction_hash, log_index'
    const rows = await moved(`SELECT ${columns}, contract, "from", "to", value_raw, value FROM evm_event_transfer`)
    expect(rows.length).toBeGreaterThan(20)
    expect(rows).toEqual(
      await moved(
        `SELECT ${columns}, token_address AS contract, from_address AS "from", to_address AS "to", amount_raw AS value_raw, amount AS value
         FROM evm_token_transfers WHERE standard = 'erc20'`,
      ),
    )
    const { code, stdout } = await verify(lake)
    expect(code, stdout).toBe(0)

    const [path] = await filesOf(lake, 'evm_event_transfer')
    await rewriteFile(lake, path!, ([first, ...others]) => [{ ...first, to: first!['from'] }, ...others.slice(1)])
    const altered = await verify(lake)
    expect(altered.code).toBe(6)
    const { findings } = JSON.parse(altered.stdout) as {
      findings: { kind: string; table: string; columns?: string[] }[]
    }
    expect(findings).toMatchObject([
      { kind: 'rows.value', table: 'evm_event_transfer', columns: ['to'] },
      { kind: 'rows.missing', table: 'evm_event_transfer' },
    ])
  })

  test('reads the events of damaged files again after a repair', async () => {
    const lake = newLake()
    const events = ['evm-events', '--events', transfer, '--contracts', tokens.join(',')] as const
    await quietly(lake, ...events)
    const before = await rowsOf(lake)
    const damaged = await filesOf(lake, 'evm_event_transfer')
    for (const path of damaged) truncateSync(join(lake, path), 10)
    expect((await verify(lake)).code).toBe(6)
    const { code, stderr } = await command(['repair', '--lake', lake])
    expect(code, stderr).toBe(0)
    expect((await query(lake, 'SELECT count(*)::INT AS rows FROM evm_event_transfer'))[0]).toEqual({ rows: 0 })
    await quietly(lake, ...events)
    expect(await rowsOf(lake)).toEqual(before)
    expect((await verify(lake)).code).toBe(0)
  })

  test('refuses another event in a table of the lake', async () => {
    const lake = newLake()
    await quietly(lake, 'evm-events', '--events', transfer, '--to', '50')
    const other = 'event Transfer(address indexed from, address indexed to, uint256 indexed value)'
    const { code, stderr } = await command(argumentsOf(lake, 'evm-events', '--events', other))
    expect(stderr).toContain('The meaning of table evm_event_transfer in the lake differs from the declared one.')
    expect(stderr).toContain('the parameter table')
    expect(code).toBe(4)
    await quietly(lake, 'evm-events', '--events', other, '--table', 'evm_event_transfer_nft')
    await quietly(lake, 'evm-events', '--events', approval)
  })
})

describe('evm-events with nested parameters', () => {
  const made =
    'event Made((uint256 amount, (bytes data, string text)[] parts) whole, uint8[2][] pairs, bytes[] blobs, int256 change, bool[] flags, uint64 big)'

  test('stores lists and structs, which verify decodes again and compaction keeps', async () => {
    const lake = newLake()
    const chain = structuredClone(granite)
    const changed = logsOf(chain).filter(({ topics }) => topics.length === 3 && topics[0] === transferTopic)
    const data = AbiParameters.encode(
      AbiParameters.from(inputsOf(made)) as never,
      [
        {
          amount: 2n ** 255n,
          parts: [
            { data: '0x0102', text: 'é' },
            { data: '0x', text: '' },
          ],
        },
        [
          [1, 2],
          [3, 255],
        ],
        ['0xff', '0x'],
        -5n,
        [true, false],
        2n ** 64n - 1n,
      ] as never,
    )
    const topic = AbiEvent.getSelector(made)
    for (const log of changed) Object.assign(log, { topics: [topic], data })
    const node = await serve({}, chain)
    const of = (values: object) => ({ pipeline: evmEventsPipeline, values: { events: [made], ...values } })
    await run(lake, node, ofLogs(), of({ to: 100 }))
    await run(lake, node, of({}))
    const shown = () =>
      query(
        lake,
        'SELECT DISTINCT whole::VARCHAR AS whole, pairs::VARCHAR AS pairs, blobs::VARCHAR AS blobs, change_raw, change, flags::VARCHAR AS flags, big::VARCHAR AS big, count(*)::INT AS rows FROM evm_event_made GROUP BY ALL',
      )
    const expected = [
      {
        whole: `{'amount': ${2n ** 255n}, 'parts': [{'data': \\x01\\x02, 'text': é}, {'data': '', 'text': ''}]}`,
        pairs: '[[1, 2], [3, 255]]',
        blobs: "[\\xFF, '']",
        change_raw: '-5',
        change: '-5',
        flags: '[true, false]',
        big: String(2n ** 64n - 1n),
        rows: changed.length,
      },
    ]
    expect(await shown()).toEqual(expected)
    const { code: compacted, stderr } = await command(['compact', '--lake', lake])
    expect(compacted, stderr).toBe(0)
    expect(await shown()).toEqual(expected)
    const { code, stdout } = await command(['verify', '--lake', lake, '--json'])
    expect(code, stdout).toBe(0)
  })
})

test('verify decodes the rows of an anonymous event again from the logs of the lake', async () => {
  const lake = newLake()
  const node = await serve()
  const moved = 'event Moved(bytes32 indexed kind, address indexed from, address indexed to, uint256 value) anonymous'
  const events = { events: ['Moved'], abi: [moved, approval], contracts: contracts.slice(0, 4) }
  await run(lake, node, ofBlocks(), { pipeline: evmEventsPipeline, values: events })
  const kinds = await query(lake, 'SELECT DISTINCT kind FROM evm_event_moved')
  expect(kinds).toContainEqual({ kind: transferTopic })
  expect(kinds).not.toContainEqual({ kind: AbiEvent.getSelector(approval) })
  const verify = async () => {
    const { code, stdout } = await command(['verify', '--lake', lake, '--json'])
    return { code, findings: (JSON.parse(stdout) as { findings: { kind: string; table: string }[] }).findings }
  }
  expect(await verify()).toEqual({ code: 0, findings: [] })
  const [path] = await filesOf(lake, 'evm_event_moved')
  await rewriteFile(lake, path!, ([first, ...others]) => [{ ...first, to: first!['from'] }, ...others])
  const { code, findings } = await verify()
  expect(code).toBe(6)
  expect(findings).toMatchObject([{ kind: 'rows.value', table: 'evm_event_moved' }])
})
