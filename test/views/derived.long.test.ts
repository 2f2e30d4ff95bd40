import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { pBlocks, pInputs, pOutputs, pTransactions, pValidations } from '../../schemas/p-chain.ts'
import { derivedViews } from '../../schemas/views/index.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { publish, rowsOf, type TestRow, temporaryFolder, writeRows } from './test-lake.ts'

type Transaction = {
  readonly tx_id: string
  readonly tx_type: string
  readonly staked_tx_id?: string
  readonly burned?: number | null
  readonly inputs?: readonly TestRow[]
  readonly outputs?: readonly TestRow[]
  readonly validation?: TestRow
}
type Block = {
  readonly block_type: string
  readonly block_time?: string | null
  readonly wrapper_time?: string | null
  readonly transactions?: readonly Transaction[]
}

/** The rows of consecutive blocks from height 1; the parent of block `b<height>` is the block below. */
function chainRows(network: string, blocks: readonly Block[]) {
  const rows = { blocks: [] as TestRow[], transactions: [] as TestRow[], inputs: [] as TestRow[] }
  const more = { outputs: [] as TestRow[], validations: [] as TestRow[] }
  blocks.forEach(({ transactions = [], ...block }, at) => {
    const height = at + 1
    const shared = { network, height, block_time: block.block_time ?? null }
    const ids = { block_id: `b${height}`, parent_id: `b${height - 1}` }
    rows.blocks.push({ ...shared, ...ids, tx_count: transactions.length, ...block })
    transactions.forEach(({ inputs = [], outputs = [], validation, ...transaction }, tx_index) => {
      const own = { ...shared, tx_index, tx_id: transaction.tx_id }
      rows.transactions.push({
        ...own,
        block_id: ids.block_id,
        input_count: inputs.length,
        output_count: outputs.length,
        ...transaction,
      })
      inputs.forEach((input, input_index) => {
        rows.inputs.push({ ...own, input_index, kind: 'transfer', ...input })
      })
      outputs.forEach((output, output_index) => {
        more.outputs.push({ ...own, output_index, kind: 'transfer', amount: 1, addresses: ['a'], ...output })
      })
      if (validation !== undefined)
        more.validations.push({ ...own, position: 0, tx_type: transaction.tx_type, ...validation })
    })
  })
  return { ...rows, ...more }
}

async function lakeOf(chains: Readonly<Record<string, readonly Block[]>>): Promise<string> {
  const lake = temporaryFolder()
  const files: Record<string, string[]> = {}
  for (const [network, blocks] of Object.entries(chains)) {
    const rows = chainRows(network, blocks)
    for (const [table, found] of [
      [pBlocks, rows.blocks],
      [pTransactions, rows.transactions],
      [pInputs, rows.inputs],
      [pOutputs, rows.outputs],
      [pValidations, rows.validations],
    ] as const) {
      if (found.length === 0) continue
      const path = `data/${table.name}/network=${network}/rows.parquet`
      await writeRows(lake, table, path, found)
      files[table.name] = [...(files[table.name] ?? []), path]
    }
  }
  await publish(lake, files)
  return lake
}

const standard = (...transactions: Transaction[]): Block => ({ block_type: 'BanffStandardBlock', transactions })
const proposal = (...transactions: Transaction[]): Block => ({ block_type: 'BanffProposalBlock', transactions })
const commit: Block = { block_type: 'BanffCommitBlock' }
const abort: Block = { block_type: 'BanffAbortBlock' }
const stake = (tx_id: string, outputs: TestRow[] = [{}, { kind: 'stake' }]): Transaction => ({
  tx_id,
  tx_type: 'AddPermissionlessValidatorTx',
  outputs,
  validation: { action: 'add', node_id: `NodeID-${tx_id}`, weight: 5 },
})
const reward = (staked_tx_id: string): Transaction => ({
  tx_id: `reward-${staked_tx_id}`,
  tx_type: 'RewardValidatorTx',
  staked_tx_id,
})

/** The unspent outputs of several chains in one lake; the network name contains the number of the chain. */
async function unspentOf(chains: readonly (readonly Block[])[]): Promise<string[][]> {
  const lake = await lakeOf(Object.fromEntries(chains.map((blocks, at) => [`chain-${at}`, blocks])))
  const rows = await rowsOf(lake, "SELECT network, tx_id || ':' || output_index AS utxo FROM p_unspent ORDER BY ALL")
  return chains.map((_, at) => rows.filter((row) => row['network'] === `chain-${at}`).map((row) => String(row['utxo'])))
}

