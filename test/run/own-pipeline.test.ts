import { expect, test } from 'vitest'
import { xVertices } from '../../schemas/x-chain.ts'
import { p, pipeline, type Range, type RangeSource, type RowOf } from '../../src/define/index.ts'
import { runPipelines } from '../../src/run/jobs/run-pipelines.ts'
import { jobOf } from './job-of.ts'
import { newLake, query } from './lake-run.ts'

type Square = { readonly index: number; readonly square: number }

/** A source of the squares of 0, 1, 2, … below the head. */
function squaresUpTo(head: number): RangeSource<Square> {
  return {
    head: async () => head,
    windowSize: () => 7,
    window: async (from, to) =>
      Array.from({ length: to - from }, (_, at) => ({ index: from + at, square: (from + at) ** 2 })),
    at: ({ index }) => index,
    link: ({ index }) => ({ id: `s${index}`, parentId: index === 0 ? null : `s${index - 1}` }),
  }
}

function squares(head: number) {
  const row = ({ index, square }: Square): RowOf<typeof xVertices> => ({
    network: 'mine',
    blockchain_id: 'squares',
    vertex_id: `s${index}`,
    height: square,
    parent_ids: [],
    tx_ids: [],
    vertex_type: 'Vertex',
    accepted_at: BigInt(index) * 1_000_000n,
    accepted_at_ns: BigInt(index) * 1_000_000_000n,
    container_index: index,
    byte_length: 1,
  })
  return pipeline({
    name: 'squares',
    comment: 'Squares of whole numbers.',
    parameters: { to: p.whole('Number after the last one.') },
    reads: 'node',
    walks: ['range'],
    tables: { vertices: xVertices },
    streams: ({ to }) => {
      const walk: Range<Square> = {
        kind: 'range',
        record: 'square',
        what: 'the squares',
        endpoint: { url: 'http://127.0.0.1:1' },
        source: async () => squaresUpTo(head),
        from: 0,
        to: to ?? null,
        unit: 10,
        order: 'chain',
        outputs: [{ tables: { vertices: xVertices }, read: (record: Square) => ({ vertices: [row(record)] }) }],
        context: null,
        linkOf: null,
        notice: null,
      }
      const stream = { network: 'mine', path: 'squares/all', parameters: {} }
      return [{ stream, tables: { vertices: xVertices }, walk }]
    },
  })
}

test('a program runs its own pipeline over its own source without requesting the identity of a node', async () => {
  const lakeDir = newLake()
  const run = (head: number, values = {}) =>
    runPipelines({
      nodeUrl: 'http://127.0.0.1:1',
      lake: { folder: lakeDir },
      jobs: [jobOf(squares(head), values)],
      stop: new AbortController().signal,
      emit: () => undefined,
    })
  expect((await run(24, { to: 15 })).jobs).toMatchObject([{ record: 'square', head: 24, records: 15, units: 2 }])
  expect((await run(24)).jobs).toMatchObject([{ records: 10, units: 2, upToDate: false }])
  expect((await run(24)).jobs).toMatchObject([{ records: 0, upToDate: true }])
  const sql = 'select count(*)::int as n, sum(height)::int as total, max(container_index)::int as last from x_vertices'
  expect(await query(lakeDir, sql)).toEqual([{ n: 25, total: 4900, last: 24 }])
  expect(await query(lakeDir, 'select count(*)::int as n from chains')).toEqual([{ n: 0 }])
})
