import { type DiffedAnswers, diffedAnswers, stateAfter, zeros } from '../decode/evm/diff-facts.ts'
import { type Call, type EvmNode, type EvmNodeOptions, type Said, startEvmNode } from './evm-node.ts'

/** Serves the recorded blocks with their diffs, and the state after them of accounts that the diffs leave open. */
export async function startDiffNode(
  chain: readonly DiffedAnswers[] = diffedAnswers(),
  { interfere, ...options }: EvmNodeOptions = {},
): Promise<EvmNode> {
  const results = new Map(chain.flatMap(({ diffs }) => diffs.map(({ txHash, result }) => [txHash, result])))
  const byNumber = new Map(chain.map(({ block, diffs }) => [block.number as string, diffs]))
  const recorded = ({ method, params: [first, second] }: Call): Said | undefined => {
    switch (method) {
      case 'debug_traceBlockByNumber':
        return { result: byNumber.get(first) }
      case 'debug_traceTransaction':
        return { result: results.get(first) }
      case 'eth_getBalance':
        return { result: stateAfter(first).balance }
      case 'eth_getTransactionCount':
        return { result: stateAfter(first).nonce }
      case 'eth_getCode':
        return { result: stateAfter(first).code }
      case 'eth_getStorageAt':
        return second === undefined ? undefined : { result: zeros }
      default:
        return undefined
    }
  }
  return await startEvmNode(chain, {
    ...options,
    interfere: (call, honest, count) => {
      const said = recorded(call) ?? honest
      return interfere?.(call, said, count) ?? said
    },
  })
}
