import { countText } from '../../lib/text/count-text.ts'
import { isMissingState } from '../../sources/evm-refusals.ts'

/** The answer to a question about the state of a block; null if the node no longer has this state. */
export async function answerWithState<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask()
  } catch (error) {
    for (let cause = error; cause instanceof Error; cause = cause.cause) if (isMissingState(cause)) return null
    throw error
  }
}

/** Says which blocks were not compared because the node has pruned their state. */
export function withoutState(of: string, what: 'block' | 'row', blocks: readonly number[], sampled: number): string {
  const [first, last] = [Math.min(...blocks), Math.max(...blocks)]
  const range = first === last ? `block ${first}` : `blocks between ${first} and ${last}`
  const count = `${countText(blocks.length)} of ${countText(sampled)} sampled ${what}s`
  return `Not compared with the node: ${count} of ${of}, because the node no longer has the state of ${range}. An archive node has it.`
}
