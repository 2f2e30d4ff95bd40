import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeCb58 } from '../../codec/ids.ts'
import { startDevnet } from '../../devnet/serve.ts'
import { tables } from '../../schemas/index.ts'
import { decodePContainer } from '../../src/decode/p/rows.ts'
import { expectRows } from '../decode/expect-rows.ts'
import * as facts from '../decode/p/json-facts.ts'
import { contextOf, recordingNames, rowsOfAll } from '../decode/recordings.ts'
import { recordedBlocks, recordedContainers, recordingFolder } from '../recorded.ts'
import { exportLake } from './export-lake.ts'
import { lakeRows, storedRows } from './lake-rows.ts'
import { newLake, query, strayFiles } from './lake-run.ts'
import { expectUniqueKeys } from './unique-keys.ts'

/** Reward proposals by outcome, as counted when the nodes were recorded. Each proposal names a different stake. */
const counted = (outcome: string, n: number) => ({ outcome, n: `${n}`, found: `${n}`, stakes: `${n}` })
const rewardsOf = {
  granite: [counted('aborted', 616), counted('committed', 21)],
  helicon: [counted('aborted', 475)],
}

/** Exports a recording, served as its node served it, like a user does. */
async function lakeOf(recording: string): Promise<string> {
  const node = await startDevnet({ replay: recordingFolder(recording) })
  const lake = newLake()
  try {
    // Several units, so that the comparison includes rows at their edges.
    await exportLake({ node, lake, raw: true, unit: 1_500 })
  } finally {
    await node.close()
  }
  return lake
}

describe('the lake of a recorded network', () => {
  describe.each(recordingNames)('%s', (recording) => {
    let lake: string
    let blocks: any[]
    beforeAll(async () => {
      lake = await lakeOf(recording)
      blocks = recordedBlocks(recording, 'P')
    })
    afterAll(() => {
      blocks = []
    })

    test("has the same blocks and transactions as the node's JSON", async () => {
      expectRows(await lakeRows(lake, 'from p_blocks order by height'), blocks.map(facts.blockFacts))
      expectRows(
        await lakeRows(lake, `from ${storedRows('p_transactions')} order by height, tx_index`),
        blocks.flatMap((block) => facts.transactionsOf(block).map((tx, i) => facts.transactionFacts(block, tx, i))),
      )
    })

    test("has the same inputs and outputs as the node's JSON", async () => {
      const txs = blocks.flatMap((block) =>
        facts
          .transactionsOf(block)
          .map((tx, i) => ({ tx, place: { height: Number(block.height), tx_index: i, tx_id: tx.id } })),
      )
      expectRows(
        await lakeRows(lake, 'from p_inputs order by height, tx_index, input_index'),
        txs.flatMap(({ tx, place }) => facts.inputFacts(tx.unsignedTx).map((fact) => ({ ...place, ...fact }))),
      )
      const outputs = await lakeRows(lake, 'from p_outputs order by height, tx_index, output_index')
      expectRows(
        outputs.map((row) => ({ ...row, utxo_hash: Buffer.from(decodeCb58(String(row['utxo_id']))).toString('hex') })),
        txs.flatMap(({ tx, place }) => facts.outputFacts(tx).map((fact) => ({ ...place, ...fact }))),
      )
    })

    test("has the same validations as the node's JSON", async () => {
      const rows = await lakeRows(lake, 'from p_validations order by height, tx_index, position')
      const known = new Map(rows.map((row) => [`${row['height']} ${row['tx_index']}`, row]))
      const expected = blocks.flatMap((block) =>
        facts.transactionsOf(block).flatMap((tx, i) => {
          const fact = facts.validationFacts(block, tx.unsignedTx)
          return fact === null ? [] : [{ place: `${block.height} ${i}`, fact }]
        }),
      )
      expect(expected.length).toBeGreaterThan(500)
      expectRows(
        expected.map(({ place }) => known.get(place)!),
        expected.map(({ fact }) => fact),
      )
    })

    test('has the decoded value in every column, and the containers unchanged', async () => {
      const containers = recordedContainers(`${recording}/p-containers`)
      const decoded = rowsOfAll(containers, decodePContainer, contextOf(recording, 'P'))
      for (const [name, rows] of Object.entries(decoded)) {
        const { key } = tables.find((table) => table.name === `p_${name}`)!
        expectRows(await lakeRows(lake, `from ${storedRows(`p_${name}`)} order by ${key.join(', ')}`), rows)
      }
      expectRows(
        await lakeRows(lake, 'from containers order by container_index'),
        containers.map(({ index, id, acceptedAtNs, bytes }) => ({
          chain: 'P',
          container_index: index,
          container_id: id,
          accepted_at: acceptedAtNs / 1000n,
          accepted_at_ns: acceptedAtNs,
          bytes,
        })),
      )
    })

    test('has unique keys and no stray files', async () => {
      await expectUniqueKeys(lake)
      expect(await strayFiles(lake)).toEqual([])
    })

    test('has the same proposal outcomes and stake ends as the node', async () => {
      const [proposals] = await query(
        lake,
        `select count(*) as all, count(*) filter (outcome is null) as open,
           (select count(*) from p_blocks where block_type like '%CommitBlock' or block_type like '%AbortBlock') as options
         from p_proposals`,
      )
      expect(Number(proposals!['all']) - Number(proposals!['open'])).toBe(Number(proposals!['options']))
      const rewards = await query(
        lake,
        `select outcome, count(*) as n, count(staking_height) as found, count(distinct staked_tx_id) as stakes
         from p_rewards group by outcome order by outcome`,
      )
      expect(rewards).toEqual(rewardsOf[recording])
    })

    test('lists exactly the unspent outputs', async () => {
      const [found] = await query(
        lake,
        `select
           (select count(*) from p_unspent) as unspent,
           (select count(*) from p_unspent join p_inputs
              on source_tx_id = p_unspent.tx_id and source_output_index = output_index) as spent,
           (select count(*) from p_unspent where kind = 'export') as exported,
           (select count(*) from p_outputs where kind = 'transfer') as made,
           (select count(*) from p_inputs semi join p_outputs on p_outputs.kind = 'transfer'
              and source_tx_id = p_outputs.tx_id and source_output_index = output_index) as consumed,
           (select count(*) from p_unspent where kind = 'transfer') as left`,
      )
      expect(found).toMatchObject({ spent: '0', exported: '0' })
      expect(Number(found!['unspent'])).toBeGreaterThan(100)
      expect(Number(found!['left'])).toBe(Number(found!['made']) - Number(found!['consumed']))
    })
  })
})
