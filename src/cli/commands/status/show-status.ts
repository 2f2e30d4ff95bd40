import type { StreamStatus } from '../../../catalog/catalog.ts'
import { printJson, printLine } from '../../terminal/output.ts'
import { readLakeStatus, type StatusFlags } from './read-status.ts'
import { watchStatus } from './watch-status.ts'

/** Exit code when a stream is stale. */
const staleExitCode = 9

/** `chainlake status`: resolves to the exit code. */
export async function showStatus(names: readonly string[], flags: StatusFlags): Promise<number> {
  if (flags.watch === true) return watchStatus(names, flags)
  const { status, tasks, stale, text } = await readLakeStatus(names, flags)
  if (flags.json)
    await printJson({
      ...status,
      streams: status.streams.map(withUnit),
      ...(tasks === null ? {} : { tasks }),
      ...(stale === null ? {} : { stale: stale.streams }),
    })
  else await printLine(text(shownWidth()))
  return (stale?.streams.length ?? 0) > 0 ? staleExitCode : 0
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
