import type { ReadStoredRows, WindowSource } from '../define/index.ts'
import { chunksOf, groupBy } from '../lib/arrays.ts'
import { isWhole, type Stream } from '../model.ts'
import { adaptWindows, windowTooLarge } from './window-size.ts'

/** Selects logs; all values are lower-case hexadecimal texts. */
export type LogFilter = {
  /** Contracts that emitted the logs; empty: any. */
  readonly contracts: readonly string[]
  /** Accepted topics by position; empty: any topic or none. */
  readonly topics: readonly (readonly string[])[]
}

/** Whether a log, as nodes write it, passes the filter. */
export function isPassedBy({ contracts, topics }: LogFilter, log: Readonly<Record<string, unknown>>): boolean {
  const own = Array.isArray(log['topics']) ? log['topics'].map(lower) : []
  if (contracts.length > 0 && !contracts.includes(lowerAddress(log['address']))) return false
  return topics.every((choices, position) => choices.length === 0 || choices.includes(own[position] ?? ''))
}

/** Nodes of XDC may write `xdc` in the place of `0x`. */
export function lowerAddress(value: unknown): string {
  return lower(value).replace(/^xdc/, '0x')
}

/** Some nodes write hashes in capitals in one place. */
export function lower(value: unknown): string {
  return String(value).toLowerCase()
}

export function isSameText(one: unknown, other: unknown): boolean {
  return one === other || lower(one) === lower(other)
}

/** Contracts per request: nodes accept no more. */
const mostContracts = 1000

/** The logs of a contract with a first topic, in lower case; null: of any contract, or with any topics. */
export type LogsOf = { readonly contract: string | null; readonly topic: string | null }

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
  return sharing<R, LogsOf, S>(
    (wanted) => logsOf(filterOf(wanted)),
    (wanted) => {
      const joined: WindowSource<R>[] = []
      for (const group of requestGroups(wanted.map((each, at) => ({ ...each, at })))) {
        const names = group.map(nameOf)
        const recordsOf = (records: readonly R[]) => divide(records, new Set(names), idOf)
        const own = joinWindows<R>(logsOf(filterOf(group)), names, recordsOf)
        for (const [position, { at }] of group.entries()) joined[at] = own[position]!
      }
      return joined
    },
  )
}

/**
 * Sources of single parts, such as the logs of a contract. Where several of them are missing the same slice, they share requests.
 *
 * @param source creates a source of parts
 * @param join creates sources that share requests, one for each part
 */
