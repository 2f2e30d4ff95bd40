import type { StreamStatus } from '../../../catalog/catalog.ts'
import { ConfigError } from '../../../errors.ts'
import { lakeStatusWithTasks } from '../../../run/status/lake-status.ts'
import { parseDuration } from '../../settings/numbers.ts'
import { readSettings } from '../../settings/settings.ts'
import type { SettingFlags } from '../../settings/typed-value.ts'
import { printJson, printLine } from '../../terminal/output.ts'
import { chosenStreams } from './chosen-streams.ts'
import { lakeText } from './lake-text.ts'
import { type StaleStream, staleStreams, staleText } from './stale-streams.ts'
import { statusText } from './status-text.ts'
import { tasksText } from './tasks-text.ts'

export type StatusFlags = SettingFlags & {
  readonly interval?: string | undefined
  readonly json?: boolean | undefined
  readonly 'max-age'?: string | undefined
  readonly except?: string | undefined
  readonly streams?: boolean | undefined
}

/** Exit code when a stream is stale. */
const staleExitCode = 9

/** `chainlake status`: resolves to the exit code. */
export async function showStatus(names: readonly string[], flags: StatusFlags): Promise<number> {
  if (flags.interval !== undefined)
    throw new ConfigError('--interval needs --watch.', {
      code: 'config.watch',
      hint: 'Add --watch, or remove --interval.',
    })
  const { lake } = await readSettings(flags)
  const { tasks, ...whole } = await lakeStatusWithTasks(lake)
  const streams = chosenStreams(whole.streams, names, flags.except)
  const status = { ...whole, streams }
  const nowMs = Date.now()
  const stale = staleOf(streams, flags['max-age'], nowMs)
  if (flags.json)
    await printJson({
      ...status,
      streams: streams.map(withUnit),
      ...(tasks === null ? {} : { tasks }),
      ...(stale === null ? {} : { stale: stale.streams }),
    })
  else {
    const isDetailed = names.length > 0 || flags.streams === true
    const text = isDetailed ? statusText(status) : lakeText(status, { nowMs, width: shownWidth() })
    const parts = [text, tasks === null ? '' : tasksText(tasks), stale?.text ?? '']
    await printLine(parts.filter((part) => part !== '').join('\n\n'))
  }
  return (stale?.streams.length ?? 0) > 0 ? staleExitCode : 0
}

/** The streams that are stale, and a text about them; null without a maximum age. */
function staleOf(
  streams: readonly StreamStatus[],
  maxAge: string | undefined,
  nowMs: number,
): { readonly streams: readonly StaleStream[]; readonly text: string } | null {
  if (maxAge === undefined) return null
  const maxAgeMs = parseDuration('--max-age', maxAge)
  const stale = staleStreams(streams, maxAgeMs, nowMs)
  return { streams: stale, text: stale.length === 0 ? '' : staleText(stale, maxAgeMs, nowMs) }
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
