import { tables as declaredTables } from '../../../schemas/index.ts'
import {
  type LakeStatus,
  openCatalog,
  type StreamGap,
  type StreamStatus,
  type TableStatus,
  type TaskCounts,
} from '../../catalog/catalog.ts'
import { ConfigError } from '../../errors.ts'
import { groupBy, sumOf } from '../../lib/arrays.ts'
import { suggestion } from '../../lib/suggestion.ts'
import { bytesText, counted, countText, durationText, shellText } from '../../lib/text.ts'
import { isWhole, pathId } from '../../model.ts'
import { countOf } from '../../plan/intervals.ts'
import {
  acceptedGapsOf,
  awaitedLists,
  boundText,
  extentText,
  type Gap,
  gapsOf,
  groupStreams,
  knownText,
  lakeStatusWithTasks,
  lastRunOf,
  lengthText,
  rowCount,
  shortName,
  streamSums,
  unreadLists,
} from '../../run/status/lake-status.ts'
import type { FlagsOf } from '../flags/command.ts'
import { parsers, readSettings } from '../settings.ts'
import { cutText } from '../terminal/status-lines.ts'
import { textTable } from '../terminal/tables.ts'
import { printJson, printLine, printResult } from '../terminal/terminal.ts'
import type { gapsCommand, statusCommand } from './lake.ts'

type StatusFlags = FlagsOf<typeof statusCommand>

/** Exit code when a stream is stale or old. */
const staleExitCode = 9

/** `chainlake status`: resolves to the exit code. */
export async function showStatus(flags: StatusFlags, names: readonly string[]): Promise<number> {
  if (flags.interval !== undefined)
    throw new ConfigError('--interval needs --watch.', {
      code: 'config.watch',
      hint: 'Add --watch, or remove --interval.',
    })
  const { lake } = await readSettings(flags)
  const { tasks, newestTimes, ...whole } = await lakeStatusWithTasks(lake)
  const streams = chosenStreams(whole.streams, names, flags.except)
  const status = { ...whole, streams }
  const nowMs = Date.now()
  const late = await lateOf(streams, flags, { nowMs, newestTimes })
  if (flags.json)
    await printJson({
      ...status,
      streams: streams.map(withUnit),
      ...(tasks === null ? {} : { tasks }),
      ...late.facts,
    })
  else {
    const isDetailed = names.length > 0 || flags.streams === true
    const text = isDetailed ? statusText(status) : lakeText(status, { nowMs, width: shownWidth() })
    const parts = [text, tasks === null ? '' : tasksText(tasks), ...late.texts]
    await printLine(parts.filter((part) => part !== '').join('\n\n'))
  }
  return late.isLate ? staleExitCode : 0
}

/** Checks the ages that flags limit: that of the last look at a stream, and that of its newest block. `facts` are for `--json`. */
async function lateOf(
  streams: readonly StreamStatus[],
  { 'max-age': maxAge, 'max-block-age': maxBlockAge }: StatusFlags,
  { nowMs, newestTimes }: { readonly nowMs: number; readonly newestTimes: () => Promise<ReadonlyMap<string, Date>> },
) {
  const maxAgeMs = maxAge === undefined ? 0 : parsers.duration('--max-age', maxAge)
  const stale = maxAge === undefined ? [] : staleStreams(streams, maxAgeMs, nowMs)
  const limit = maxBlockAge === undefined ? null : { maxAgeMs: parsers.age('--max-block-age', maxBlockAge), nowMs }
  const old = limit === null ? [] : oldStreams(streams, await newestTimes(), limit)
  return {
    facts: { ...(maxAge === undefined ? {} : { stale }), ...(limit === null ? {} : { old }) },
    texts: [stale.length === 0 ? '' : staleText(stale, maxAgeMs, nowMs), oldText(old, nowMs)],
    isLate: stale.length + old.length > 0,
  }
}

/** Without a terminal nothing is cut. */
function shownWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY
}

/** A stream without ranges has no unit. */
function withUnit(stream: StreamStatus) {
  const isRange = stream.tables.some(({ slices, gaps }) => slices.length + gaps.length > 0)
  return { ...stream, unit: isRange ? stream.unit : null }
}

