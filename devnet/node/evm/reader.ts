import { decodeCBlock, type HashedCBlock } from '../../../codec/c.ts'
import { unwrap } from '../../../codec/containers.ts'
import { MethodError } from '../../http/json-rpc.ts'
import { createFollower } from '../../index/follow.ts'
import { type ContainerStore, containerBytes } from '../../index/store.ts'
import { hex0x } from '../../lib.ts'
import type { EvmLedger, EvmResult, EvmState } from '../../service/evm/state.ts'
import {
  type BlockJson,
  blockJson,
  genesisJson,
  type ReceiptJson,
  receiptsJson,
  type TraceJson,
  tracesJson,
} from './json.ts'

type EvmSource = { readonly blocks: ContainerStore; readonly ledger: EvmLedger; readonly seed: number }

/** The C-Chain for its RPC: the blocks, and the ledger's results of their transactions. Every accepted block is final. */
export type EvmReader = {
  head(): number
  state(): Promise<EvmState>
  /** An accepted block with full transactions. */
  block(number: number): Promise<BlockJson>
  receipts(number: number): Promise<readonly ReceiptJson[]>
  /** The calls of the transactions of a block other than the first one. */
  traces(number: number): Promise<readonly TraceJson[]>
  /** The number of the block with this hash; null for an unknown hash. */
  numberOfBlock(hash: string): Promise<number | null>
  /** The number of the block that contains a transaction; null for an unknown transaction. */
  numberOfTransaction(hash: string): Promise<number | null>
}

type Found = { readonly hashed: HashedCBlock; readonly length: number; readonly results: readonly EvmResult[] }
type Numbers = { readonly blocks: Map<string, number>; readonly transactions: Map<string, number> }

export function createEvmReader({ blocks, ledger, seed }: EvmSource): EvmReader {
  const nothing: Numbers = { blocks: new Map([[genesisJson(seed)['hash'] as string, 0]]), transactions: new Map() }
  const numbers = createFollower(blocks, nothing, (known, { bytes, index }) => {
    const { hash, transactionHashes } = decodeCBlock(unwrap(bytes).block, `C container ${index}`)
    known.blocks.set(hex0x(hash), index + 1)
    for (const each of transactionHashes) known.transactions.set(hex0x(each), index + 1)
  })
  /** Any block except the first one, which no index contains. */
  const find = async (number: number): Promise<Found> => {
    const { block } = unwrap(await containerBytes(blocks, number - 1))
    const { results } = await ledger.atHead()
    return { hashed: decodeCBlock(block, `C block ${number}`), length: block.length, results: results[number - 1]! }
  }
  return {
    head: blocks.count,
    state: ledger.atHead,
    block: async (number) => {
      if (number === 0) return genesisJson(seed)
      const { hashed, length, results } = await find(number)
      return blockJson(hashed, length, results)
    },
    receipts: async (number) => {
      if (number === 0) return []
      const { hashed, results } = await find(number)
      return receiptsJson(hashed, results)
    },
    traces: async (number) => {
      const { block } = unwrap(await containerBytes(blocks, number - 1))
      const { blocks: executed, transactions } = await ledger.atHead()
      const { cumulativeTransactions: end, txCount } = executed[number - 1]!
      return tracesJson(decodeCBlock(block, `C block ${number}`), transactions.slice(end - txCount, end))
    },
    numberOfBlock: async (hash) => (await numbers()).blocks.get(hash.toLowerCase()) ?? null,
    numberOfTransaction: async (hash) => (await numbers()).transactions.get(hash.toLowerCase()) ?? null,
  }
}

/** Returns the number of an accepted block. A later number is refused as the node does. */
export function acceptedNumber(number: number, head: number): number {
  if (number > head) throw new MethodError('cannot query unfinalized data')
  return number
}
