import type { CoverageRow } from '../../catalog/catalog.ts'
import type { Connection } from '../../define/connection.ts'
import type { NetworkIdentity, RangeOutput, Table } from '../../define/index.ts'
import { type ComparedWith, type DecodedRow, decodedTables } from '../lake/compare-rows.ts'
import type { Finding } from '../lake/finding.ts'
import type { LakeRows } from '../lake/lake-rows.ts'
import type { Reading } from '../lake/stream-reading.ts'
import type { NodeQuestions, Outcome } from './node-questions.ts'

export type SampleOptions = {
  readonly connection: Connection
  /** How many records of each stream to request, spread evenly over the coverage. */
  readonly sample: number
  readonly stop: AbortSignal
  readonly onProgress: (progress: { readonly what: string; readonly done: number; readonly of: number }) => void
}

/** `identity` is the network and the chains of the node. */
export type SourceOptions = SampleOptions & { readonly identity: NetworkIdentity }

/** A stream of containers, and all that its comparison with a node needs. */
export type SampledStream = {
  readonly rows: LakeRows
  readonly row: CoverageRow
  /** The path of the index, such as `P/block`. */
  readonly path: string
  readonly reading: Reading
  readonly options: SourceOptions
  readonly questions: NodeQuestions
}

/** How many records are compared at once. */
export const batch = 100
export const mostFindings = 100

/** The kinds of findings of differences from a node. */
export const kinds = { different: 'source.different', missing: 'source.missing', extra: 'source.extra' } as const

/** What a request was for, and its answer. */
export type Answered<T, A> = { readonly of: T; readonly answer: A }

/** Decodes the records at some coordinates into rows like a run does, and compares them table by table. */
export async function compareAll<R>(
  rows: LakeRows,
  row: CoverageRow,
  { tables, read }: RangeOutput<R>,
  records: readonly Answered<number, R>[],
  context: unknown,
  from: ComparedWith,
): Promise<Finding[]> {
  const decoded = decodedTables(tables as Record<string, Table>)
  for (const { of, answer } of records) decoded.add(of, read(answer, context) as Record<string, DecodedRow[]>)
  return decoded.compare(rows, row, from)
}

/** Compares coordinates of a stream with the node in batches, until there are enough findings. */
export async function compareSample(
  { stream }: CoverageRow,
  { stop, onProgress }: SampleOptions,
  wanted: readonly number[],
  compare: (some: readonly number[]) => Promise<readonly Finding[]>,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (let start = 0; start < wanted.length && findings.length < mostFindings; start += batch) {
    stop.throwIfAborted()
    onProgress({ what: stream, done: start, of: wanted.length })
    findings.push(...(await compare(wanted.slice(start, start + batch))))
  }
  onProgress({ what: stream, done: wanted.length, of: wanted.length })
  return findings.slice(0, mostFindings)
}

/** Coordinates spread evenly over a slice, including both ends. */
export function sampleOf({ slice: { from, to } }: CoverageRow, sample: number): number[] {
  const count = Math.min(sample, to - from)
  if (count <= 1) return count === 1 ? [to - 1] : []
  return Array.from({ length: count }, (_, at) => from + Math.floor((at * (to - from - 1)) / (count - 1)))
}

/** Sends concurrent requests to a node. A refusal becomes a finding; requests of a method that the node does not have are left out. */
export async function askEach<T, A>(
  row: CoverageRow,
  what: string,
  all: readonly T[],
  ask: (one: T) => Promise<Outcome<A>>,
): Promise<{ readonly answers: readonly Answered<T, A>[]; readonly refusals: Finding[] }> {
  const outcomes = await Promise.all(all.map(async (of) => ({ of, outcome: await ask(of) })))
  return {
    answers: outcomes.flatMap(({ of, outcome }) =>
      outcome !== null && 'answer' in outcome ? [{ of, answer: outcome.answer }] : [],
    ),
    refusals: outcomes.flatMap(({ outcome }) =>
      outcome !== null && 'refusal' in outcome ? [refused(row, what, outcome.refusal)] : [],
    ),
  }
}

function refused(row: CoverageRow, what: string, refusal: string): Finding {
  return {
    kind: 'source.missing',
    message: `The node refuses to return ${what} of ${row.stream} that the lake has.`,
    network: row.network,
    table: row.table,
    stream: row.stream,
    found: refusal,
  }
}
