import type { StreamStatus } from '../../catalog/catalog.ts'

/** The last run that was started for any of these streams; null if there was none. */
export function lastRunOf(streams: readonly StreamStatus[]): StreamStatus['lastRun'] {
  return streams
    .flatMap(({ lastRun }) => lastRun ?? [])
    .reduce<StreamStatus['lastRun']>((last, run) => (last === null || run.id > last.id ? run : last), null)
}
