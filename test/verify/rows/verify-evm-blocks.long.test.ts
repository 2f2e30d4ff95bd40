import { beforeAll, describe, expect, test } from 'vitest'
import { startDevnet } from '../../../devnet/serve.ts'
import { evmBlocksPipeline } from '../../../pipelines/evm-blocks.ts'
import { verifyLake } from '../../../src/verify/verify-lake.ts'
import { exportLake } from '../../run/export-lake.ts'
import { jobOf } from '../../run/job-of.ts'
import { newLake } from '../../run/lake-run.ts'
import { otherValue } from '../alter-columns.ts'
import { filesOf, type Row, rewriteFiles } from '../rewrite-file.ts'
import { copyOf, filteredLogsLake } from '../sound-lake.ts'

let sound = ''
beforeAll(async () => {
  sound = newLake()
  const node = await startDevnet({ seed: 1, blocks: 120 })
  await exportLake({ node, lake: sound, jobs: [jobOf(evmBlocksPipeline, { chain: 'C' })] })
  await node.close()
})

/** The findings about Bloom filters in a copy of the lake where `change` has rewritten the rows of a table. */
async function findingsAfter(table: string, change: (rows: readonly Row[]) => Row[]) {
  const lake = copyOf(sound)
  await rewriteFiles(
    lake,
    (await filesOf(lake, table)).map((path) => ({ path, change })),
  )
  const { findings } = await verifyLake({ lake: { folder: lake } })
  return findings.filter(({ columns }) => columns?.join() === 'logs_bloom')
}

/** Alters a column of the first row that has a value there. */
const altered = (column: string) => (rows: readonly Row[]) => {
  const first = rows.findIndex((row) => row[column] !== null)
  return rows.map((row, at) => (at === first ? { ...row, [column]: otherValue(row[column]) } : row))
}

describe('the Bloom filters of receipts', () => {
  test.each([
    ['evm_transactions', 'logs_bloom'],
    ['evm_logs', 'address'],
    ['evm_logs', 'topic2'],
  ])('reveal an altered %s.%s', async (table, column) => {
    const [finding] = await findingsAfter(table, altered(column))
    expect(finding).toMatchObject({ kind: 'rows.value', table: 'evm_transactions', otherTable: 'evm_logs' })
  })

  test('may be empty, as some chains return them', async () => {
    const zeros = (rows: readonly Row[]) => rows.map((row) => ({ ...row, logs_bloom: new Uint8Array(256) }))
    expect(await findingsAfter('evm_transactions', zeros)).toEqual([])
  })

  test('follow from logs that another stream stored first', async () => {
    expect((await verifyLake({ lake: { folder: await filteredLogsLake() } })).findings).toEqual([])
  })
})
