import { expect, test } from 'vitest'
import { repairText } from '../../../src/cli/commands/run-repair.ts'
import type { Repair } from '../../../src/repair/repair-lake.ts'

const cut = { stream: 'local/P/block', table: 'p_blocks', slice: { from: 0, to: 10 } }
const textOf = (again: Repair['again']) => {
  const plan = { files: [], cuts: [cut], lists: [], lost: [] }
  const repair: Repair = { lake: 'l', findings: [], plan, again, needsCode: [], snapshotId: null }
  return repairText(repair, { dryRun: true, acceptLoss: false })
}

test('a dry run says how much of a stream the next run would fetch again', () => {
  const blocks = { stream: 'local/P/block', unit: 'containers', covered: 5_076 }
  const points = { stream: 'local/tps', unit: 'seconds', covered: 864_000 }
  expect(
    textOf([
      {
        ...blocks,
        tables: ['p_blocks', 'p_inputs', 'p_outputs', 'p_transactions', 'p_validations'],
        slices: [{ from: 0, to: 5_076 }],
      },
      {
        ...blocks,
        tables: ['p_credentials'],
        slices: [
          { from: 0, to: 1 },
          { from: 9, to: 1_209 },
        ],
      },
      { ...points, tables: ['metrics_chain_tps'], slices: [{ from: 1_761_955_200, to: 1_762_041_600 }] },
    ]),
  ).toMatchInlineSnapshot(`
    "The next run would fetch again:
    stream               from          to  length                     tables
    local/P/block           0       5,076  all 5,076 containers       p_blocks, p_inputs, p_outputs and 2 more
    local/P/block           0           1  1 of 5,076 containers      p_credentials
    local/P/block           9       1,209  1,200 of 5,076 containers  p_credentials
    local/tps      2025-11-01  2025-11-02  1 d 0 h of 10 d 0 h        metrics_chain_tps"
  `)
})

test('a long list of ranges is shortened', () => {
  const slices = Array.from({ length: 25 }, (_, at) => ({ from: 10 * at, to: 10 * at + 1 }))
  const lines = textOf([{ stream: 'n/s', unit: 'blocks', covered: 250, tables: ['t'], slices }]).split('\n')
  expect(lines).toHaveLength(23)
  expect(lines.at(-2)).toBe('n/s      190  191  1 of 250 blocks  t')
  expect(lines.at(-1)).toBe('  … and 5 more (--json shows all)')
})