/** `viewsSnapshotId` is the snapshot that the views show; null where there are none. */
type LakeOfViews = LakeStatus & { readonly viewsSnapshotId: number | null }

/** When and how wide a text is shown. `width` is infinite without a terminal. */
type Showing = { readonly nowMs: number; readonly width: number }

export const emptyText = 'The lake is empty: no job has run on it yet.'

/** Narrower terminals show no extents. */
const widthOfExtents = 100

/** What a lake has, for people: totals, then problems, then its streams in groups. */
export function lakeText(status: LakeOfViews, showing: Showing): string {
  const { streams } = status
  if (streams.length === 0) return emptyText
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
    ['rows', `${countText(rows)} in ${counted(names.size, 'table')}, ${bytesText(bytes)}`],
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
    return [name, rowCount(group), bytes, lastRunText(group, nowMs), extentText(group)]
  })
  const shown = width < widthOfExtents ? 4 : 5
  return cutTable(
    headings.slice(0, shown),
    rows.map((row) => row.slice(0, shown)),
    width,
  )
}

/** A table. In a terminal that is too narrow for it, the names in its first column are cut. */
function cutTable(headings: readonly string[], rows: readonly (readonly (string | number)[])[], width: number): string {
  const whole = textTable(headings, rows)
  const tooWide = Math.max(...whole.split('\n').map((line) => line.length)) - width
  if (tooWide <= 0) return whole
  const names = rows.map(([name]) => String(name))
  const most = Math.max(shortestName, Math.max(...names.map((name) => name.length)) - tooWide)
  const cut = rows.map(([, ...cells], at) => [cutText(names[at]!, most), ...cells])
  return textTable(headings, cut)
}

/** A name is not cut below this length. */
const shortestName = 20

