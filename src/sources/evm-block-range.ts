import type { RangeSource } from '../define/index.ts'
import { finalHeadOf, type Json } from './evm-answers.ts'
import { evmBlockTimes } from './evm-block-head.ts'
import type { EvmCalls } from './evm-calls.ts'
import type { WindowSize } from './window-size.ts'

/** A record of one block of an EVM chain, with the answer of eth_getBlockByNumber. */
type BlockRecord = { readonly number: number; readonly block: Json }

type EvmBlockRange<R> = {
  readonly calls: EvmCalls
  /** Path of the chain's JSON-RPC. */
  readonly route: string
  readonly finality: number | undefined
  readonly step: number
  readonly size: WindowSize
  /** Reads at least the first of these blocks, and as many as fit into one answer; null for a number without a block. */
  readonly readSome: (numbers: readonly number[], signal: AbortSignal | undefined) => Promise<readonly (R | null)[]>
}

/** A source with one record for each block of an EVM chain, or for each with a number that is a multiple of `step`. Null rounds have none. */
export function evmBlockRange<R extends BlockRecord>(options: EvmBlockRange<R>): RangeSource<R> {
  const { calls, route, finality, step, size, readSome } = options
  return {
    ...finalHeadOf(calls, route, finality),
    times: evmBlockTimes(calls),
    windowSize: () => size.current() * step,
    async window(from, to, signal) {
      const numbers: number[] = []
      for (let number = Math.ceil(from / step) * step; number < to; number += step) numbers.push(number)
      const records: (R | null)[] = []
      while (records.length < numbers.length)
        for (const record of await readSome(numbers.slice(records.length), signal)) records.push(record)
      return records.filter((record) => record !== null)
    },
    ...(step === 1 ? { link: linkOf } : {}),
    at: ({ number }) => number,
  }
}

function linkOf({ number, block }: BlockRecord): { id: string; parentId: string | null } {
  return { id: hashOf(block['hash']), parentId: number === 0 ? null : hashOf(block['parentHash']) }
}

/** Some nodes write hashes in capitals in one place. */
function hashOf(value: unknown): string {
  return String(value).toLowerCase()
}