export function sharing<R, P, S extends WindowSource<R>>(
  source: (parts: readonly P[]) => S,
  join: (parts: readonly P[]) => readonly WindowSource<R>[],
): (part: P) => S {
  // A run that follows makes new sources in each round.
  const partOf = new WeakMap<WindowSource<R>, P>()
  const shared: NonNullable<WindowSource<R>['shared']> = {
    together: (sources) => (sources.length === 1 ? sources : join(sources.map((each) => partOf.get(each)!))),
  }
  return (part) => {
    const own = { ...source([part]), shared }
    partOf.set(own, part)
    return own
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

type StoredLog = {
  readonly block_number: number | bigint
  readonly transaction_index: number | bigint
  readonly log_index: number | bigint
  readonly address: string
  readonly topic0: string | null
}

/** Logs of one block from the lake, in the order of the chain. */
export type StoredLogs<L = StoredLog> = { readonly number: number; readonly logs: readonly L[] }

/** Blocks of the first window, and of the longest one. */
const firstBlocks = 2048
const mostBlocks = 2 ** 20
/** Windows with more rows than `goodRows` shrink, and windows with more than `mostRows` are halved: several wait at once. */
const goodRows = 8_192
const mostRows = 4 * goodRows

/** Logs that pass a filter, from the lake instead of a node. It reads one window at a time. */
export function createStoredLogs<L extends StoredLog>(
  rows: ReadStoredRows,
  { network, chainId }: { readonly network: string; readonly chainId: string },
  { contracts, topics }: LogFilter,
): WindowSource<StoredLogs<L>> {
  const size = adaptWindows({ first: firstBlocks, largest: mostBlocks, good: goodRows, growth: 4, patience: 0 })
  const chosen = [['address', contracts] as const, ...topics.map((choices, at) => [`topic${at}`, choices] as const)]
  const texts = {
    network: [network],
    chain_id: [chainId],
    ...Object.fromEntries(chosen.filter(([, choices]) => choices.length > 0)),
  }
  let before: Promise<unknown> = Promise.resolve()

  async function read(from: number, to: number, signal: AbortSignal | undefined): Promise<StoredLogs<L>[]> {
    const found: L[] = []
    for await (const some of rows({ from, to, texts })) {
      signal?.throwIfAborted()
      for (const row of some) found.push(row as L)
      if (found.length <= mostRows || to - from <= 1) continue
      size.tooLarge(to - from)
      throw windowTooLarge('So many logs are not read from the lake at once.', { from, to, logs: found.length })
    }
    size.answered(to - from, found.length)
    const number = (log: L) => Number(log.block_number)
    const [transaction, index] = [(log: L) => Number(log.transaction_index), (log: L) => Number(log.log_index)]
    found.sort((a, b) => number(a) - number(b) || transaction(a) - transaction(b) || index(a) - index(b))
    return [...groupBy(found, number)].map(([number, logs]) => ({ number, logs }))
  }

  return {
    windowSize: size.current,
    window(from, to, signal) {
      const logs = before.then(() => {
        signal?.throwIfAborted()
        return read(from, to, signal)
      })
      before = logs.catch(() => undefined)
      return logs
    },
  }
}

/** A request that several sources wait for. */
type Joined<R> = {
  readonly to: number
  readonly records: Promise<ReadonlyMap<string, R[]>>
  readonly cancel: AbortController
  /** Sources that have not requested the window yet, by their positions. */
  readonly left: Set<number>
  /** Sources that wait for the answer. */
  waiting: number
}

/**
 * Sources that share the windows of one source: the first one to want a window requests it, and each gets its own records. A window is
 * forgotten when each has requested it or has read beyond it: after a window that was too large, some request the following ones again, and
 * others do not. The request is cancelled when nothing waits for it any more.
 *
 * @param parts names the parts of the source, one source each
 * @param recordsOf divides the records of a window among the parts
 */
export function joinWindows<R>(
  source: WindowSource<R>,
  parts: readonly string[],
  recordsOf: (records: readonly R[]) => ReadonlyMap<string, R[]>,
): WindowSource<R>[] {
  const windows = new Map<string, Joined<R>>()
  const begin = (from: number, to: number): Joined<R> => {
    const cancel = new AbortController()
    const records = source.window(from, to, cancel.signal).then(recordsOf)
    // Each waiting source handles the failure.
    records.catch(() => undefined)
    return { to, records, cancel, left: new Set(parts.keys()), waiting: 0 }
  }
  const readTo = (at: number, end: number): void => {
    for (const [key, { to, left }] of windows) {
      if (to <= end) left.delete(at)
      if (left.size === 0) windows.delete(key)
    }
  }
  const joined = (at: number, from: number, to: number): Joined<R> => {
    const key = `${from}-${to}`
    const known = windows.get(key)
    const window = known === undefined || known.cancel.signal.aborted ? begin(from, to) : known
    window.left.delete(at)
    if (window.left.size > 0) windows.set(key, window)
    else windows.delete(key)
    return window
  }
  return parts.map(
    (part, at): WindowSource<R> => ({
      ...source,
      async window(from, to, signal, turn) {
        const window = joined(at, from, to)
        void turn?.then(() => signal?.aborted || readTo(at, from))
        window.waiting++
        const leave = (): void => {
          window.waiting--
          if (window.waiting === 0) window.cancel.abort(signal?.reason)
        }
        signal?.addEventListener('abort', leave, { once: true })
        try {
          return (await window.records).get(part) ?? []
        } finally {
          signal?.removeEventListener('abort', leave)
        }
      },
    }),
  )
}

type WantedLogs = LogsOf & { readonly network: string; readonly chainId: string }

/**
 * Whether a stream has all wanted logs in a slice that it covers of the logs: `evm-blocks`, or `evm-logs` with a filter that all of them
 * pass.
 */
export function holdsLogs({ origin }: { readonly origin: Stream }, wanted: WantedLogs): boolean {
  const { network, chain, kind, parameters } = origin
  if (network !== wanted.network || chain !== wanted.chainId) return false
  if (kind === 'evm-blocks') return isWhole(origin)
  const { contracts, topics, ...others } = parameters
  const isWider = accepts(contracts, wanted.contract) && accepts(topics, wanted.topic)
  return kind === 'evm-logs' && isWider && isWhole({ parameters: others })
}

/** Whether a list of a filter has a value. */
function accepts(list: string | readonly string[] | undefined, value: string | null): boolean {
  return list === undefined || (value !== null && list.includes(value))
}
