import type { ReadStoredRows, WindowSource } from '../../define/index.ts'
import { groupBy } from '../../lib/group-by.ts'
import type { LogFilter } from '../log-filter.ts'
import { adaptWindows, windowTooLarge } from '../window-size.ts'

/** A row of the logs of the lake. */
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
  const size = adaptWindows({ first: firstBlocks, largest: mostBlocks, good: goodRows, growth: 4 })
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
