import { MethodError } from '../../http/parameters.ts'
import { blockNumber, hashArgument, invalid, required } from './arguments.ts'
import { readLogFilter, suits } from './log-filter.ts'
import type { EvmMethods } from './method.ts'
import type { EvmReader } from './reader.ts'
import type { LogJson } from './receipts-json.ts'

/**
 * Returns the logs of a window of blocks, or of one block by its hash. A window of more than `mostBlocks` is refused; 0 allows any window.
 */
export function logMethods({ head, receipts, numberOfBlock, state }: EvmReader, mostBlocks: number): EvmMethods {
  const logsIn = async (from: number, to: number, suiting: (log: LogJson) => boolean): Promise<LogJson[]> => {
    const { results } = await state()
    const logs: LogJson[] = []
    for (let number = Math.max(1, from); number <= to; number += 1) {
      // Most blocks have no logs.
      if (!results[number - 1]!.some(({ called }) => called !== null && called.logs.length > 0)) continue
      for (const receipt of await receipts(number)) logs.push(...receipt.logs.filter(suiting))
    }
    return logs
  }
  return {
    eth_getLogs: async (args) => {
      const wanted = required(args, 0)
      if (typeof wanted !== 'object' || Array.isArray(wanted)) throw invalid(0, 'cannot unmarshal filter')
      const { blockHash, fromBlock, toBlock, ...rest } = wanted as Readonly<Record<string, unknown>>
      const filter = readLogFilter(rest)
      const suiting = (log: LogJson): boolean => suits(filter, log)
      if (blockHash !== undefined && blockHash !== null) {
        if (fromBlock !== undefined || toBlock !== undefined)
          throw invalid(0, 'cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other')
        const number = await numberOfBlock(hashArgument([blockHash], 0))
        if (number === null) throw new MethodError('unknown block')
        return logsIn(number, number, suiting)
      }
      const last = head()
      const [from, to] = [fromBlock, toBlock].map((tag) => blockNumber(tag ?? 'latest', 0, last)) as [number, number]
      refuse(from, to, last, mostBlocks)
      return logsIn(from, to, suiting)
    },
  }
}

/** Refuses the windows that a node before Helicon refuses (recorded/granite, recorded/live). */
function refuse(from: number, to: number, last: number, mostBlocks: number): void {
  const after = `after last accepted block ${last}`
  if (from > to) throw new MethodError('invalid block range params')
  if (from > last) throw new MethodError(`requested from block ${from} ${after}`)
  if (to > last) throw new MethodError(`requested to block ${to} ${after}`)
  if (mostBlocks > 0 && to - from >= mostBlocks)
    throw new MethodError(`requested too many blocks from ${from} to ${to}, maximum is set to ${mostBlocks}`)
}
