import type { CoverageRow } from '../../catalog/catalog.ts'
import type { NetworkIdentity, RangeOutput, Table } from '../../define/index.ts'
import type { Transport } from '../../fetch/transport.ts'
import { type ComparedWith, type DecodedRow, decodedTables } from '../lake/compare-rows.ts'
import type { Finding } from '../lake/finding.ts'
import type { LakeRows } from '../lake/lake-rows.ts'
import type { Outcome } from './node-questions.ts'

export type SampleOptions = {
  readonly transport: Transport
  /** Records of each stream that are asked for, spread over what is covered. */
  readonly sample: number
  readonly stop: AbortSignal
  readonly onProgress: (progress: { readonly what: string; readonly done: number; readonly of: number }) => void
}

/** `identity`: who the node is. */
export type SourceOptions = SampleOptions & { readonly identity: NetworkIdentity }

/** Records that are compared at once. */
export const batch = 100
export const told = 100

/** What differences from a node are. */
export const kinds = { different: 'source.different', missing: 'source.missing', extra: 'source.extra' } as const
/** Records become rows as in a run, and are compared table by table. */
export async function compareAll<R extends { readonly index: number }>(
  rows: LakeRows,
  row: CoverageRow,
  { tables, read }: RangeOutput<R>,
  records: readonly R[],
  context: unknown,
  from: ComparedWith,
): Promise<Finding[]> {
  const decoded = decodedTables(tables as Record<string, Table>)
  for (const record of records) decoded.add(record.index, read(record, context) as Record<string, DecodedRow[]>)
  return decoded.compare(rows, row, from)
}

/** Compares coordinates of a stream with the node, some at a time, until enough is wrong. */
export async function compareSample(
  { stream }: CoverageRow,
  { stop, onProgress }: SampleOptions,
  wanted: readonly number[],
  compare: (some: readonly number[]) => Promise<readonly Finding[]>,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (let start = 0; start < wanted.length && findings.length < told; start += batch) {
    stop.throwIfAborted()
    onProgress({ what: stream, done: start, of: wanted.length })
    findings.push(...(await compare(wanted.slice(start, start + batch))))
  }
  onProgress({ what: stream, done: wanted.length, of: wanted.length })
  return findings.slice(0, told)
}

/** Coordinates spread evenly over a slice, its ends among them. */
export function sampleOf({ slice: { from, to } }: CoverageRow, sample: number): number[] {
  const count = Math.min(sample, to - from)
  if (count <= 1) return count === 1 ? [to - 1] : []
  return Array.from({ length: count }, (_, at) => from + Math.floor((at * (to - from - 1)) / (count - 1)))
}

/** What a node answered to questions about coordinates, asked at once; what it refused is a finding. `null`: it cannot be asked so. */
export async function askEach<T, A>(
  row: CoverageRow,
  what: string,
  all: readonly T[],
  ask: (one: T) => Promise<Outcome<A>>,
): Promise<{ readonly answers: readonly { readonly of: T; readonly answer: A }[]; readonly refusals: Finding[] }> {
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
    message: `The node refuses ${what} of ${row.stream} that the lake has.`,
    network: row.network,
    table: row.table,
    stream: row.stream,
    found: refusal,
  }
}
