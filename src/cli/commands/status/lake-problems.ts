import type { LakeStatus, StreamStatus } from '../../../catalog/catalog.ts'
import { lengthText } from '../../../run/job/slice-text.ts'
import { awaitedLists, gapsOf, unreadLists } from '../../../run/status/lake-gaps.ts'
import { shortName } from '../../../run/status/short-name.ts'

/** What is wrong with a lake, one line each, with what to do. */
export function lakeProblems(status: LakeStatus): string[] {
  const names = new Map(status.streams.map((each) => [each.stream, `${each.network}/${shortName(each)}`]))
  const nameOf = (stream: string) => names.get(stream) ?? stream
  return [
    ...gapLines(status, nameOf),
    ...unreadLines(status, nameOf),
    ...awaitedLines(status, nameOf),
    ...diedLines(status.streams, nameOf),
  ]
}

type NameOf = (stream: string) => string

function gapLines(status: LakeStatus, nameOf: NameOf): string[] {
  const longest = new Map<string, { readonly unit: string; readonly missing: number }>()
  const missing = new Map<string, number>()
  for (const { stream, table, unit, from, to } of gapsOf(status)) {
    const key = `${stream} ${table}`
    missing.set(key, (missing.get(key) ?? 0) + to - from)
    const known = longest.get(stream)?.missing ?? 0
    longest.set(stream, { unit, missing: Math.max(known, missing.get(key)!) })
  }
  const left = new Set(
    status.streams.flatMap(({ stream, tables }) =>
      tables.flatMap(({ table, isLeft }) => (isLeft === true ? [`${stream} ${table}`] : [])),
    ),
  )
  return [...longest].map(([stream, { unit, missing: count }]) => {
    const isFilled = [...missing.keys()].some((key) => key.startsWith(`${stream} `) && !left.has(key))
    const by = isFilled ? 'the next run of the job' : 'a run that fills these tables'
    return `${nameOf(stream)}: ${lengthText(count, unit)} missing; chainlake gaps shows them, and ${by} reads them`
  })
}

function unreadLines(status: LakeStatus, nameOf: NameOf): string[] {
  const open = unreadLists(status).filter(({ isAccepted }) => !isAccepted)
  return [...new Set(open.map(({ stream }) => stream))].map(
    (stream) =>
      `${nameOf(stream)}: the list ended before the rows that are known; chainlake gaps shows it, and gaps --accept accepts it`,
  )
}

function awaitedLines(status: LakeStatus, nameOf: NameOf): string[] {
  const streams = new Set(awaitedLists(status).map(({ stream }) => stream))
  return [...streams].map(
    (stream) => `${nameOf(stream)}: a repair removed rows; the next run of the job reads the list again`,
  )
}

/** Runs that crashed, unless a later one of the same stream did not. */
function diedLines(streams: readonly StreamStatus[], nameOf: NameOf): string[] {
  const died = new Map<string, { readonly names: string[]; readonly started: Date }>()
  for (const { stream, lastRun } of streams) {
    if (lastRun?.state !== 'died') continue
    const { id, started } = lastRun
    died.set(id, { started, names: [...(died.get(id)?.names ?? []), nameOf(stream)] })
  }
  return [...died].map(
    ([id, { names, started }]) =>
      `${names[0]}${names.length > 1 ? ` and ${names.length - 1} more` : ''}: the run ${id} of ${started.toISOString().slice(0, 16)}Z crashed; the next run continues after its last commit`,
  )
}
