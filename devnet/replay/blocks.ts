import type { RpcMethods } from '../http/json-rpc.ts'
import { MethodError, uint64Of } from '../http/json-rpc.ts'
import { type Answer, jsonAnswer } from '../http/router.ts'
import type { ContainerStore } from '../index/store.ts'
import { blockMethods, chainBlocks } from '../node/blocks.ts'
import { recordedLines } from './recording.ts'

/** Complete answers of one file by height. The file is read on the first request. */
function answersByHeight(folder: string, file: string): (height: bigint) => string | null {
  let lines: string[] | null = null
  return (height) => {
    lines ??= recordedLines(folder, file) ?? []
    return lines[Number(height)] ?? null
  }
}

/**
 * Blocks of the P-Chain and the X-Chain: as JSON from the recorded blocks, as bytes from the recorded containers. Neither contains the
 * bytes of the genesis block.
 */
export function recordedBlockMethods(folder: string, chain: 'P' | 'X', store: ContainerStore): RpcMethods {
  const service = chain === 'P' ? 'platform' : 'avm'
  const answerAt = answersByHeight(folder, `${chain.toLowerCase()}-blocks.jsonl`)
  const blocks = chainBlocks(store, async () => null)
  const inContainers = blockMethods(
    async () => blocks,
    () => null,
  )
  return {
    [`${service}.getHeight`]: inContainers.getHeight,
    [`${service}.getBlockByHeight`]: (parameters, request) => {
      if (parameters.get('encoding') !== 'json') return inContainers.getBlockByHeight(parameters, request)
      const height = uint64Of(parameters, 'height')
      const line = answerAt(height)
      if (line === null) throw new MethodError(`couldn't get block at height ${height}: not found`)
      return [resultOf(line)]
    },
  }
}

/** The text of the result in a recorded answer. */
function resultOf(line: string): string {
  return line
    .trim()
    .replace(/^\{"jsonrpc":"2\.0","result":/, '')
    .replace(/,"id":1\}$/, '')
}

/** The EVM calls that replays answer: blocks and receipts by number, receipts by transaction, and the head. */
type EvmBlocks = (method: string, params: readonly unknown[], id: string) => Answer | null

export function recordedEvmBlocks(folder: string, head: () => number): EvmBlocks {
  const blockAt = answersByHeight(folder, 'c-blocks.jsonl')
  const receiptsAt = answersByHeight(folder, 'c-receipts.jsonl')
  let single: ReadonlyMap<string, object> | null = null
  const receiptOf = (hash: string): object | null => {
    single ??= receiptsByHash(recordedLines(folder, 'c-receipts.jsonl') ?? [])
    return single.get(hash.toLowerCase()) ?? null
  }
  return (method, params, id) => {
    const [requested, whole] = params
    const answer = (text: string): Answer => jsonAnswer(200, [`{"jsonrpc":"2.0","id":${id},"result":${text}}\n`])
    if (method === 'eth_blockNumber') return answer(`"0x${head().toString(16)}"`)
    if (method === 'eth_getTransactionReceipt') return answer(JSON.stringify(receiptOf(String(requested))))
    const number = numberOf(requested, head())
    if (number === null) return null
    if (method === 'eth_getBlockReceipts') return answer(evmResult(receiptsAt(number)))
    if (method !== 'eth_getBlockByNumber' || typeof whole !== 'boolean') return null
    const block = evmResult(blockAt(number))
    return answer(whole || block === 'null' ? block : withHashes(block))
  }
}

/** The block number of a tag or hex text. Every recorded block is final. */
function numberOf(requested: unknown, head: number): bigint | null {
  if (requested === 'earliest') return 0n
  if (requested === 'latest' || requested === 'safe' || requested === 'finalized') return BigInt(head)
  return typeof requested === 'string' && /^0x[0-9a-f]+$/.test(requested) ? BigInt(requested) : null
}

/** A block with the hashes of its transactions instead of the full transactions. */
function withHashes(text: string): string {
  const block = JSON.parse(text) as { transactions: { hash: string }[] }
  return JSON.stringify({ ...block, transactions: block.transactions.map(({ hash }) => hash) })
}

function receiptsByHash(lines: readonly string[]): ReadonlyMap<string, object> {
  const receipts = lines.flatMap((line) => (JSON.parse(line).result ?? []) as { transactionHash: string }[])
  return new Map(receipts.map((receipt) => [receipt.transactionHash, receipt]))
}

/** The text of the result in a recorded EVM answer; `null` without an answer. */
function evmResult(line: string | null): string {
  if (line === null) return 'null'
  return line
    .trim()
    .replace(/^\{"jsonrpc":"2\.0","id":1,"result":/, '')
    .replace(/\}$/, '')
}
