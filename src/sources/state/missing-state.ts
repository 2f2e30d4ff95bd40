import { RpcError } from '../../errors.ts'
import { hex } from '../evm-answers.ts'
import type { EvmCalls } from '../evm-calls.ts'

/** Whether a node no longer has the state that an answer needs. */
export function isMissingState(error: unknown): boolean {
  return (
    error instanceof RpcError &&
    /missing trie node|historical state|state .*(not available|unavailable|pruned)/i.test(error.answer)
  )
}

/**
 * A block after `without` that has its state, while the block before it has none; null if the head has none either. Nodes keep the state of
 * the newest blocks, so a binary search finds it with one request for each binary digit of the length of the range.
 */
export async function firstWithState(
  calls: EvmCalls,
  { without, head }: { readonly without: number; readonly head: number },
  signal?: AbortSignal,
): Promise<number | null> {
  const hasState = async (number: number): Promise<boolean> => {
    const { outcomes } = await calls.ask([{ method: 'eth_getBalance', params: [anyAddress, hex(number)] }], { signal })
    return 'result' in outcomes[0]!
  }
  if (head <= without || !(await hasState(head))) return null
  let [last, first] = [without, head]
  while (first - last > 1) {
    const middle = Math.floor((last + first) / 2)
    if (await hasState(middle)) first = middle
    else last = middle
  }
  return first
}

const anyAddress = `0x${'0'.repeat(40)}`
