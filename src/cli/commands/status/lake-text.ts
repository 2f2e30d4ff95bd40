import type { LakeStatus, StreamStatus } from '../../../catalog/catalog.ts'
import { bytesText } from '../../../lib/text/bytes-text.ts'
import { countText } from '../../../lib/text/count-text.ts'
import { durationText } from '../../../lib/text/duration-text.ts'
import { isWhole } from '../../../model.ts'
import { streamsByPath } from '../../../run/status/group-streams.ts'
import { extentText, rowCount } from '../../../run/status/known-text.ts'
import { lastRunOf } from '../../../run/status/last-run.ts'
import { shortName } from '../../../run/status/short-name.ts'
import { streamSums } from '../../../run/status/stream-sums.ts'
import { textTable } from '../../terminal/text-table.ts'
import { cutText } from '../../terminal/text-width.ts'
import { lakeProblems } from './lake-problems.ts'

/** `viewsSnapshotId` is the snapshot that the views show; null where there are none. */
type LakeOfViews = LakeStatus & { readonly viewsSnapshotId: number | null }

/** When and how wide a text is shown. `width` is infinite without a terminal. */
type Showing = { readonly nowMs: number; readonly width: number }

/** Narrower terminals show no extents. */
const widthOfExtents = 100

/** What a lake has, for people: totals, then problems, then its streams in groups. */
export function lakeText(status: LakeOfViews, showing: Showing): string {
  const { streams } = status
  if (streams.length === 0) return 'The lake is empty: no job has run on it yet.'
  const problems = lakeProblems(status)
  return [
    totalsText(status, showing.nowMs),
    problems.length === 0 ? 'No problems.' : ['Problems:', ...problems.map((problem) => `  ${problem}`)].join('\n'),
    ...networksOf(streams).map((network) =>
      groupsText(
        network,
        streams.filter((each) => each.network === network),
        showing,
      ),
    ),
    'The tables of a stream: chainlake status NAME, or --streams for all.',
  ].join('\n\n')
}

function totalsText({ streams, snapshotId, viewsSnapshotId }: LakeOfViews, nowMs: number): string {
  const { rows, bytes } = streamSums(streams)
  const names = new Set(streams.flatMap(({ tables }) => tables.map(({ table }) => table)))
  const facts = [
    ['rows', `${countText(rows)} in ${countText(names.size)} tables, ${bytesText(bytes)}`],
    ['networks', networksOf(streams).join(', ')],
    ...headsOf(streams).map((head): [string, string] => ['newest', headText(head, nowMs)]),
    ['snapshot', countText(snapshotId)],
    ...viewsFacts(snapshotId, viewsSnapshotId),
  ]
  return textTable(['', ''], facts).trimStart()
}

/** Views that show an earlier snapshot say so: `views --as-of` wrote them, or a run that has not published its last commits. */
function viewsFacts(snapshotId: number, shown: number | null): [string, string][] {
  if (shown === null || shown === snapshotId) return []
  return [['views', `show snapshot ${countText(shown)}; for the latest one: chainlake views`]]
}

function networksOf(streams: readonly StreamStatus[]): string[] {
  return [...new Set(streams.map(({ network }) => network))].sort()
}

/** Ranges of blocks or containers without parameters that choose some of them, such as contracts. */
function headsOf(streams: readonly StreamStatus[]): StreamStatus[] {
  return streams.filter(
    (stream) =>
      ['block', 'evm-blocks'].includes(stream.kind ?? '') &&
      isWhole(stream) &&
      stream.tables.some(({ slices }) => slices.length > 0),
  )
}

/** The last block of a chain in the lake, and how long ago it was the newest block of the chain. */
function headText(stream: StreamStatus, nowMs: number): string {
  const { network, unit, tables, reached } = stream
  const end = Math.max(...tables.flatMap(({ slices }) => slices.map(({ to }) => to)))
  const last = `${network}/${shortName(stream)}: ${unit.slice(0, -1)} ${countText(end - 1)}`
  return reached === null ? `${last}; not at the head yet` : `${last}; at the head ${ageText(reached, nowMs)}`
}

/** In the largest unit, such as `32 min ago`. */
function ageText(time: Date, nowMs: number): string {
  const [count, unit] = durationText(Math.max(0, (nowMs - time.getTime()) / 1000)).split(' ')
  return `${count} ${unit} ago`
}

/** One line per pipeline and chain, or per stream where its parameters say what it is. */
function groupsText(network: string, streams: readonly StreamStatus[], { nowMs, width }: Showing): string {
  const headings = [`streams of ${network}`, '>rows', '>bytes', 'last run', 'extent']
  const rows = groupsOf(streams).map(({ name, streams: group }) => {
    const { bytes } = streamSums(group)
    return [name, countText(rowCount(group)), bytesText(bytes), lastRunText(group, nowMs), extentText(group)]
  })
  const shown = width < widthOfExtents ? 4 : 5
  return cutTable(
    headings.slice(0, shown),
    rows.map((row) => row.slice(0, shown)),
    width,
  )
}

/** A table. In a terminal that is too narrow for it, the names in its first column are cut. */
function cutTable(headings: readonly string[], rows: readonly (readonly string[])[], width: number): string {
  const whole = textTable(headings, rows)
  const tooWide = Math.max(...whole.split('\n').map((line) => line.length)) - width
  if (tooWide <= 0) return whole
  const longest = Math.max(...rows.map(([name = '']) => name.length))
  const most = Math.max(shortestName, longest - tooWide)
  return textTable(
    headings,
    rows.map(([name = '', ...cells]) => [cutText(name, most), ...cells]),
  )
}

/** A name is not cut below this length. */
const shortestName = 20

type Group = { readonly name: string; readonly streams: readonly StreamStatus[] }

/** Streams of one path are one group. */
function groupsOf(streams: readonly StreamStatus[]): Group[] {
  return [...streamsByPath(streams).values()].map((group) =>
    group.length === 1
      ? { name: shortName(group[0]!), streams: group }
      : { name: `${group[0]!.path}, ${countText(group.length)} streams`, streams: group },
  )
}

function lastRunText(streams: readonly StreamStatus[], nowMs: number): string {
  const last = lastRunOf(streams)
  if (last === null) return ''
  const age = ageText(last.ended ?? last.started, nowMs)
  return last.state === 'done' ? age : `${last.state}, ${age}`
}
