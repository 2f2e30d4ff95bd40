import { tables as declaredTables } from '../../../../schemas/index.ts'
import { openCatalog, type StreamGap } from '../../../catalog/catalog.ts'
import { ConfigError } from '../../../errors.ts'
import { acceptedGapsOf, awaitedLists, gapsOf, unreadLists } from '../../../run/status/lake-gaps.ts'
import { readSettings } from '../../settings/settings.ts'
import type { SettingFlags } from '../../settings/typed-value.ts'
import { printJson, printLine } from '../../terminal/output.ts'
import { chosenStreams } from './chosen-streams.ts'
import { gapsText } from './gaps-text.ts'

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
