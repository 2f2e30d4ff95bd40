import type { LakeStatus, StreamStatus, TaskCounts } from '../../../catalog/catalog.ts'
import { ConfigError } from '../../../errors.ts'
import { lakeStatusWithTasks } from '../../../run/status/lake-status.ts'
import { parseDuration } from '../../settings/numbers.ts'
import { readSettings } from '../../settings/settings.ts'
import type { SettingFlags } from '../../settings/typed-value.ts'
import { printJson, printLine } from '../../terminal/output.ts'
import { suggestion } from '../../terminal/suggest.ts'
import { staleStreams, staleText } from './stale-streams.ts'
import { statusText } from './status-text.ts'
import { tasksText } from './tasks-text.ts'

type StatusFlags = SettingFlags & {
  readonly json?: boolean | undefined
  readonly 'max-age'?: string | undefined
  readonly except?: string | undefined
}

/** Exit code when a stream is stale. */
const staleExitCode = 9

/** `chainlake status`: resolves to the exit code. */
export async function showStatus(names: readonly string[], flags: StatusFlags): Promise<number> {
  const { lake } = await readSettings(flags)
  const maxAge = flags['max-age']
  const maxAgeMs = maxAge === undefined ? null : parseDuration('--max-age', maxAge)
  const { tasks, ...whole } = await lakeStatusWithTasks(lake)
  const except = flags.except === undefined ? [] : chosen(whole.streams, flags.except.split(','))
  const streams = chosen(whole.streams, names).filter((each) => !except.includes(each))
  const status: LakeStatus = { ...whole, streams }
  const nowMs = Date.now()
  const stale = maxAgeMs === null ? [] : staleStreams(streams, maxAgeMs, nowMs)
  if (flags.json)
    await printJson({
      ...status,
      streams: streams.map(withUnit),
      ...(tasks === null ? {} : { tasks }),
      ...(maxAgeMs === null ? {} : { stale }),
    })
  else await printStatus(status, tasks, stale.length === 0 ? null : staleText(stale, maxAgeMs ?? 0, nowMs))
  return stale.length > 0 ? staleExitCode : 0
}

/** A stream without ranges has no unit. */
function withUnit(stream: StreamStatus) {
  const isRange = stream.tables.some(({ slices, gaps }) => slices.length + gaps.length > 0)
  return { ...stream, unit: isRange ? stream.unit : null }
}

async function printStatus(status: LakeStatus, tasks: TaskCounts | null, stale: string | null): Promise<void> {
  await printLine(statusText(status))
  if (tasks !== null) await printLine(`\n${tasksText(tasks)}`)
  if (stale !== null) await printLine(`\n${stale}`)
}

/** All streams, or those that a name matches: the name of a stream, its part before the `?`, or a network. */
function chosen(streams: readonly StreamStatus[], names: readonly string[]): readonly StreamStatus[] {
  if (names.length === 0) return streams
  const has = ({ stream, network }: StreamStatus, name: string) =>
    stream === name || network === name || stream.split('?')[0] === name
  for (const name of names)
    if (!streams.some((each) => has(each, name)))
      throw new ConfigError(`The lake has no stream ${JSON.stringify(name)}.`, {
        code: 'config.stream',
        hint: suggestion(name, [...new Set(streams.map(({ stream }) => stream.split('?')[0] ?? stream))]),
      })
  return streams.filter((each) => names.some((name) => has(each, name)))
}
