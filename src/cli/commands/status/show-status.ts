import type { StreamStatus } from '../../../catalog/catalog.ts'
import { ConfigError } from '../../../errors.ts'
import { lakeStatusWithTasks } from '../../../run/status/lake-status.ts'
import { parseAge, parseDuration } from '../../settings/numbers.ts'
import { readSettings } from '../../settings/settings.ts'
import type { SettingFlags } from '../../settings/typed-value.ts'
import { printJson, printLine } from '../../terminal/output.ts'
import { chosenStreams } from './chosen-streams.ts'
import { lakeText } from './lake-text.ts'
import { type OldStream, oldStreams, oldText, type StaleStream, staleStreams, staleText } from './stale-streams.ts'
import { statusText } from './status-text.ts'
import { tasksText } from './tasks-text.ts'

export type StatusFlags = SettingFlags & {
  readonly interval?: string | undefined
  readonly json?: boolean | undefined
  readonly 'max-age'?: string | undefined
  readonly 'max-block-age'?: string | undefined
  readonly except?: string | undefined
  readonly streams?: boolean | undefined
}

/** Exit code when a stream is stale or old. */
const staleExitCode = 9

/** `chainlake status`: resolves to the exit code. */
export async function showStatus(names: readonly string[], flags: StatusFlags): Promise<number> {
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

type Late = {
  /** For `--json`. */
  readonly facts: { readonly stale?: readonly StaleStream[]; readonly old?: readonly OldStream[] }
  readonly texts: readonly string[]
  readonly isLate: boolean
}

/** Checks the ages that flags limit: that of the last look at a stream, and that of its newest block. */
async function lateOf(
  streams: readonly StreamStatus[],
  { 'max-age': maxAge, 'max-block-age': maxBlockAge }: StatusFlags,
  { nowMs, newestTimes }: { readonly nowMs: number; readonly newestTimes: () => Promise<ReadonlyMap<string, Date>> },
): Promise<Late> {
  const maxAgeMs = maxAge === undefined ? 0 : parseDuration('--max-age', maxAge)
  const stale = maxAge === undefined ? [] : staleStreams(streams, maxAgeMs, nowMs)
  const limit = maxBlockAge === undefined ? null : { maxAgeMs: parseAge('--max-block-age', maxBlockAge), nowMs }
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
