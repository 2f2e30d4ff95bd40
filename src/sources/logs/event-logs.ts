import type { SharedRequests, WindowSource } from '../../define/index.ts'
import { chunksOf } from '../../lib/chunks.ts'
import { groupBy } from '../../lib/group-by.ts'
import type { LogFilter } from '../log-filter.ts'
import { joinWindows } from './join-windows.ts'

/** Contracts per request: nodes accept no more. */
const mostContracts = 1000

/** The logs of a contract with a first topic, in lower case; null: of any contract, or with any topics. */
export type LogsOf = { readonly contract: string | null; readonly topic: string | null }

/** Logs of one block. */
type BlockLogs = { readonly number: number; readonly logs: readonly any[] }

/**
 * Sources of logs by contract and event. Where several of them are missing the same blocks, they share requests.
 *
 * @param logsOf creates a source of all logs that pass a filter
 * @param idOf the contract and the first topic of a log
 */
export function createEventLogs<R extends BlockLogs, S extends WindowSource<R> = WindowSource<R>>(
  logsOf: (filter: LogFilter) => S,
  idOf: (log: R['logs'][number]) => LogsOf,
): (wanted: LogsOf) => S {
  // With --follow each round creates sources for all streams.
  const wantedBy = new WeakMap<WindowSource<R>, LogsOf>()
  const shared: SharedRequests<R> = {
    together(sources) {
      if (sources.length === 1) return sources
      const joined = new Map<WindowSource<R>, WindowSource<R>>()
      for (const group of requestGroups(sources.map((source) => ({ source, ...wantedBy.get(source)! })))) {
        const names = group.map(nameOf)
        const recordsOf = (records: readonly R[]) => divide(records, new Set(names), idOf)
        const own = joinWindows<R>(logsOf(filterOf(group)), names, recordsOf)
        for (const [at, { source }] of group.entries()) joined.set(source, own[at]!)
      }
      return sources.map((source) => joined.get(source)!)
    },
  }
  return (wanted) => {
    const source = { ...logsOf(filterOf([wanted])), shared }
    wantedBy.set(source, wanted)
    return source
  }
}

/** Contracts with the same topics share requests, so that no request returns logs that nothing wants. */
function requestGroups<W extends LogsOf>(wanted: readonly W[]): W[][] {
  const byContract = groupBy(wanted, ({ contract }) => contract)
  const byTopics = groupBy(byContract.values(), (own) =>
    JSON.stringify([own[0]!.contract === null, own.map(({ topic }) => topic).sort()]),
  )
  return [...byTopics.values()].flatMap((alike) => chunksOf(alike, mostContracts).map((chunk) => chunk.flat()))
}

function filterOf(wanted: readonly LogsOf[]): LogFilter {
  const contracts = new Set(wanted.flatMap(({ contract }) => contract ?? []))
  const topics = new Set(wanted.map(({ topic }) => topic))
  return { contracts: [...contracts], topics: topics.has(null) ? [] : [[...topics] as string[]] }
}

function nameOf({ contract, topic }: LogsOf): string {
  return `${contract} ${topic}`
}

/** The blocks by name of wanted logs, each with these logs only. */
function divide<R extends BlockLogs>(
  blocks: readonly R[],
  names: ReadonlySet<string>,
  idOf: (log: R['logs'][number]) => LogsOf,
): Map<string, R[]> {
  const found = new Map([...names].map((name) => [name, [] as R[]]))
  for (const block of blocks)
    for (const log of block.logs) {
      const { contract, topic } = idOf(log)
      const wanted = [
        { contract, topic },
        { contract, topic: null },
        { contract: null, topic },
      ]
      for (const name of new Set(wanted.map(nameOf))) addLog(found.get(name), block, log)
    }
  return found
}

function addLog<R extends BlockLogs>(blocks: R[] | undefined, block: R, log: R['logs'][number]): void {
  const last = blocks?.at(-1)
  if (last?.number === block.number) (last.logs as unknown[]).push(log)
  else blocks?.push({ ...block, logs: [log] })
}
