import type { RpcOutcome } from '../fetch/json-rpc.ts'
import { blockCall, blockOf, blockOrNull, hex, type Json } from './evm-answers.ts'
import type { EvmCalls } from './evm-calls.ts'
import { isBehind } from './evm-refusals.ts'

/**
 * Some chains, such as Filecoin, leave out numbers: a null round has no block. An answer without a block never proves that, because a node
 * that lags answers alike. The next block proves it: it names the hash of its parent, which is the block before the null round.
 */

/** The answer to a request for a block. */
type AskedBlock = { readonly number: number; readonly outcome: RpcOutcome }

/** Numbers to look at, on each side of a block that is missing: at first a few, then more. */
const neighbours = [4, 28]

/**
 * The blocks by number. Numbers that are proven to have none are left out. Throws `TransportError` for a block that the node does not return
 * although the chain may have it.
 */
export async function existingBlocks(
  calls: EvmCalls,
  asked: readonly AskedBlock[],
  signal: AbortSignal | undefined,
): Promise<Map<number, Json>> {
  const blocks = new Map<number, Json>()
  const missing = new Map<number, unknown>()
  for (const { number, outcome } of asked) {
    try {
      blocks.set(number, blockOf(number, outcome))
    } catch (error) {
      if (!isBehind(error)) throw error
      missing.set(number, error)
    }
  }
  if (missing.size === 0) return blocks
  const none = await nullRounds(calls, blocks, [...missing.keys()], signal)
  for (const [number, error] of missing) if (!none.has(number)) throw error
  return blocks
}

/** Which of the missing numbers have no block in the chain. `known` are blocks that need no request. */
export async function nullRounds(
  calls: EvmCalls,
  known: ReadonlyMap<number, Json>,
  missing: readonly number[],
  signal: AbortSignal | undefined,
): Promise<Set<number>> {
  const blocks = new Map<number, Json | null>(known)
  for (const number of missing) blocks.set(number, null)
  const none = new Set<number>()
  for (const number of missing) {
    if (none.has(number)) continue
    const next = await nearest(calls, blocks, number, 1, signal)
    const before = next === null ? null : await nearest(calls, blocks, number, -1, signal)
    if (next === null || before === null || next.block['parentHash'] !== before.block['hash']) continue
    for (let between = before.number + 1; between < next.number; between++) none.add(between)
  }
  return none
}

type Neighbour = { readonly number: number; readonly block: Json }

/** The nearest block that the node returns in a direction; null if there is none nearby. Adds what it requests to `blocks`. */
async function nearest(
  calls: EvmCalls,
  blocks: Map<number, Json | null>,
  number: number,
  direction: 1 | -1,
  signal: AbortSignal | undefined,
): Promise<Neighbour | null> {
  let at = number + direction
  for (const count of neighbours)
    for (const end = at + direction * count; at !== end; at += direction) {
      if (at < 0) return null
      if (!blocks.has(at)) await ask(calls, blocks, { from: at, end, direction }, signal)
      const block = blocks.get(at) ?? null
      if (block !== null) return { number: at, block }
    }
  return null
}

/** Requests the unknown blocks from a number up to an end. */
async function ask(
  calls: EvmCalls,
  blocks: Map<number, Json | null>,
  { from, end, direction }: { readonly from: number; readonly end: number; readonly direction: 1 | -1 },
  signal: AbortSignal | undefined,
): Promise<void> {
  const numbers: number[] = []
  for (let number = from; number !== end && number >= 0; number += direction)
    if (!blocks.has(number)) numbers.push(number)
  const { outcomes } = await calls.ask(
    numbers.map((each) => blockCall(hex(each), false)),
    { signal },
  )
  for (const [at, number] of numbers.entries()) blocks.set(number, blockOrNull(number, outcomes[at]!))
}