describe('the derived views', () => {
  test('have the columns and types that they declare', async () => {
    const lake = await lakeOf({ fuji: [standard(stake('s')), proposal(reward('s')), commit] })
    const empty = temporaryFolder()
    await publish(empty, {})
    for (const view of derivedViews)
      for (const folder of [lake, empty]) {
        // DuckDB quotes only the names that need it.
        const found = await rowsOf(
          folder,
          `SELECT column_name, replace(column_type, '"', '') AS column_type FROM (DESCRIBE ${view.name})`,
        )
        const declared = Object.entries(view.columns).map(([name, { type }]) => ({
          column_name: name,
          column_type: type.replaceAll('"', ''),
        }))
        expect(found, view.name).toEqual(declared)
      }
  })

  test('of UTXOs have no nested-loop join in their query plan', async () => {
    const lake = await lakeOf({ fuji: [standard(stake('s')), proposal(reward('s')), commit] })
    for (const view of derivedViews.filter(({ name }) => /^[px]_(utxo|unspent|ledger)/.test(name))) {
      const plan = JSON.stringify(await rowsOf(lake, `EXPLAIN SELECT * FROM ${view.name}`))
      expect(plan, view.name).not.toMatch(/NL_JOIN|NESTED_LOOP|CROSS_PRODUCT/)
    }
  })

  test('take days from block_date, because a cast would depend on the time zone of the session', () => {
    for (const view of derivedViews) {
      const sql =
        view.query ??
        readFileSync(join(packageRoot(), 'schemas/views', `${view.name}.sql`), 'utf8').replaceAll(/^--.*$/gm, '')
      expect(sql, view.name).not.toMatch(/AS DATE|::DATE|date_trunc|AT TIME ZONE/i)
    }
  })
})

describe('p_proposals and p_rewards', () => {
  const chains = {
    fuji: [
      standard(stake('s1'), stake('s2'), stake('s3')),
      proposal({ tx_id: 't', tx_type: 'BaseTx' }, reward('s1')),
      commit,
      proposal(reward('s2')),
      abort,
      proposal(reward('genesis')),
      commit,
      proposal(reward('s3')),
    ],
    mainnet: [standard(stake('s1')), proposal(reward('s1')), abort],
  }

  test('take the outcome from the option block with the proposal block as parent', async () => {
    const lake = await lakeOf(chains)
    expect(
      await rowsOf(lake, 'SELECT network, height, tx_index, option_height, outcome FROM p_proposals ORDER BY ALL'),
    ).toEqual([
      { network: 'fuji', height: 2, tx_index: 1, option_height: 3, outcome: 'committed' },
      { network: 'fuji', height: 4, tx_index: 0, option_height: 5, outcome: 'aborted' },
      { network: 'fuji', height: 6, tx_index: 0, option_height: 7, outcome: 'committed' },
      { network: 'fuji', height: 8, tx_index: 0, option_height: null, outcome: null },
      { network: 'mainnet', height: 2, tx_index: 0, option_height: 3, outcome: 'aborted' },
    ])
  })

  test('join the staking transaction of the same network', async () => {
    const lake = await lakeOf(chains)
    expect(
      await rowsOf(
        lake,
        'SELECT network, staked_tx_id, outcome, stake_ended, staking_tx_type, staking_height, node_id FROM p_rewards ORDER BY network, height',
      ),
    ).toEqual([
      { network: 'fuji', staked_tx_id: 's1', outcome: 'committed', stake_ended: true, ...staked('s1') },
      { network: 'fuji', staked_tx_id: 's2', outcome: 'aborted', stake_ended: true, ...staked('s2') },
      { network: 'fuji', staked_tx_id: 'genesis', outcome: 'committed', stake_ended: true, ...staked(null) },
      { network: 'fuji', staked_tx_id: 's3', outcome: null, stake_ended: null, ...staked('s3') },
      { network: 'mainnet', staked_tx_id: 's1', outcome: 'aborted', stake_ended: true, ...staked('s1') },
    ])
  })

  function staked(tx: string | null) {
    return tx === null
      ? { staking_tx_type: null, staking_height: null, node_id: null }
      : { staking_tx_type: 'AddPermissionlessValidatorTx', staking_height: 1, node_id: `NodeID-${tx}` }
  }
})