/** Streams of one path are one group. */
function groupsOf(streams: readonly StreamStatus[]) {
  return [...groupBy(streams, pathId).values()].map((group) =>
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

/** What is wrong with a lake, one line each, with what to do. */
function lakeProblems(status: LakeStatus): string[] {
  const names = new Map(status.streams.map((each) => [each.stream, `${each.network}/${shortName(each)}`]))
  const nameOf = (stream: string) => names.get(stream) ?? stream
  const listLines = (lists: readonly { readonly stream: string }[], says: string) =>
    [...new Set(lists.map(({ stream }) => stream))].map((stream) => `${nameOf(stream)}: ${says}`)
  return [
    ...gapLines(status, nameOf),
    ...listLines(
      unreadLists(status).filter(({ isAccepted }) => !isAccepted),
      'the list ended before the rows that are known; chainlake gaps shows it, and gaps --accept accepts it',
    ),
    ...listLines(awaitedLists(status), 'a repair removed rows; the next run of the job reads the list again'),
    ...failureLines(status.streams, nameOf),
  ]
}

type NameOf = (stream: string) => string

function gapLines(status: LakeStatus, nameOf: NameOf): string[] {
  return [...groupBy(gapsOf(status), ({ stream }) => stream)].map(([stream, gaps]) => {
    const byTable = [...groupBy(gaps, ({ table }) => table)]
    const missing = Math.max(...byTable.map(([, ofTable]) => countOf(ofTable)))
    const { tables = [] } = status.streams.find((each) => each.stream === stream) ?? {}
    const isLeft = byTable.every(([name]) => tables.some(({ table, isLeft }) => table === name && isLeft === true))
    const by = isLeft ? 'a run that fills these tables' : 'the next run of the job'
    return `${nameOf(stream)}: ${lengthText(missing, gaps[0]!.unit)} missing; chainlake gaps shows them, and ${by} reads them`
  })
}

/** How the state of a run without success reads. */
const failures: Readonly<Record<string, string>> = { died: 'crashed', failed: 'failed' }

/** Runs that crashed or failed, unless a later one of the same stream did not. */
function failureLines(streams: readonly StreamStatus[], nameOf: NameOf): string[] {
  const failed = streams.flatMap(({ stream, lastRun }) =>
    lastRun !== null && lastRun.state in failures ? [{ stream, ...lastRun }] : [],
  )
  return [...groupBy(failed, ({ id }) => id)].map(([id, [first, ...others]]) => {
    const { stream, started, state } = first!
    const names = `${nameOf(stream)}${others.length > 0 ? ` and ${others.length} more` : ''}`
    const begun = `${started.toISOString().slice(0, 16)}Z`
    return `${names}: the run ${id} of ${begun} ${failures[state]}; the next run continues after its last commit`
  })
}

/** The tables of streams, for people. */
export function statusText(status: LakeStatus): string {
  if (status.streams.length === 0) return emptyText
  const gaps = gapsOf(status)
  return groupStreams(status.streams)
    .map((group) => groupText(group, gaps))
    .join('\n\n')
}

function groupText({ name, streams }: ReturnType<typeof groupStreams<StreamStatus>>[number], gaps: readonly Gap[]) {
  const [first, ...others] = streams
  const only = others.length === 0 ? first : undefined
  const count = only === undefined ? `  ${countText(streams.length)} streams` : ''
  const title = titleText(`${name}${count}`, lastRunOf(streams))
  if (only?.tables.length === 0) return `${title}\n  nothing committed yet`
  const isRange = only !== undefined && only.stretches === null && only.observations === null
  if (isRange && only.tables.some(({ slices, gaps: own }) => slices.length + own.length > 0)) {
    const rows = only.tables.map((table) => tableRow(only, table, gaps))
    return `${title}\n${textTable(['  table', '>from', '>to', '>covered', '>gaps', '>rows', '>bytes'], rows)}`
  }
  // Lists and observations have no ranges: a line of their own describes them.
  const known = isRange ? '' : `  ${knownText(streams)}\n`
  const tables = groupBy(
    streams.flatMap((stream) => stream.tables),
    ({ table }) => table,
  )
  const rows = [...tables].map(([table, alike]) => [`  ${table}`, sumOf(alike, 'rows'), sumOf(alike, 'bytes')])
  return `${title}\n${known}${textTable(['  table', '>rows', '>bytes'], rows)}`
}

/** The name of a stream and its last run, which is on a line of its own below a long name. */
function titleText(name: string, lastRun: StreamStatus['lastRun']): string {
  if (lastRun === null) return name
  return `${name}${name.includes('?') ? '\n' : ''}  last run ${lastRun.id}: ${runText(lastRun)}`
}

function tableRow({ stream, unit }: StreamStatus, { table, slices, rows, bytes }: TableStatus, all: readonly Gap[]) {
  const [from, to] = [slices[0]?.from ?? 0, slices.at(-1)?.to ?? 0].map((bound) => boundText(bound, unit))
  const gaps = all.filter((gap) => gap.stream === stream && gap.table === table)
  return [`  ${table}`, from!, to!, lengthText(countOf(slices), unit), gaps.length, rows, bytes]
}

function runText({ state, started, ended, pid, host }: NonNullable<StreamStatus['lastRun']>): string {
  const since = `started ${started.toISOString().slice(0, 19)}Z`
  if (ended === null) return `${state}, ${since}, process ${pid} on ${host}`
  return `${state}, ${since}, ended ${ended.toISOString().slice(0, 19)}Z`
}

/** A stream that last reached its head too long ago, or never. */
type StaleStream = {
  readonly network: string
  readonly path: string
  readonly stream: string
  readonly reached: Date | null
  /** When the last run of the stream began. */
  readonly begun: Date | null
}

/**
 * The streams that last reached their head more than `maxAgeMs` ago. A run reaches the head of an idle chain, too, so an idle chain is
 * not stale. The stream `chains` of a network never changes and is left out.
 */
export function staleStreams(streams: readonly StreamStatus[], maxAgeMs: number, nowMs: number): StaleStream[] {
  return streams
    .filter(({ kind }) => kind !== 'chains')
    .filter(({ reached }) => reached === null || nowMs - reached.getTime() > maxAgeMs)
    .map(({ stream, network, path, reached, lastRun }) => ({
      stream,
      network,
      path,
      reached,
      begun: lastRun?.started ?? null,
    }))
}

/** One line per stale stream, and what to do about streams without a run in that time. */
export function staleText(stale: readonly StaleStream[], maxAgeMs: number, nowMs: number): string {
  const lines = stale.map(({ stream, reached }) =>
    reached === null
      ? `stale: ${stream}: never reached its head`
      : `stale: ${stream}: last reached its head ${durationText((nowMs - reached.getTime()) / 1000)} ago`,
  )
  const idle = stale.filter(({ begun }) => begun === null || nowMs - begun.getTime() > maxAgeMs)
  if (idle.length === 0) return lines.join('\n')
  const names = [...new Set(idle.map(pathId))].join(',')
  const which = idle.length === stale.length ? 'these' : 'some of these'
  return [
    ...lines,
    `No run of ${which} has started in that time. Run them, or leave out streams that are not run any more: --except ${shellText(names)}`,
  ].join('\n')
}

/** A stream with a newest block that is too old. */
type OldStream = { readonly stream: string; readonly newest: Date }

/** The streams with a newest block older than `maxAgeMs`. Streams without block times do not count. */
export function oldStreams(
  streams: readonly StreamStatus[],
  newest: ReadonlyMap<string, Date>,
  { maxAgeMs, nowMs }: { readonly maxAgeMs: number; readonly nowMs: number },
): OldStream[] {
  return streams.flatMap(({ stream }) => {
    const time = newest.get(stream)
    return time === undefined || nowMs - time.getTime() <= maxAgeMs ? [] : [{ stream, newest: time }]
  })
}

export function oldText(old: readonly OldStream[], nowMs: number): string {
  return old
    .map(
      ({ stream, newest }) =>
        `old: ${stream}: the newest block is ${durationText((nowMs - newest.getTime()) / 1000)} old; the node may stand still, or the chain is quiet`,
    )
    .join('\n')
}

type GapsFlags = FlagsOf<typeof gapsCommand>

/** Exit code when something is missing. */
const incompleteExitCode = 9

/** `chainlake gaps`: resolves to the exit code. */
export async function showGaps(flags: GapsFlags): Promise<number> {
  if (flags.accept === true && flags.revoke === true)
    throw new ConfigError('--accept and --revoke exclude each other.', { code: 'config.arguments' })
  const { lake } = await readSettings(flags)
  const catalog = await openCatalog(lake, declaredTables)
  if (flags.accept === true || flags.revoke === true) {
    const { gaps, accepted } = await missing(catalog, flags)
    await catalog.changeAcceptedGaps({ gaps: flags.accept === true ? gaps : accepted, accepted: flags.accept === true })
  }
  const { ranges, lists, acceptedRanges, unread, gaps } = await missing(catalog, flags)
  const facts = [
    ...ranges,
    ...unread.map(({ isAccepted, ...list }) => ({ ...list, unit: 'list', ...(isAccepted ? { accepted: true } : {}) })),
    ...lists.map((list) => ({ ...list, unit: 'list', from: null, to: null })),
    ...acceptedRanges.map((gap) => ({ ...gap, accepted: true })),
  ]
  await printResult(flags, facts, gapsText({ ranges, lists, acceptedRanges, unread }))
  return flags.check === true && gaps.length + lists.length > 0 ? incompleteExitCode : 0
}

/** What is missing in the chosen streams and tables. `gaps` can be accepted, and the acceptance of `accepted` taken back. */
async function missing(catalog: Awaited<ReturnType<typeof openCatalog>>, { stream, table }: GapsFlags) {
  const status = await catalog.status()
  const chosen = stream === undefined ? status.streams : chosenStreams(status.streams, stream.split(','))
  const streams = { ...status, streams: chosen }
  const isChosen = (row: { readonly table: string }) => table === undefined || row.table === table
  const ranges = gapsOf(streams).filter(isChosen)
  const unread = unreadLists(streams).filter(isChosen)
  const acceptedRanges = acceptedGapsOf(streams).filter(isChosen)
  const asGaps = (rows: typeof ranges, lists: typeof unread): StreamGap[] => [
    ...rows.map(({ from, to, ...gap }) => ({ stream: gap.stream, table: gap.table, slice: { from, to } })),
    ...lists.map((list) => ({ stream: list.stream, table: list.table, slice: null })),
  ]
  const [open, closed] = [false, true].map((accepted) => unread.filter(({ isAccepted }) => isAccepted === accepted))
  return {
    ranges,
    unread,
    acceptedRanges,
    lists: awaitedLists(streams).filter(isChosen),
    gaps: asGaps(ranges, open!),
    accepted: asGaps(acceptedRanges, closed!),
  }
}

/** What is missing in a lake, for people. */
export function gapsText({
  ranges,
  lists,
  unread,
  acceptedRanges,
}: Pick<Awaited<ReturnType<typeof missing>>, 'ranges' | 'lists' | 'unread' | 'acceptedRanges'>): string {
  const unreadText = (title: string, isAccepted: boolean): string[] => {
    const timeText = (seconds: number | null): string => (seconds === null ? '' : boundText(seconds, 'seconds'))
    const shown = unread.filter((list) => list.isAccepted === isAccepted)
    const rows = shown.map(({ stream, table, from, to }) => [stream, table, timeText(from), timeText(to)])
    return titledTable(title, ['stream', 'table', '>after', '>before'], rows)
  }
  const awaited = lists.map(({ stream, table }) => [stream, table])
  const open = [
    ...rangesText(ranges),
    ...unreadText('These lists ended before the rows that are known. The items between were not read:\n', false),
    ...titledTable(
      'A repair removed rows of these lists. The next run of their jobs reads them again:\n',
      ['stream', 'table'],
      awaited,
    ),
  ]
  const accepted = [...rangesText(acceptedRanges), ...unreadText('', true)]
  return [
    ...(open.length === 0 ? ['No gaps.'] : open),
    ...(accepted.length === 0 ? [] : [`Accepted gaps:\n${accepted.join('\n\n')}`]),
  ].join('\n\n')
}

function rangesText(gaps: readonly Gap[]): string[] {
  const rows = gaps.map(({ stream, table, unit, from, to }) => [
    stream,
    table,
    boundText(from, unit),
    boundText(to, unit),
    lengthText(to - from, unit),
  ])
  return titledTable('', ['stream', 'table', '>from', '>to', '>missing'], rows)
}

/** A table after its title; nothing without rows. */
function titledTable(title: string, headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return rows.length === 0 ? [] : [`${title}${textTable(headings, rows)}`]
}

/** The streams that the command is about: those of `names`, without those that `except` names, separated by commas. Throws ConfigError. */
export function chosenStreams(
  streams: readonly StreamStatus[],
  names: readonly string[],
  except?: string | undefined,
): readonly StreamStatus[] {
  const left = except === undefined ? [] : chosen(streams, except.split(','))
  return chosen(streams, names).filter((each) => !left.includes(each))
}

/** All streams, or those that a name matches, in their order. */
function chosen(streams: readonly StreamStatus[], names: readonly string[]): readonly StreamStatus[] {
  if (names.length === 0) return streams
  const named = new Set(names.flatMap((name) => streamsNamed(streams, name)))
  return streams.filter((each) => named.has(each))
}

/** A name is that of a stream, its part before the `?`, a network, or what `status` lists below a network. */
function streamsNamed(streams: readonly StreamStatus[], name: string): readonly StreamStatus[] {
  const exact = streams.filter((each) => [each.stream, pathId(each), each.network].includes(name))
  if (exact.length > 0) return exact
  const listed = streams.filter((each) => [shortName(each), each.path].includes(name))
  const networks = [...new Set(listed.map(({ network }) => network))].sort()
  if (networks.length === 1) return listed
  if (networks.length > 1)
    throw new ConfigError(`Several networks have a stream ${JSON.stringify(name)}: ${networks.join(', ')}.`, {
      code: 'config.stream',
      hint: `Name the network, such as ${listed.map(pathId)[0]}.`,
    })
  throw new ConfigError(`The lake has no stream ${JSON.stringify(name)}.`, {
    code: 'config.stream',
    hint: suggestion(
      name,
      streams.flatMap((each) => [pathId(each), each.path]),
      '`chainlake status` lists the streams.',
    ),
  })
}

/** The tasks of workers, for people. */
export function tasksText({ waiting, underWay, again, done, givenUp }: TaskCounts): string {
  const retried = again === 0 ? '' : `, ${countText(again)} waiting for a retry`
  const past = `${countText(done)} done, ${countText(givenUp)} failed for good in the last days`
  return `worker tasks: ${countText(underWay)} running, ${countText(waiting)} waiting${retried}; ${past}`
}
