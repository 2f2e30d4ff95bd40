import { expect, test } from 'vitest'
import { xVertices } from '../../schemas/x-chain.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { p, pipeline, type Range, type RangeSource, type RowOf } from '../../src/define/index.ts'
import { packageVersion } from '../../src/lib/package.ts'
import { runPipelines } from '../../src/run/jobs/run-pipelines.ts'
import { runTask } from '../../src/run/work/run-task.ts'
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

/** The same source as an instance of a class, which a module may have. */
class Squares implements RangeSource<Square> {
  readonly #all: RangeSource<Square>
  constructor(head: number) {
    this.#all = squaresUpTo(head)
  }
  head(): Promise<number | null> {
    return this.#all.head()
  }
  windowSize(): number {
    return this.#all.windowSize()
  }
  async window(from: number, to: number): Promise<Square[]> {
    return this.#all.window(from, to)
  }
  at(square: Square): number {
    return this.#all.at(square)
  }
}

function squares(head: number, sourceOf: (head: number) => RangeSource<Square> = squaresUpTo) {
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
        source: async () => sourceOf(head),
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

test('a task of a worker reads a source that is an instance of a class', async () => {
  const lake = { folder: newLake() }
  const shared = { nodeUrl: 'http://127.0.0.1:1', lake, stop: new AbortController().signal, emit: () => undefined }
  await runPipelines({ ...shared, jobs: [jobOf(squares(24), { to: 5 })] })
  const module = { path: 'squares.js', hash: 'one' }
  const { lakeId } = await (await openCatalog(lake, [xVertices])).snapshot()
  const task = {
    chainlake: packageVersion(),
    lake: lakeId,
    job: 'squares',
    message: { pipeline: 'squares', module, values: {}, facts: { node: null, answers: [] }, ids: {} },
    urls: [],
    streams: [{ network: 'mine', path: 'squares/all', parameters: {} }],
    slice: { from: 5, to: 20 },
    chainCheckpoint: null,
  }
  // The node of the worker may be late.
  const pipelines = [{ ...squares(3, (head) => new Squares(head)), module }]
  expect(await runTask(task, { ...shared, pipelines, urls: [] })).toMatchObject({ is: 'done', rows: 15 })
})