describe('p_unspent', () => {
  test('omits outputs that are spent, staked, exported or of another network', async () => {
    const transfer: Transaction = { tx_id: 't1', tx_type: 'ExportTx', outputs: [{}, {}, {}, { kind: 'export' }] }
    const spend = (...inputs: TestRow[]): Transaction => ({ tx_id: 't2', tx_type: 'ImportTx', inputs })
    const [first, second] = await unspentOf([
      [
        standard(transfer, stake('s1')),
        standard(
          spend(
            { source_tx_id: 't1', source_output_index: 0 },
            { kind: 'import', source_tx_id: 't1', source_output_index: 1 },
          ),
        ),
      ],
      [standard(transfer), standard(spend({ source_tx_id: 't1', source_output_index: 2 }))],
    ])
    expect(first).toEqual(['s1:0', 't1:1', 't1:2'])
    expect(second).toEqual(['t1:0', 't1:1'])
  })

  test('has a stake from the option block of its reward until it is spent', async () => {
    const spend: Transaction = {
      tx_id: 't',
      tx_type: 'BaseTx',
      inputs: [{ source_tx_id: 's2', source_output_index: 1 }],
    }
    const steps: [Block, string[]][] = [
      [standard(stake('s1'), stake('s2', [{ kind: 'stake' }, { kind: 'stake' }])), ['s1:0']],
      [proposal(reward('s1')), ['s1:0']],
      [commit, ['s1:0', 's1:1']],
      [proposal(reward('s2')), ['s1:0', 's1:1']],
      [abort, ['s1:0', 's1:1', 's2:0', 's2:1']],
      [standard(spend), ['s1:0', 's1:1', 's2:0']],
    ]
    const blocks = steps.map(([block]) => block)
    expect(await unspentOf(steps.map((_, at) => blocks.slice(0, at + 1)))).toEqual(
      steps.map(([, expected]) => expected),
    )
  })

  test('omits the stake of an auto-renewed validator until the validator stops', async () => {
    const add: Transaction = {
      ...stake('r', [{ kind: 'stake' }]),
      tx_type: 'AddAutoRenewedValidatorTx',
      validation: { action: 'add', period: 60 },
    }
    const configure = (tx_id: string, period: number): Transaction => ({
      tx_id,
      tx_type: 'SetAutoRenewedValidatorConfigTx',
      staked_tx_id: 'r',
      validation: { action: 'configure', staked_tx_id: 'r', period },
    })
    const renew = (tx_id: string): Transaction => ({
      tx_id,
      tx_type: 'RewardAutoRenewedValidatorTx',
      staked_tx_id: 'r',
    })
    const running = [standard(add), proposal(renew('r1')), commit]
    const stopping = [...running, standard(configure('c1', 0)), proposal(renew('r2'))]
    const wentOn = [...running, standard(configure('c1', 0), configure('c2', 90)), proposal(renew('r2')), commit]
    const cases: [Block[], (boolean | null)[], string[]][] = [
      [running, [false], []],
      [[...running, proposal(renew('r2')), abort], [false, true], ['r:0']],
      [stopping, [false, null], []],
      [[...stopping, commit], [false, true], ['r:0']],
      [wentOn, [false, false], []],
      [[...wentOn, proposal(configure('c3', 0), renew('r3')), commit], [false, false, true], ['r:0']],
      [[standard(configure('c2', 0)), proposal(renew('r3')), commit], [true], []],
      [[proposal(renew('r3')), commit], [null], []],
    ]
    expect(await unspentOf(cases.map(([blocks]) => blocks))).toEqual(cases.map(([, , expected]) => expected))
    const lake = await lakeOf(Object.fromEntries(cases.map(([blocks], at) => [`chain-${at}`, blocks])))
    const ended = await rowsOf(
      lake,
      'SELECT list(stake_ended ORDER BY height) AS ended FROM p_rewards GROUP BY network ORDER BY network',
    )
    expect(ended.map((row) => row['ended'])).toEqual(cases.map(([, expected]) => expected))
  })

  test('applies a proposal with inputs according to its option block', async () => {
    const fund = standard({ tx_id: 'f', tx_type: 'ImportTx', outputs: [{}] })
    const add: Block = {
      block_type: 'ApricotProposalBlock',
      transactions: [
        {
          tx_id: 's',
          tx_type: 'AddValidatorTx',
          inputs: [{ source_tx_id: 'f', source_output_index: 0 }],
          outputs: [{}, { kind: 'stake' }],
        },
      ],
    }
    expect(
      await unspentOf([
        [fund, add],
        [fund, add, { block_type: 'ApricotCommitBlock' }],
        [fund, add, { block_type: 'ApricotAbortBlock' }],
      ]),
    ).toEqual([['f:0'], ['s:0'], ['s:0', 's:1']])
  })
})

