import { tables as declaredTables } from '../../../../schemas/index.ts'
import { openCatalog, type StreamGap } from '../../../catalog/catalog.ts'
import { ConfigError } from '../../../errors.ts'
import { boundText, lengthText } from '../../../run/job/slice-text.ts'
import {
  type AwaitedList,
  acceptedGapsOf,
  awaitedLists,
  type Gap,
  gapsOf,
  type UnreadList,
  unreadLists,
} from '../../../run/status/lake-gaps.ts'
import { readSettings } from '../../settings/settings.ts'
import type { SettingFlags } from '../../settings/typed-value.ts'
import { printJson, printLine } from '../../terminal/output.ts'
import { textTable } from '../../terminal/text-table.ts'
import { chosenStreams } from './chosen-streams.ts'

type GapsFlags = SettingFlags & {
  readonly check?: boolean | undefined
  readonly accept?: boolean | undefined
  readonly revoke?: boolean | undefined
  readonly stream?: string | undefined
  readonly table?: string | undefined
  readonly json?: boolean | undefined
}

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
  if (flags.json)
    await printJson([
      ...ranges,
      ...unread.map(({ isAccepted, ...list }) => ({
        ...list,
        unit: 'list',
        ...(isAccepted ? { accepted: true } : {}),
      })),
      ...lists.map((list) => ({ ...list, unit: 'list', from: null, to: null })),
      ...acceptedRanges.map((gap) => ({ ...gap, accepted: true })),
    ])
  else await printLine(gapsText({ ranges, lists, acceptedRanges, unread }))
  return flags.check === true && gaps.length + lists.length > 0 ? incompleteExitCode : 0
}

/** What is missing in the chosen streams and tables. `gaps` can be accepted, and the acceptance of `accepted` taken back. */
async function missing(catalog: Awaited<ReturnType<typeof openCatalog>>, { stream, table }: GapsFlags) {
  const status = await catalog.status()
  const chosen = stream === undefined ? status.streams : chosenStreams(status.streams, stream.split(','), undefined)
  const streams = { ...status, streams: chosen }
  const isChosen = (row: { readonly table: string }) => table === undefined || row.table === table
  const ranges = gapsOf(streams).filter(isChosen)
  const unread = unreadLists(streams).filter(isChosen)
  const acceptedRanges = acceptedGapsOf(streams).filter(isChosen)
  const asGaps = (rows: typeof ranges, lists: typeof unread): StreamGap[] => [
    ...rows.map(({ from, to, ...gap }) => ({ stream: gap.stream, table: gap.table, slice: { from, to } })),
    ...lists.map((list) => ({ stream: list.stream, table: list.table, slice: null })),
  ]
  return {
    ranges,
    unread,
    acceptedRanges,
    lists: awaitedLists(streams).filter(isChosen),
    gaps: asGaps(
      ranges,
      unread.filter(({ isAccepted }) => !isAccepted),
    ),
    accepted: asGaps(
      acceptedRanges,
      unread.filter(({ isAccepted }) => isAccepted),
    ),
  }
}

type Missing = {
  readonly ranges: readonly Gap[]
  readonly lists: readonly AwaitedList[]
  readonly unread: readonly UnreadList[]
  readonly acceptedRanges: readonly Gap[]
}

/** What is missing in a lake, for people. */
export function gapsText({ ranges, lists, unread, acceptedRanges }: Missing): string {
  const open = unread.filter(({ isAccepted }) => !isAccepted)
  const accepted = unread.filter(({ isAccepted }) => isAccepted)
  const parts = [
    ...(ranges.length === 0 ? [] : [rangesText(ranges)]),
    ...(open.length === 0
      ? []
      : [`These lists ended before the rows that are known. The items between were not read:\n${unreadText(open)}`]),
    ...(lists.length === 0 ? [] : [listsText(lists)]),
  ]
  const missing = parts.length === 0 ? ['No gaps.'] : parts
  const taken = [
    ...(acceptedRanges.length === 0 ? [] : [rangesText(acceptedRanges)]),
    ...(accepted.length === 0 ? [] : [unreadText(accepted)]),
  ]
  return [...missing, ...(taken.length === 0 ? [] : [`Accepted gaps:\n${taken.join('\n\n')}`])].join('\n\n')
}

function rangesText(gaps: readonly Gap[]): string {
  const rows = gaps.map(({ stream, table, unit, from, to }) => [
    stream,
    table,
    boundText(from, unit),
    boundText(to, unit),
    lengthText(to - from, unit),
  ])
  return textTable(['stream', 'table', '>from', '>to', '>missing'], rows)
}

function unreadText(lists: readonly UnreadList[]): string {
  const timeText = (seconds: number | null): string => (seconds === null ? '' : boundText(seconds, 'seconds'))
  const rows = lists.map(({ stream, table, from, to }) => [stream, table, timeText(from), timeText(to)])
  return textTable(['stream', 'table', '>after', '>before'], rows)
}

function listsText(lists: readonly AwaitedList[]): string {
  const rows = lists.map(({ stream, table }) => [stream, table])
  return `A repair removed rows of these lists. The next run of their jobs reads them again:\n${textTable(['stream', 'table'], rows)}`
}
