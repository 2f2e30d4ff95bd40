import { expect, test } from 'vitest'
import { describe, loadDeclared } from '../../src/cli/commands/declared.ts'
import { pipelineText } from '../../src/cli/commands/pipeline-description.ts'
import { identity, p, pipeline, type Range, type Table, t, table } from '../../src/define/index.ts'
import { planPipelines } from '../../src/run/jobs/plan-pipelines.ts'
import { runPipelines } from '../../src/run/jobs/run-pipelines.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { failureOf } from '../catalog/committed-lake.ts'
import { newLake, query } from './lake-run.ts'

/** The table of one power. */
function powersTable(power: string, more: Partial<Table> = {}): Table {
  const declared = table({
    name: `powers_of_${power}`,
    comment: `Whole numbers to the power of ${power}.`,
    key: ['network', 'number'],
    sortBy: ['number'],
    partitionBy: [identity('network')],
    columns: { network: t.text('Network.'), number: t.int64('Number.'), power: t.decimal38('Its power.') },
  })
  return { ...declared, ...more }
}

/** A pipeline with one table and stream for each power that a job names. */
function powers(more: Partial<Table> = {}) {
  return pipeline({
    name: 'powers',
    comment: 'Powers of whole numbers.',
    parameters: { powers: p.list.required('Powers.') },
    reads: 'node',
    walks: ['range'],
    tables: {},
    streams: (values) =>
      values.powers.map((power) => {
        const tables = { powers: powersTable(power, more) }
        const row = (number: number) => ({ network: 'mine', number, power: BigInt(number) ** BigInt(power) })
        const walk: Range<number> = {
          kind: 'range',
          record: 'number',
          what: 'the numbers',
          endpoint: { url: 'http://127.0.0.1:1' },
          source: async () => ({
            head: async () => 19,
            windowSize: () => 10,
            window: async (first, end) => Array.from({ length: end - first }, (_, at) => first + at),
            at: (number) => number,
          }),
          from: 0,
          to: null,
          unit: 10,
          order: 'chain',
          outputs: [{ tables, read: (number: number) => ({ powers: [row(number)] }) }],
          context: null,
          linkOf: null,
          notice: null,
        }
        return { stream: { network: 'mine', path: `powers/${power}`, parameters: {} }, tables, walk }
      }),
  })
}

const options = (folder: string, of: readonly string[], more: Partial<Table> = {}) => ({
  nodeUrl: 'http://127.0.0.1:1',
  lake: { folder },
  jobs: [{ name: 'powers', pipeline: powers(more), values: { powers: of } }],
  stop: new AbortController().signal,
  emit: () => undefined,
})

test('a stream may fill tables that depend on the values of its job', async () => {
  const folder = newLake()
  const planned = await planPipelines(options(folder, ['2', '3']))
  const missing = ['powers_of_2', 'powers_of_3'].map((table) => ({ missing: [{ table, records: 20 }] }))
  expect(planned).toMatchObject(missing)
  await runPipelines(options(folder, ['2']))
  await runPipelines(options(folder, ['2', '3']))
  const sums =
    'select (select sum(power)::int from powers_of_2) as squares, (select sum(power)::int from powers_of_3) as cubes'
  expect(await query(folder, sums)).toEqual([{ squares: 2470, cubes: 36_100 }])
  expect((await verifyLake({ lake: { folder } })).findings).toEqual([])
  expect(describe('powers_of_3', await loadDeclared({ lake: folder }))).toMatchObject({ kind: 'table' })
  expect(pipelineText(powers(), 110)).toContain('The values of a job decide which tables')
})

test('such tables keep the rules of own tables', async () => {
  const refused = (more: Partial<Table>) => failureOf(runPipelines(options(newLake(), ['2'], more)))
  expect(await refused({ name: 'p_powers' })).toMatchObject({ code: 'definition.reserved-name' })
  const nullable = { ...powersTable('2').columns, number: t.int64('Number.', { nullable: true }) }
  expect(await refused({ columns: nullable })).toMatchObject({ code: 'definition.nullable-key' })
  const both = await failureOf(runPipelines(options(newLake(), ['2', '3'], { name: 'powers' })))
  expect(both).toMatchObject({ code: 'definition.taken', message: expect.stringContaining('powers') })
})
