import { beforeAll, describe, expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { cBlocksPipeline } from '../../pipelines/c-blocks.ts'
import { xBlocksPipeline } from '../../pipelines/x-blocks.ts'
import { recordingFolder } from '../recorded.ts'
import { exportLake } from '../run/export-lake.ts'
import { jobOf } from '../run/job-of.ts'
import { newLake } from '../run/lake-run.ts'
import { recordedCalls, utxoName } from './recorded-calls.ts'
import { rowsOf } from './test-lake.ts'

/** The outputs that count to the balance on a node: unlocked outputs of one asset with a single owner. */
const spendable = (owner: string, asset: string) => `x_output_addresses SEMI JOIN x_unspent USING (utxo_id)
  WHERE address = '${owner}' AND asset_id = '${asset}' AND output_type = 'transfer' AND address_count = 1 AND locktime = 0`

describe('the views of recorded X- and C-Chains', () => {
  for (const recording of ['granite', 'helicon']) {
    const calls = recordedCalls(recording, 'avm')
    let lake: string
    let known: ReadonlySet<string>

    const names = async (from: string): Promise<string[]> => {
      const rows = await rowsOf(lake, `SELECT DISTINCT tx_id || ':' || output_index AS name FROM ${from}`)
      return rows.map((row) => String(row['name']))
    }

    beforeAll(async () => {
      lake = newLake()
      const node = await startDevnet({ replay: recordingFolder(recording) })
      const jobs = [jobOf(xBlocksPipeline), jobOf(cBlocksPipeline, { senders: true })]
      await exportLake({ node, lake, jobs }).finally(() => node.close())
      known = new Set(await names('x_outputs'))
    })

    test(`${recording}: every UTXO from the node is unspent, except outputs of the genesis`, async () => {
      const unspent = new Set(await names('x_unspent'))
      const named = calls
        .filter(({ method, params, result }) => method === 'avm.getUTXOs' && result?.utxos && !params.sourceChain)
        .flatMap(({ result }) => result.utxos.map(utxoName) as string[])
        .filter((name) => known.has(name))
      expect(named.length).toBeGreaterThan(500)
      for (const name of named) expect(unspent, name).toContain(name)
    })

    test(`${recording}: balances consist of the outputs that the node names`, async () => {
      let compared = 0
      for (const { method, params, result } of calls) {
        if (method !== 'avm.getBalance' || params.includePartial || !result?.utxoIDs) continue
        const asset = params.assetID === 'AVAX' ? nativeOf(calls) : params.assetID
        const expected = result.utxoIDs.map((utxo: any) => `${utxo.txID}:${utxo.outputIndex}`)
        const found = await names(spendable(params.address.slice(2), asset))
        expect(found.toSorted()).toEqual(expected.filter((name: string) => known.has(name)).toSorted())
        compared += found.length
      }
      expect(compared).toBeGreaterThan(20)
    })

    test(`${recording}: the daily counts include every transaction, and each EVM transaction has a sender`, async () => {
      expect(
        await rowsOf(
          lake,
          `SELECT
             (SELECT sum(transaction_count) FROM x_daily) = (SELECT count(*) FROM x_transactions) AS x,
             (SELECT sum(burned) FROM x_daily) = (SELECT sum(burned) FROM x_transactions) AS burned,
             (SELECT sum(transaction_count) FROM c_daily)
               = (SELECT count(*) FROM c_transactions) + (SELECT count(*) FROM c_atomic_transactions) AS c,
             (SELECT count(DISTINCT tx_type) FROM c_daily) AS kinds,
             (SELECT bool_and(from_address IS NOT NULL) FROM c_transactions_with_senders) AS senders`,
        ),
      ).toEqual([{ x: true, burned: true, c: true, kinds: 5, senders: true }])
    })
  }
})

function nativeOf(calls: ReturnType<typeof recordedCalls>): string {
  return calls.find(({ method, params }) => method === 'avm.getAssetDescription' && params.assetID === 'AVAX')!.result
    .assetID
}
