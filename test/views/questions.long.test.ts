import { beforeAll, describe, expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { cBlocksPipeline } from '../../pipelines/c-blocks.ts'
import { evmBlocksPipeline } from '../../pipelines/evm-blocks.ts'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { xBlocksPipeline } from '../../pipelines/x-blocks.ts'
import { tables } from '../../schemas/index.ts'
import type { Cell } from '../../src/views/query.ts'
import { recordingFolder } from '../recorded.ts'
import { exportLake } from '../run/export-lake.ts'
import { jobOf } from '../run/job-of.ts'
import { newLake } from '../run/lake-run.ts'
import { recordedCalls } from './recorded-calls.ts'
import { rowsOf } from './test-lake.ts'

type Row = Record<string, Cell>

const unique = (rows: readonly Row[], column: string) => new Set(rows.map((row) => row[column])).size

type PlanNode = { readonly name: string; readonly children: readonly PlanNode[]; readonly extra_info: object }

/** What the reads of files in a query plan say, each as one object. */
function scansIn(nodes: readonly PlanNode[]): object[] {
  return nodes.flatMap(({ name, children, extra_info: info }) => [
    ...(name.includes('READ_PARQUET') ? [info] : []),
    ...scansIn(children),
  ])
}

/** An amount in nAVAX as text in AVAX. */
function inAvax(amount: Cell): string {
  const [sign = '', digits = ''] = /^(-?)(\d+)$/.exec(String(amount))!.slice(1)
  const padded = digits.padStart(10, '0')
  return `${sign}${padded.slice(0, -9)}.${padded.slice(-9)}`
}

for (const recording of ['granite', 'helicon']) {
  describe(`the views of the recorded network ${recording}`, () => {
    const calls = recordedCalls(recording, 'platform')
    let lake: string
    const rows = (sql: string): Promise<Row[]> => rowsOf(lake, sql)

    beforeAll(async () => {
      lake = newLake()
      const node = await startDevnet({ replay: recordingFolder(recording) })
      const jobs = [
        jobOf(pBlocksPipeline, { credentials: true }),
        jobOf(xBlocksPipeline, { credentials: true }),
        jobOf(cBlocksPipeline, { senders: true }),
        jobOf(evmBlocksPipeline),
      ]
      await exportLake({ node, lake, jobs }).finally(() => node.close())
    })

    test('coverage has the range of every table, and no rows where none were read', async () => {
      const found = await rows(
        "SELECT stream, slice_from, slice_to, committed_at IS NOT NULL AS timed FROM coverage WHERE table_name IN ('p_blocks', 'c_blocks', 'x_blocks', 'evm_blocks') ORDER BY table_name",
      )
      const counts = await rows(
        'SELECT (SELECT count(*) FROM p_blocks) AS p, (SELECT count(*) FROM x_blocks) AS x, (SELECT count(*) FROM c_blocks) AS c, (SELECT count(*) FROM evm_blocks) AS evm',
      )
      const { p, x, c, evm } = counts[0]!
      expect(found.map(({ slice_from, slice_to }) => [slice_from, Number(slice_to)])).toEqual([
        [1, Number(c) + 1],
        [0, Number(evm)],
        [1, Number(p) + 1],
        [1, Number(x) + 1],
      ])
      expect(found.every(({ timed }) => timed === true)).toBe(true)
      expect(await rows("SELECT * FROM coverage WHERE table_name = 'p_state_outputs'")).toEqual([])
    })

    test('p_stakers has the stakers that the node names at its head', async () => {
      let compared = 0
      const known = new Set((await rows('SELECT tx_id FROM p_transactions')).map((row) => row['tx_id']))
      const head = (await rows('SELECT max(known_time)::VARCHAR AS time FROM p_block_times'))[0]!['time']
      for (const { method, params, result } of calls) {
        if (method !== 'platform.getCurrentValidators' || params?.nodeIDs || !result?.validators) continue
        const subnet = params?.subnetID ?? '11111111111111111111111111111111LpoYY'
        const found = await rows(
          `SELECT coalesce(validation_id, tx_id) || ' ' || node_id || ' ' || weight AS staker FROM p_stakers
           WHERE subnet_id = '${subnet}' AND staker_role = 'validator' AND active_from <= '${head}'
             AND (active_to <= '${head}') IS NOT TRUE`,
        )
        const named = result.validators
          .filter((each: any) => each.validationID !== undefined || known.has(each.txID))
          .map((each: any) => `${each.validationID ?? each.txID} ${each.nodeID} ${each.weight}`)
        expect(found.map(({ staker }) => staker).toSorted(), subnet).toEqual(named.toSorted())
        compared += named.length
      }
      expect(compared).toBeGreaterThan(5)
    })

    test('p_stakers says how each reward proposal ended its stake', async () => {
      expect(
        await rows(
          `SELECT count(*) AS wrong FROM p_rewards AS reward JOIN p_stakers AS staker ON staker.tx_id = reward.staked_tx_id
           WHERE reward.stake_ended AND (staker.end_tx_id <> reward.tx_id
             OR staker.end_reason <> CASE reward.outcome WHEN 'committed' THEN 'rewarded' ELSE 'not rewarded' END)`,
        ),
      ).toEqual([{ wrong: 0 }])
    })

    test('l1_validators has the weight that the node names, and the balance is at most what was deposited', async () => {
      const found = new Map((await rows('SELECT * FROM l1_validators')).map((row) => [row['validation_id'], row]))
      const named = calls.filter(({ method, result }) => method === 'platform.getL1Validator' && result?.nodeID)
      for (const { params, result } of named) {
        const row = found.get(params.validationID)
        expect(String(row?.['weight'])).toBe(String(result.weight))
        expect(row?.['node_id']).toBe(result.nodeID)
        expect(BigInt(String(row?.['deposited']))).toBeGreaterThanOrEqual(BigInt(result.balance))
      }
      const deposits = await rows("SELECT count(*) AS n FROM p_validations WHERE action = 'add_balance'")
      const counted = await rows('SELECT sum(deposit_count - 1)::BIGINT AS n FROM l1_validators')
      expect(counted[0]!['n'] ?? 0).toBe(deposits[0]!['n'])
    })

    test('cross_chain_transfers pairs each export with its import', async () => {
      const outputs = await rows(
        `SELECT tx_id || ':' || output_index AS utxo, amount FROM p_outputs WHERE kind = 'export'
         UNION ALL SELECT tx_id || ':' || output_index, amount FROM x_outputs WHERE kind = 'export'
         UNION ALL SELECT tx_id || ':' || output_index, amount FROM c_atomic_outputs WHERE kind = 'export'`,
      )
      const inputs = await rows(
        `SELECT source_tx_id || ':' || source_output_index AS utxo, tx_id FROM p_inputs WHERE kind = 'import'
         UNION ALL SELECT source_tx_id || ':' || source_output_index, tx_id FROM x_inputs WHERE kind = 'import'
         UNION ALL SELECT source_tx_id || ':' || source_output_index, tx_id FROM c_atomic_inputs WHERE kind = 'import'`,
      )
      const importOf = new Map(inputs.map(({ utxo, tx_id }) => [utxo, tx_id]))
      const exported = new Set(outputs.map(({ utxo }) => utxo))
      const expected = [
        ...outputs.map(({ utxo, amount }) => `${utxo} ${amount} ${importOf.get(utxo!) ?? 'none'}`),
        ...inputs.filter(({ utxo }) => !exported.has(utxo!)).map(({ utxo, tx_id }) => `${utxo} ${tx_id}`),
      ]
      // Null where a signer was not recovered.
      const signed = await rows(
        `SELECT tx_id, list_sort(list(DISTINCT address)) AS addresses FROM (FROM p_credentials UNION ALL BY NAME FROM x_credentials)
         GROUP BY tx_id HAVING bool_and(address IS NOT NULL)`,
      )
      const signers = new Map(signed.map(({ tx_id, addresses }) => [String(tx_id), addresses]))
      const found = await rows('SELECT * FROM cross_chain_transfers')
      const told = found.map((row) => {
        const utxo = `${row['export_tx_id']}:${row['export_output_index']}`
        const end = row['import_tx_id'] ?? 'none'
        return exported.has(utxo) ? `${utxo} ${row['amount']} ${end}` : `${utxo} ${end}`
      })
      expect(told.toSorted()).toEqual(expected.toSorted())
      expect(unique(found, 'transfer_status')).toBeGreaterThan(0)
      for (const row of found) {
        expect(row['transfer_status'] === 'imported', String(row['export_tx_id'])).toBe(row['import_tx_id'] !== null)
        expect([row['source_chain'], row['destination_chain']].every((chain) => 'PXC'.includes(String(chain)))).toBe(
          true,
        )
        // Every chain was read from its start, so an export without an import is pending, except one after the last block of the destination.
        if (row['import_tx_id'] === null && row['transfer_status'] !== 'pending') {
          const table = { P: 'p_block_times', X: 'x_blocks', C: 'c_blocks' }[String(row['destination_chain'])]
          const time = table === 'p_block_times' ? 'known_time' : 'block_time'
          const [last] = await rows(`SELECT max(${time}) < '${row['export_time']}'::TIMESTAMPTZ AS later FROM ${table}`)
          expect(last).toEqual({ later: true })
        }
        if (row['import_tx_id'] !== null) expect(row['to_addresses']).not.toBeNull()
        if (exported.has(`${row['export_tx_id']}:${row['export_output_index']}`))
          expect(row['from_addresses'], String(row['export_tx_id'])).toEqual(
            row['source_chain'] === 'C' ? expect.anything() : (signers.get(String(row['export_tx_id'])) ?? null),
          )
      }
    })

    test('counted amounts of the ledgers add up to the unspent outputs, also those with several owners', async () => {
      for (const chain of ['p', 'x']) {
        const [row] = await rows(
          `SELECT (SELECT sum(counted_amount) FROM ${chain}_ledger)::VARCHAR AS counted,
             (SELECT sum(amount) FROM ${chain}_utxos WHERE len(addresses) > 0)::VARCHAR AS unspent,
             (SELECT sum(amount) FROM ${chain}_ledger)::VARCHAR AS per_owner`,
        )
        expect(row!['counted'], chain).toBe(row!['unspent'])
        expect(BigInt(String(row!['per_owner'])), chain).toBeGreaterThan(BigInt(String(row!['counted'])))
      }
    })

    test('columns in AVAX have the amounts of the native asset with nine decimals, and no others', async () => {
      const [native] = await rows("SELECT DISTINCT native_asset_id AS id FROM chains WHERE alias IN ('P', 'X')")
      let compared = 0
      for (const [view, amount, avax] of [
        ...['p', 'x'].flatMap((chain) => [
          [`${chain}_utxos`, 'amount', 'amount_avax'],
          [`${chain}_unspent`, 'amount', 'amount_avax'],
          [`${chain}_ledger`, 'amount', 'amount_avax'],
          [`${chain}_ledger`, 'counted_amount', 'counted_avax'],
        ]),
        ['cross_chain_transfers', 'amount', 'amount_avax'],
      ] as const) {
        const found = await rows(
          `SELECT DISTINCT asset_id = '${native!['id']}' AS native, ${amount}::VARCHAR AS amount, ${avax}::VARCHAR AS avax FROM ${view}`,
        )
        for (const row of found) expect(row['avax'], view).toBe(row['native'] ? inAvax(row['amount']!) : null)
        compared += found.filter(({ avax }) => avax !== null).length
      }
      expect(compared).toBeGreaterThan(100)
    })

    test('sums in AVAX have nine decimals of the sums in nAVAX', async () => {
      const sums = await rows(
        `SELECT burned::VARCHAR AS amount, burned_avax::VARCHAR AS avax FROM p_daily
         UNION ALL SELECT burned::VARCHAR, burned_avax::VARCHAR FROM x_daily SEMI JOIN chains USING (network, blockchain_id)
         UNION ALL SELECT deposited::VARCHAR, deposited_avax::VARCHAR FROM l1_validators
         UNION ALL SELECT refunded::VARCHAR, refunded_avax::VARCHAR FROM l1_validators
         UNION ALL SELECT weight::VARCHAR, stake_avax::VARCHAR FROM p_rewards WHERE subnet_id = '11111111111111111111111111111111LpoYY'
         UNION ALL SELECT weight::VARCHAR, stake_avax::VARCHAR FROM p_stakers WHERE subnet_id = '11111111111111111111111111111111LpoYY'`,
      )
      for (const { amount, avax } of sums) expect(avax).toBe(amount === null ? null : inAvax(amount!))
      expect(sums.filter(({ avax }) => avax !== null).length).toBeGreaterThan(10)
    })

    test('evm_daily counts blocks, transactions, addresses, gas and fees', async () => {
      const dayOf = (row: Row) => new Date(String(row['t'])).toISOString().slice(0, 10)
      const blocks = await rows(
        "SELECT strftime(block_time AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%SZ') AS t FROM evm_blocks",
      )
      const transactions = await rows(
        "SELECT strftime(block_time AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%SZ') AS t, from_address, to_address, status, contract_address, gas_used, effective_gas_price_raw FROM evm_transactions",
      )
      const daily = await rows('SELECT *, day::VARCHAR AS text FROM evm_daily ORDER BY day')
      expect(daily.map(({ text }) => text)).toEqual([...new Set(blocks.map(dayOf))].toSorted())
      for (const row of daily) {
        const own = transactions.filter((each) => dayOf(each) === row['text'])
        const fees = own.reduce(
          (sum, each) => sum + BigInt(each['gas_used'] as number) * BigInt(String(each['effective_gas_price_raw'])),
          0n,
        )
        expect(row).toMatchObject({
          block_count: blocks.filter((each) => dayOf(each) === row['text']).length,
          transaction_count: own.length,
          failed_count: own.filter(({ status }) => status === 0).length,
          sender_count: unique(own, 'from_address'),
          receiver_count: unique(
            own.filter(({ to_address }) => to_address !== null),
            'to_address',
          ),
          contract_count: own.filter((each) => each['contract_address'] !== null && each['status'] === 1).length,
        })
        expect(String(row['fees'])).toBe(String(fees))
        const [whole, rest] = [fees / 10n ** 18n, fees % 10n ** 18n]
        expect(String(row['fees_in_tokens'])).toBe(`${whole}.${String(rest).padStart(18, '0')}`)
      }
    })

    test('a condition on the day of evm_daily and c_daily reaches the rows of each table', async () => {
      for (const [view, reads] of [
        ['evm_daily', 4],
        ['c_daily', 2],
      ] as const) {
        const [plan] = await rows(`EXPLAIN (FORMAT json) SELECT * FROM ${view} WHERE day >= '2025-01-01'`)
        const scans = scansIn(JSON.parse(String(plan?.['explain_value'])))
        expect(scans.length, view).toBe(reads)
        for (const scan of scans) expect(JSON.stringify(scan), view).toContain('2025-01-01')
      }
    })

    test('evm_gas_prices equals the discrete quantiles, and evm_contracts the successful creations', async () => {
      const [expected, found] = await Promise.all([
        rows(
          `SELECT (block_time AT TIME ZONE 'UTC')::DATE AS day, count(*) AS transaction_count,
             unnest(quantile_disc(effective_gas_price, [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1]))::VARCHAR AS price
           FROM evm_transactions GROUP BY ALL ORDER BY day`,
        ),
        rows(
          `SELECT day, transaction_count, unnest([lowest, p10, p25, median, p75, p90, highest])::VARCHAR AS price
           FROM evm_gas_prices ORDER BY day`,
        ),
      ])
      expect(found).toEqual(expected)
      expect(found.length).toBeGreaterThan(0)
      const contracts = await rows('SELECT contract_address FROM evm_contracts')
      const created = await rows(
        'SELECT contract_address FROM evm_transactions WHERE to_address IS NULL AND status = 1',
      )
      expect(contracts.length).toBe(created.length)
      expect(unique(contracts, 'contract_address')).toBe(created.length)
    })

    test('evm_token_balances equals the transfers, added up one after another', async () => {
      const transfers = await rows(
        "SELECT *, strftime(block_time AT TIME ZONE 'UTC', '%Y-%m-%d') AS day FROM evm_token_transfers ORDER BY block_number, log_index, position",
      )
      const balances = new Map<string, bigint>()
      const expected = new Map<string, bigint>()
      for (const { token_address, token_id, day, from_address, to_address, amount_raw } of transfers)
        for (const [address, sign] of [
          [from_address, -1n],
          [to_address, 1n],
        ] as const) {
          if (/^0x0+$/.test(String(address))) continue
          const holder = `${token_address} ${token_id} ${address}`
          const balance = (balances.get(holder) ?? 0n) + sign * BigInt(String(amount_raw))
          balances.set(holder, balance)
          expected.set(`${holder} ${day}`, balance)
        }
      const found = await rows('SELECT *, day::VARCHAR AS text FROM evm_token_balances')
      const told = found.map((row) => [
        `${row['token_address']} ${row['token_id']} ${row['address']} ${row['text']}`,
        BigInt(String(row['balance_raw'])),
      ])
      expect(Object.fromEntries(told)).toEqual(Object.fromEntries(expected))
      expect(told.length).toBe(expected.size)
      expect(told.length).toBeGreaterThan(0)
    })

    test('address_activity finds every text in a column that is an address', async () => {
      const expected = new Map<string, number>()
      for (const { name, columns } of tables)
        for (const row of await rows(`SELECT * FROM ${name}`)) {
          // Memos of 20 bytes look like addresses.
          const values = Object.entries(row).filter(
            ([column]) => columns[column] !== undefined && columns[column].type.kind !== 'blob',
          )
          const texts = values.flatMap(([, value]) => value).map(String)
          for (const text of new Set(texts.filter((each) => /^(0x[0-9a-f]{40}|[a-z]+1[a-z0-9]{38})$/.test(each))))
            expected.set(`${name} ${text}`, (expected.get(`${name} ${text}`) ?? 0) + 1)
        }
      const found = await rows(
        "SELECT table_name || ' ' || address AS key, sum(row_count)::BIGINT AS n FROM address_activity GROUP BY ALL",
      )
      expect(Object.fromEntries(found.map(({ key, n }) => [key, n]))).toEqual(Object.fromEntries(expected))
      expect(new Set(found.map(({ key }) => String(key).split(' ')[0])).size).toBeGreaterThan(12)
    })
  })
}
