import type { CoveredSlice, ReadCounts } from '../../../src/catalog/catalog.ts'
import type { Connection, Facts, Pipeline, Range, StreamDeclaration, Tables } from '../../../src/define/index.ts'
import { OtherSourceError } from '../../../src/errors.ts'
import { streamId } from '../../../src/model.ts'
import { subtract } from '../../../src/plan/intervals.ts'
import { openMember, type PlannedSlice } from '../../../src/run/ranges/plan-slices.ts'
import { interleavedSlices, readSlices } from '../../../src/run/ranges/read-slices.ts'
import { verifyCommittedEnds } from '../../../src/run/ranges/slice-checks.ts'

/**
 * What runs store of ranges, in memory, for tests that would be slow with a lake. `walkRanges` reads with the engine of runs, and replaces what
 * plans and commits.
 */
export type MemoryRange = {
  /** Texts: the memory of bytes is reused after a record has been read. */
  readonly rows: string[]
  /** By stream. */
  readonly covered: Map<string, readonly CoveredSlice[]>
}

export type RangeDeclaration = StreamDeclaration & { readonly walk: Range }

export function newMemoryRange(): MemoryRange {
  return { rows: [], covered: new Map() }
}

/** The streams of a pipeline that reads a node. */
export async function rangesOf(pipeline: Pipeline, values: object, connection: Connection, node: object = {}) {
  const facts = {
    node: async () => ({ network: 'test', ...node }),
    ask: (_: unknown, question: (connection: Connection) => unknown) => question(connection),
  } as unknown as Facts
  const streams = (await pipeline.streams(values as never, facts)) as readonly RangeDeclaration[]
  return streams.map((stream) => ({ ...stream, tables: stream.tables ?? pipeline.tables }))
}

/** Reads what is missing below the head. */
export async function walkRanges(
  declared: readonly RangeDeclaration[],
  lake: MemoryRange,
  connection: Connection,
): Promise<void> {
  const slices: PlannedSlice[] = []
  for (const stream of declared) slices.push(...(await slicesOf(stream, lake, connection)))
  const stop = new AbortController().signal
  const run = { runId: 'run', concurrency: 2, commitEveryMs: 60_000, stop }
  const isShared = slices[0]?.member.source.shared !== undefined
  await readSlices(isShared ? interleavedSlices(slices) : slices, run, {
    read: () => undefined,
    rowsOf: () => {
      const rows: string[] = []
      return {
        adder: (table) => (added) => void rows.push(...added.map((row) => `${table} ${textOf(row)}`)),
        relieve: async () => undefined,
        finish: async () => [],
        abort: async () => undefined,
        rows: () => rows.length,
        basis: () => null,
        written: () => new Map(),
        // Where a run counts the rows, this lake has them.
        read: () => rows as unknown as ReadCounts,
      }
    },
    deliver: async ({ commit: { stream, progress, others = [], read } }) => {
      for (const own of [{ stream, progress }, ...others]) {
        if (own.progress.kind !== 'slice') continue
        const known = lake.covered.get(streamId(own.stream)) ?? []
        const added = { ...own.progress, blockEnds: own.progress.blockEnds ?? null, bytes: 0 }
        for (const each of known) checkMeeting(each, added)
        lake.covered.set(
          streamId(own.stream),
          [...known, added].sort((a, b) => a.slice.from - b.slice.from),
        )
      }
      lake.rows.push(...(read as unknown as string[]))
    },
  })
}

async function slicesOf(declared: RangeDeclaration, lake: MemoryRange, connection: Connection) {
  const member = await openMember(declared, () => connection, 4)
  const { walk, source } = member
  const known = lake.covered.get(streamId(declared.stream)) ?? []
  const head = await source.head()
  if (head === null) return []
  await verifyCommittedEnds(member, known, head)
  const from = Math.max(source.begins?.().at ?? 0, Number(walk.from))
  const missing = subtract(
    [{ from, to: Math.max(from, head + 1) }],
    known.map(({ slice }) => slice),
  )
  const tables = walk.outputs.flatMap((output) => Object.values(output.tables as Tables).map(({ name }) => name))
  return missing.map((slice): PlannedSlice => {
    const follows = known.some((covered) => covered.slice.to === slice.from)
    return { member, slice, tables, read: slice, source, overlapping: [], follows }
  })
}

/** As the catalog does: two slices that touch are of one chain. */
function checkMeeting(known: CoveredSlice, added: CoveredSlice): void {
  const [left, right] = known.slice.from < added.slice.from ? [known, added] : [added, known]
  if (left.slice.to !== right.slice.from) return
  for (const kind of ['ends', 'blockEnds'] as const) {
    const ids = [left[kind]?.lastId ?? null, right[kind]?.firstParentId ?? null]
    if (!ids.includes(null) && ids[0] !== ids[1]) throw new OtherSourceError('The slice does not join the rows.', {})
  }
}

function textOf(row: object): string {
  return JSON.stringify(row, (_, value) => {
    if (typeof value === 'bigint') return `${value}n`
    return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
  })
}
