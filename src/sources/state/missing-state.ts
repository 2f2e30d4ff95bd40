import { hex } from '../evm-answers.ts'
import type { EvmCalls } from '../evm-calls.ts'

type StateRange = {
  /** A block without its state. */
  readonly without: number
  readonly head: number
}

/**
 * A block after `without` with its state, so that the block before it has none; null if the head has none either. Nodes keep the state of the
 * newest blocks, so a binary search finds the first of these: it sends one request for each binary digit of the length of the range.
 */
export async function firstWithState(
  calls: EvmCalls,
  { without, head }: StateRange,
  signal?: AbortSignal,
): Promise<number | null> {
  const hasState = async (number: number): Promise<boolean> => {
    const call = { method: 'eth_getBalance', params: [anyAddress, hex(number)] }
    const { outcomes } = await calls.ask([call], { signal })
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