describe('p_block_times', () => {
  test('carries the last committed time forward', async () => {
    const advance = (block_time: string, wrapper_time: string | null = null): Block => ({
      block_type: 'ApricotProposalBlock',
      block_time,
      wrapper_time,
      transactions: [{ tx_id: `advance-${block_time}`, tx_type: 'AdvanceTimeTx' }],
    })
    const [one, two, three, four, five] = [1, 2, 3, 4, 5].map((n) => `2021-01-0${n}T00:00:00.000000Z`) as [
      string,
      string,
      string,
      string,
      string,
    ]
    const lake = await lakeOf({
      fuji: [
        { block_type: 'ApricotStandardBlock' },
        advance(one),
        { block_type: 'ApricotCommitBlock' },
        { block_type: 'ApricotAtomicBlock' },
        advance(two),
        { block_type: 'ApricotAbortBlock' },
        advance(four, three),
        { block_type: 'ApricotAbortBlock' },
        { block_type: 'BanffStandardBlock', block_time: five },
      ],
      mainnet: [{ block_type: 'ApricotStandardBlock' }, advance(two)],
    })
    const rows = await rowsOf(
      lake,
      'SELECT network, known_time, carried_forward FROM p_block_times ORDER BY network, height',
    )
    expect(rows.map(({ network, known_time, carried_forward }) => [network, known_time, carried_forward])).toEqual([
      ['fuji', null, true],
      ['fuji', one, false],
      ['fuji', one, true],
      ['fuji', one, true],
      ['fuji', one, true],
      ['fuji', one, true],
      ['fuji', three, false],
      ['fuji', three, true],
      ['fuji', five, false],
      ['mainnet', null, true],
      ['mainnet', null, true],
    ])
  })
})

describe('p_output_addresses and p_daily', () => {
  test('p_output_addresses has one row per owner, and none for an output without owners', async () => {
    const lake = await lakeOf({
      fuji: [
        standard({
          tx_id: 't',
          tx_type: 'BaseTx',
          outputs: [{ addresses: ['a', 'b'], amount: '18446744073709551615' }, { addresses: [] }, { addresses: ['b'] }],
        }),
      ],
    })
    expect(
      await rowsOf(
        lake,
        'SELECT output_index, amount, address, address_index, address_count FROM p_output_addresses ORDER BY ALL',
      ),
    ).toEqual([
      { output_index: 0, amount: '18446744073709551615', address: 'a', address_index: 0, address_count: 2 },
      { output_index: 0, amount: '18446744073709551615', address: 'b', address_index: 1, address_count: 2 },
      { output_index: 2, amount: '1', address: 'b', address_index: 0, address_count: 1 },
    ])
  })

  test('p_daily has UTC days, whatever the time zone of the session', async () => {
    const block = (block_time: string, ...transactions: Transaction[]): Block => ({
      ...standard(...transactions),
      block_time,
    })
    const base = (tx_id: string, burned: number | null): Transaction => ({ tx_id, tx_type: 'BaseTx', burned })
    const lake = await lakeOf({
      fuji: [
        { ...standard(base('t0', 7)), block_time: null },
        block('2024-02-29 23:59:59+00', base('t1', 1), base('t2', 2)),
        block('2024-03-01 00:00:00+00', base('t3', null), stake('s')),
      ],
      mainnet: [block('2024-03-01 00:00:00+00', base('t3', 4))],
    })
    const rows = await rowsOf(
      lake,
      "SET TimeZone = 'Asia/Tokyo'; SELECT network, day, tx_type, transaction_count, block_count, burned FROM p_daily ORDER BY ALL",
    )
    expect(rows.map((row) => Object.values(row))).toEqual([
      ['fuji', '2024-02-29', 'BaseTx', 2, 1, '3'],
      ['fuji', '2024-03-01', 'AddPermissionlessValidatorTx', 1, 1, null],
      ['fuji', '2024-03-01', 'BaseTx', 1, 1, null],
      ['fuji', null, 'BaseTx', 1, 1, '7'],
      ['mainnet', '2024-03-01', 'BaseTx', 1, 1, '4'],
    ])
  })
})
