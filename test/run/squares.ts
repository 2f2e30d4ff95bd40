import {
  type Columns,
  type DerivedView,
  identity,
  pipeline,
  type Range,
  type Table,
  t,
  table,
} from '../../src/define/index.ts'
import { runPipelines } from '../../src/run/jobs/run-pipelines.ts'
import { jobOf } from './job-of.ts'

const stop = new AbortController().signal
const emit = () => undefined

export const base: Columns = {
  network: t.text('Network.'),
  number: t.int64('Number.'),
  square: t.decimal38('Its square.'),
  parts: t.list(t.struct({ half: t.text('Half.') }, 'Part.'), 'Parts.', { nullable: true }),
}

export function squaresTable(columns: Columns = base, more: Partial<Table> = {}): Table {
  const declared = table({
    name: 'squares',
    comment: 'One row per whole number.',
    key: ['network', 'number'],
    sortBy: ['number'],
    partitionBy: [identity('network')],
    columns,
  })
  return { ...declared, ...more }
}

/** A pipeline that fills the table with the numbers from `from` to `to`. */
export function squares(own: Table, from: number, to: number, views: readonly DerivedView[] = []) {
  const row = (number: number) => {
    const all: Record<string, unknown> = {
      network: 'mine',
      number,
      square: BigInt(number) ** 2n,
      parts: [{ half: 'a' }],
    }
    return Object.fromEntries(Object.keys(own.columns).map((name) => [name, all[name] ?? null]))
  }
  const tables = { squares: own }
  const walk: Range<number> = {
    kind: 'range',
    record: 'square',
    what: 'the squares',
    endpoint: { url: 'http://127.0.0.1:1' },
    source: async () => ({
      head: async () => 1000,
      windowSize: () => 10,
      window: async (first, end) => Array.from({ length: end - first }, (_, at) => first + at),
      at: (number) => number,
    }),
    from,
    to,
    unit: 10,
    order: 'chain',
    outputs: [{ tables, read: (number: number) => ({ squares: [row(number)] }) }],
    context: null,
    linkOf: null,
    notice: null,
  }
  return pipeline({
    name: 'squares',
    comment: 'Squares of whole numbers.',
    parameters: {},
    reads: 'node',
    walks: ['range'],
    tables,
    views,
    streams: () => [{ stream: { network: 'mine', path: 'squares/all', parameters: {} }, walk }],
  })
}

/** Writes the numbers from `from` to `to`, ten in each file. */
export function writeSquares(folder: string, own: Table, from: number, to: number, more: { dropsColumns?: true } = {}) {
  const jobs = [jobOf(squares(own, from, to), {})]
  return runPipelines({ nodeUrl: 'http://127.0.0.1:1', lake: { folder }, jobs, stop, emit, ...more })
}
