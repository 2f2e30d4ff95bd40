import { beforeAll, describe, expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { cBlocksPipeline } from '../../pipelines/c-blocks.ts'
import { pBlocksPipeline } from '../../pipelines/p-blocks.ts'
import { xBlocksPipeline } from '../../pipelines/x-blocks.ts'
import { xTransactionsPipeline } from '../../pipelines/x-transactions.ts'
import { xVerticesPipeline } from '../../pipelines/x-vertices.ts'
import type { Decode, Facts, Pipeline, Range, Table } from '../../src/define/index.ts'
import { expectRows } from '../decode/expect-rows.ts'
import { contextOf, rowsOfAll } from '../decode/recordings.ts'
import { recordedContainers, recordingFolder } from '../recorded.ts'
import { exportLake } from './export-lake.ts'
import { jobOf } from './job-of.ts'
import { lakeRows, storedRows } from './lake-rows.ts'
import { newLake, strayFiles } from './lake-run.ts'

/** Recording, file of its containers, pipeline and its options. */
const cases = [
  ['granite', 'P', 'p-containers', pBlocksPipeline, ['raw']],
  ['granite', 'X', 'x-containers', xBlocksPipeline, ['raw']],
  ['granite', 'C', 'c-containers', cBlocksPipeline, ['raw', 'senders']],
  ['helicon', 'P', 'p-containers', pBlocksPipeline, []],
  ['helicon', 'X', 'x-containers', xBlocksPipeline, []],
  ['helicon', 'C', 'c-containers', cBlocksPipeline, ['raw', 'senders']],
  ['legacy', 'X', 'x-transactions', xTransactionsPipeline, ['raw']],
  ['legacy', 'X', 'x-vertices', xVerticesPipeline, ['raw']],
] as const satisfies readonly (readonly [string, string, string, Pipeline, readonly string[]])[]

/** The column `chain` of raw containers, by file. */
const chains = {
  'p-containers': 'P',
  'x-containers': 'X',
  'c-containers': 'C',
  'x-transactions': 'X/tx',
  'x-vertices': 'X/vtx',
}

type Rows = Record<string, object[]>

/** The rows of the first containers of a case, by table name. */
async function decodedRows(
  [recording, chain, file, pipeline, options]: (typeof cases)[number],
  to: number,
): Promise<Rows> {
  // The range of transactions and vertices begins with 0, that of blocks with height 1.
  const containers = recordedContainers(`${recording}/${file}`).slice(0, recording === 'legacy' ? to : to - 1)
  // The recording of the old node has no calls, so its native asset is unknown.
  const context = { ...contextOf(recording, chain), ...(recording === 'legacy' ? { nativeAssetId: null } : {}) }
  const found: Rows = {}
  const identity = { ...context, chains: [], warnings: [] }
  const facts = { node: async () => identity } as unknown as Facts
  const [stream] = await pipeline.streams(valuesOf(options), facts)
  for (const output of (stream!.walk as Range).outputs) {
    const rows = rowsOfAll(containers, output.read as Decode, context) as Rows
    for (const [key, table] of Object.entries(output.tables as Record<string, Table>))
      found[table.name] = rows[key] ?? []
  }
  return found
}

const valuesOf = (options: readonly string[]) => Object.fromEntries(options.map((option) => [option, true]))

/** The lake must contain the rows that the decoders return for the first containers of each recorded index. */
export function describeEveryPipeline({ to, unit }: { readonly to: number; readonly unit: number }): void {
  describe.each(['granite', 'helicon', 'legacy'] as const)('every pipeline: %s', (recording) => {
    const own = cases.filter(([name]) => name === recording)
    const lake = newLake()
    beforeAll(async () => {
      const node = await startDevnet({ replay: recordingFolder(recording) })
      const jobs = own.map(([, , , pipeline, options]) => jobOf(pipeline, { ...valuesOf(options), unit, to }))
      await exportLake({ node, lake, jobs })
      const again = await exportLake({ node, lake, jobs })
      expect(again.summary.jobs.every(({ upToDate }) => upToDate)).toBe(true)
      await node.close()
    })

    test.each(own.map((each) => [each[3].name, each] as const))(
      '%s: the lake has the rows that the decoders return',
      async (_, each) => {
        const rows = await decodedRows(each, to)
        for (const [name, expected] of Object.entries(rows)) {
          const chain = name === 'containers' ? `where chain = '${chains[each[2]]}'` : ''
          expectRows(await lakeRows(lake, `from ${storedRows(name)} ${chain}`), expected)
        }
        expect(Object.values(rows).flat().length).toBeGreaterThan(90)
        expect(await strayFiles(lake)).toEqual([])
      },
    )
  })
}
