import { type Answer, jsonAnswer } from '../http/answer.ts'
import type { RpcMethods } from '../http/json-rpc.ts'
import { MethodError, uint64Of } from '../http/parameters.ts'
import { recordedLines } from './lines.ts'

/** Whole answers by height of one file, read when first asked for. */
function answersByHeight(folder: string, file: string): (height: bigint) => string | null {
  let lines: string[] | null = null
  return (height) => {
    lines ??= recordedLines(folder, file) ?? []
    return lines[Number(height)] ?? null
  }
}

/** `getBlockByHeight` (encoding json) of the P and X chains, out of the recorded blocks. */
export function recordedBlockMethods(folder: string, chain: 'P' | 'X'): RpcMethods {
  const service = chain === 'P' ? 'platform' : 'avm'
  const answerAt = answersByHeight(folder, `${chain.toLowerCase()}-blocks.jsonl`)
  return {
    [`${service}.getBlockByHeight`]: (parameters) => {
      if (parameters.get('encoding') !== 'json') throw new MethodError('only json blocks are in this recording')
      const height = uint64Of(parameters, 'height')
      const line = answerAt(height)
      if (line === null) throw new MethodError(`couldn't get block at height ${height}: not found`)
      return [resultOf(line)]
    },
  }
}

/** The text of the result of a recorded answer. */
function resultOf(line: string): string {
  return line
    .trim()
    .replace(/^\{"jsonrpc":"2\.0","result":/, '')
    .replace(/,"id":1\}$/, '')
}

/** An EVM call as far as replays answer it: whole blocks and receipts by number, and the head. */
export type EvmBlocks = (method: string, params: readonly unknown[], id: string) => Answer | null

export function recordedEvmBlocks(folder: string, head: () => number): EvmBlocks {
  const blockAt = answersByHeight(folder, 'c-blocks.jsonl')
  const receiptsAt = answersByHeight(folder, 'c-receipts.jsonl')
  return (method, params, id) => {
    const number = params[0]
    const answer = (text: string): Answer => jsonAnswer(200, [`{"jsonrpc":"2.0","id":${id},"result":${text}}\n`])
    if (method === 'eth_blockNumber') return answer(`"0x${head().toString(16)}"`)
    if (typeof number !== 'string' || !/^0x[0-9a-f]+$/.test(number)) return null
    const read = method === 'eth_getBlockReceipts' ? receiptsAt : blockAt
    if (method !== 'eth_getBlockReceipts' && (method !== 'eth_getBlockByNumber' || params[1] !== true)) return null
    const line = read(BigInt(number))
    return answer(line === null ? 'null' : evmResult(line))
  }
}

function evmResult(line: string): string {
  return line
    .trim()
    .replace(/^\{"jsonrpc":"2\.0","id":1,"result":/, '')
    .replace(/\}$/, '')
}
