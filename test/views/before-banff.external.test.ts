import { describe, expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { dataPath } from '../external-data.ts'
import { exportLake } from '../run/export-lake.ts'
import { newLake } from '../run/lake-run.ts'
import { rowsOf } from './test-lake.ts'

describe('the views of blocks from before Banff', () => {
  test('have the outcome of each proposal and carry the block time forward', async () => {
    const lake = newLake()
    const node = await startDevnet({ replay: dataPath('real/p-chain-containers') })
    await exportLake({ node, lake, unit: 65_536 }).finally(() => node.close())
    expect(
      await rowsOf(lake, 'SELECT tx_type, outcome, count(*) AS n FROM p_proposals GROUP BY ALL ORDER BY ALL'),
    ).toEqual([
      { tx_type: 'AddDelegatorTx', outcome: 'committed', n: 9 },
      { tx_type: 'AddValidatorTx', outcome: 'committed', n: 18 },
      { tx_type: 'AdvanceTimeTx', outcome: 'committed', n: 51 },
      { tx_type: 'RewardValidatorTx', outcome: 'aborted', n: 4 },
      { tx_type: 'RewardValidatorTx', outcome: 'committed', n: 23 },
    ])
    const [row] = await rowsOf(
      lake,
      `SELECT
         count(*) AS advances,
         count(*) FILTER (times.known_time = proposal.chain_time AND times.carried_forward) AS carried
       FROM p_proposals AS proposal
       JOIN p_block_times AS times ON times.height = proposal.option_height
       WHERE proposal.tx_type = 'AdvanceTimeTx'`,
    )
    expect(row).toEqual({ advances: 51, carried: 51 })
    expect(await rowsOf(lake, 'SELECT count(*) AS n FROM p_block_times WHERE known_time IS NULL')).toEqual([{ n: 0 }])
    const [dates] = await rowsOf(
      lake,
      `SELECT
         count(*) FILTER (block.block_time IS NULL AND block.block_date IS NULL) > 0 AS undated,
         count(*) FILTER (times.block_date IS NULL OR block.block_date <> times.block_date) AS wrong
       FROM p_blocks AS block
       JOIN p_block_times AS times USING (network, height)`,
    )
    expect(dates).toEqual({ undated: true, wrong: 0 })
  })
})
