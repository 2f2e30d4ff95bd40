import { beforeAll, describe, expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { recordingFolder } from '../recorded.ts'
import { exportLake } from '../run/export-lake.ts'
import { newLake } from '../run/lake-run.ts'
import { recordedCalls, utxoName } from './recorded-calls.ts'
import { rowsOf } from './test-lake.ts'

describe('the views of recorded P-Chains', () => {
  for (const { recording, committed, aborted, utxos } of [
    { recording: 'granite', committed: 21, aborted: 616, utxos: 500 },
    { recording: 'helicon', committed: 0, aborted: 475, utxos: 1_000 },
  ]) {
    const calls = recordedCalls(recording, 'platform')
    let lake: string

    beforeAll(async () => {
      lake = newLake()
      const node = await startDevnet({ replay: recordingFolder(recording) })
      await exportLake({ node, lake, unit: 65_536 }).finally(() => node.close())
    })

    test(`${recording}: p_rewards has the outcome of each reward proposal`, async () => {
      const counts = await rowsOf(lake, 'SELECT outcome, count(*) AS n FROM p_proposals GROUP BY ALL ORDER BY 1')
      expect(counts).toEqual(
        [
          { outcome: 'aborted', n: aborted },
          { outcome: 'committed', n: committed },
        ].filter(({ n }) => n > 0),
      )
      const outcomes = new Map(
        (await rowsOf(lake, 'SELECT tx_id, outcome FROM p_rewards')).map((row) => [row['tx_id'], row['outcome']]),
      )
      const told = calls.filter(({ method, params }) => method === 'platform.getTxStatus' && outcomes.has(params?.txID))
      expect(told).not.toEqual([])
      for (const { params, result } of told) expect(outcomes.get(params.txID)).toBe(result.status.toLowerCase())
    })

    test(`${recording}: a stake is spent only after its release`, async () => {
      const [row] = await rowsOf(
        lake,
        `SELECT count(*) AS spent, count(*) FILTER (reward.option_height < input.height) AS released
         FROM p_inputs AS input
         JOIN p_outputs AS output
           ON output.tx_id = input.source_tx_id AND output.output_index = input.source_output_index
         LEFT JOIN p_rewards AS reward ON reward.staked_tx_id = output.tx_id AND reward.stake_ended
         WHERE output.kind = 'stake' AND input.kind = 'transfer'`,
      )
      expect(row?.['spent']).toBeGreaterThan(300)
      expect(row?.['released']).toBe(row?.['spent'])
    })

    test(`${recording}: unspent outputs equal those of the node, except genesis and rewards`, async () => {
      const known = new Set(await names(lake, 'p_outputs'))
      const unspent = new Set(await names(lake, 'p_unspent'))
      const lists = calls.filter(
        ({ method, params, result }) => method === 'platform.getUTXOs' && result?.utxos && !params.sourceChain,
      )
      let compared = 0
      for (const { params, result } of lists) {
        const named = new Set<string>(result.utxos.map(utxoName))
        for (const name of named) if (known.has(name)) expect(unspent, name).toContain(name)
        if (result.utxos.length >= 1024 || params.limit === 5n || params.limit === 5) continue
        const owners = params.addresses.map((address: string) => `'${address.slice(2)}'`)
        const owned = await names(lake, `p_output_addresses SEMI JOIN p_unspent USING (utxo_id)`, owners)
        for (const name of owned) expect(named, name).toContain(name)
        compared += owned.length
      }
      expect(lists.flatMap(({ result }) => result.utxos).length).toBeGreaterThan(utxos)
      expect(compared).toBeGreaterThan(0)
    })

    test(`${recording}: every block has a time, and the daily counts include every transaction`, async () => {
      const [row] = await rowsOf(
        lake,
        `SELECT count(*) AS blocks, count(known_time) AS timed, bool_or(carried_forward) AS carried FROM p_block_times`,
      )
      expect(row?.['timed']).toBe(row?.['blocks'])
      expect(row?.['carried']).toBe(false)
      const [sums] = await rowsOf(
        lake,
        `SELECT (SELECT sum(transaction_count) FROM p_daily) = (SELECT count(*) FROM p_transactions) AS transactions,
           (SELECT sum(burned) FROM p_daily) = (SELECT sum(burned) FROM p_transactions) AS burned`,
      )
      expect(sums).toEqual({ transactions: true, burned: true })
    })
  }
})

async function names(lake: string, from: string, owners?: readonly string[]): Promise<string[]> {
  const condition = owners === undefined ? '' : ` WHERE address IN (${owners.join(', ')})`
  const rows = await rowsOf(lake, `SELECT DISTINCT tx_id || ':' || output_index AS name FROM ${from}${condition}`)
  return rows.map((row) => String(row['name']))
}
