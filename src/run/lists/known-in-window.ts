import type { FileFacts } from '../../catalog/catalog.ts'
import { coordinateOf } from '../../decode/requested-rows.ts'
import type { Page, RangeWalk, Requested, RequestedRange, StreamDeclaration, Table } from '../../define/index.ts'
import { type Slice, streamId } from '../../model.ts'
import type { ListRun } from '../rows/lake-run.ts'

type KnownRun = Pick<ListRun, 'catalog' | 'lookup'>
type Windows = StreamDeclaration & { readonly walk: RangeWalk }

/**
 * Watches the answers for windows that an earlier run has read in part. The function that it returns takes a window with its pages. It resolves
 * to the coordinate of the newest row that the lake has of the window, if the answer has no row that is as old; otherwise to null. The lake is
 * only asked if the answer has no row of the covered part.
 */
export function watchKnownRows(stream: Windows, run: KnownRun) {
  const id = streamId(stream.stream)
  const { kind, list, ahead, trailing } = stream.walk
  /** Files have rows of up to this many coordinates above their slice. */
  const above = ahead + (kind === 'timeWindow' ? trailing : 0)
  let known: Promise<readonly FileFacts[]> | null = null
  return async (window: Slice, pages: readonly Page[]): Promise<number | null> => {
    const { requested } = list({ from: window.from, to: window.from + 1 })
    const range = requested?.range
    const least = range === undefined ? null : leastOf(pages, range)
    if (range === undefined || least === window.from) return null
    // The run reads nothing again that it commits itself.
    known ??= run.catalog.fileFacts(id)
    const files = (await known).filter(({ sources }) => readEnd(sources, id, window, above) > window.from)
    const end = (beyond: number) => Math.max(...files.map(({ sources }) => readEnd(sources, id, window, beyond)))
    if (files.length === 0 || (least !== null && least < end(0))) return null
    const slice = { from: window.from, to: end(above) }
    const newest = await newestKnown(stream, run, { requested: { ...requested, range }, files, slice })
    return newest !== null && (least === null || newest < least) ? newest : null
  }
}

/** The lowest coordinate of the rows; null without rows. */
function leastOf(pages: readonly Page[], range: RequestedRange): number | null {
  let least: number | null = null
  for (const { rows } of pages)
    for (const row of Object.values(rows).flat()) {
      const at = coordinateOf(row as Readonly<Record<string, unknown>>, range)
      if (least === null || at < least) least = at
    }
  return least
}

/**
 * The end of the part of a window that the slices of a stream in a file cover, or reach with `above` more coordinates; the beginning of the
 * window if there is no such part.
 */
function readEnd(sources: FileFacts['sources'], id: string, { from, to }: Slice, above: number): number {
  const ends = sources.flatMap(({ stream, slice }) =>
    stream === id && slice !== null && slice.from < to ? [Math.min(slice.to + above, to)] : [],
  )
  return Math.max(from, ...ends)
}

type KnownPart = {
  readonly requested: Requested & { readonly range: RequestedRange }
  readonly files: readonly FileFacts[]
  readonly slice: Slice
}

/** The coordinate of the newest row of a stream in a slice; null without one. */
async function newestKnown(
  { stream, tables }: Windows,
  { catalog, lookup }: KnownRun,
  { requested: { values = [], range }, files, slice }: KnownPart,
): Promise<number | null> {
  const { column, holds } = range
  const unit = holds === 'times' ? 1_000_000n : 1n
  const bounds = { column, min: BigInt(slice.from) * unit, max: BigInt(slice.to) * unit - 1n }
  const id = streamId(stream)
  const [own, shared] = [true, false].map((isOwn) =>
    files.filter(({ sources }) => sources.every((source) => source.stream === id) === isOwn),
  ) as [FileFacts[], FileFacts[]]
  const newest: number[] = []
  for (const table of Object.values(tables)) {
    if (!files.some((file) => file.table === table.name)) continue
    const within = new Set((await catalog.tableFiles(table.name, { range: bounds })).files.map(({ path }) => path))
    const paths = (of: readonly FileFacts[]) => of.map(({ path }) => path).filter((path) => within.has(path))
    const where = [...('network' in table.columns ? [{ network: [stream.network] }] : []), ...values]
    const parts = [
      { files: paths(own), where: [] },
      // In a file of several streams, only requested values tell their rows apart.
      ...(values.length > 0 && areTexts(table, where) ? [{ files: paths(shared), where }] : []),
    ]
    for (const part of parts) {
      const found = await lookup.highest({ table, ...part, ...bounds })
      if (found !== null) newest.push(Number(found / unit))
    }
  }
  return newest.length === 0 ? null : Math.max(...newest)
}

function areTexts({ columns }: Table, where: readonly Readonly<Record<string, unknown>>[]): boolean {
  return where.every((values) => Object.keys(values).every((name) => columns[name]?.type.kind === 'text'))
}
