import { decodeCBlock, type HashedCBlock } from '../../../codec/c/blocks.ts'
import { unwrap } from '../../../codec/proposervm.ts'
import { evmChainId } from '../../c/state.ts'
import { MethodError } from '../../http/parameters.ts'
import { type ContainerStore, containerBytes } from '../../index/store.ts'
import type { EvmLedger, EvmResult } from '../../service/evm/state.ts'
import { createFollower } from '../../service/follow.ts'
import { type BlockJson, blockJson, withHashes } from './block-json.ts'
import { genesisJson } from './genesis-json.ts'
import { quantity } from './hex.ts'
import { receiptsJson } from './receipts-json.ts'

export type EvmSource = { readonly blocks: ContainerStore; readonly ledger: EvmLedger; readonly seed: number }

/** Methods by name; they take their parameters by position and give what is JSON. */
export type EvmMethods = Readonly<Record<string, (params: readonly unknown[]) => Promise<unknown> | unknown>>

type Found = { readonly hashed: HashedCBlock; readonly length: number; readonly results: readonly EvmResult[] }

/**
 * What the RPC of the C chain answers: its blocks with what the ledger says of their transactions. Every accepted block is final;
 * the states of the EVM, its logs by filter and its pool of transactions are not simulated.
 */
export function evmMethods({ blocks, ledger, seed }: EvmSource): EvmMethods {
  const heightsOf = createFollower(blocks, new Map<string, number>(), (heights, { bytes, index }) => {
    const { transactionHashes } = decodeCBlock(unwrap(bytes).block, `C container ${index}`)
    for (const hash of transactionHashes) heights.set(Buffer.from(hash).toString('hex'), index + 1)
  })

  /** A block that has been accepted, but the first one, which no index has. */
  async function find(number: number): Promise<Found> {
    const { block } = unwrap(await containerBytes(blocks, number - 1))
    const { results } = await ledger.atHead()
    return { hashed: decodeCBlock(block, `C block ${number}`), length: block.length, results: results[number - 1]! }
  }

  const numberOf = (tag: unknown): number => blockNumber(tag, blocks.count())

  async function block(number: number): Promise<BlockJson> {
    if (number === 0) return genesisJson(seed)
    const { hashed, length, results } = await find(number)
    return blockJson(hashed, length, results)
  }

  async function receipts(number: number): Promise<object[]> {
    if (number === 0) return []
    const { hashed, results } = await find(number)
    return receiptsJson(hashed, results)
  }

  return {
    eth_blockNumber: () => quantity(blocks.count()),
    eth_chainId: () => quantity(evmChainId),
    net_version: () => String(evmChainId),
    async eth_getBlockByNumber(params) {
      const number = numberOf(parameter(params, 0))
      const whole = parameter(params, 1)
      if (typeof whole !== 'boolean')
        throw new MethodError('invalid argument 1: json: cannot unmarshal into Go value of type bool', -32602)
      if (number > blocks.count()) throw new MethodError('cannot query unfinalized data')
      const found = await block(number)
      return whole ? found : withHashes(found)
    },
    async eth_getBlockReceipts(params) {
      const number = numberOf(parameter(params, 0))
      return number > blocks.count() ? null : await receipts(number)
    },
    async eth_getTransactionReceipt(params) {
      const hash = String(parameter(params, 0))
      const height = (await heightsOf()).get(hash.slice(2).toLowerCase())
      if (height === undefined) return null
      return (
        (await receipts(height)).find(
          (receipt) => (receipt as { transactionHash: string }).transactionHash === hash.toLowerCase(),
        ) ?? null
      )
    },
  }
}

function parameter(params: readonly unknown[], position: number): unknown {
  const value = params[position]
  if (value === undefined || value === null)
    throw new MethodError(`missing value for required argument ${position}`, -32602)
  return value
}

/** The number that a tag or hex text stands for. */
function blockNumber(tag: unknown, head: number): number {
  if (tag === 'earliest') return 0
  if (['latest', 'safe', 'finalized', 'accepted', 'pending'].includes(String(tag))) return head
  const wrong = (why: string) => new MethodError(`invalid argument 0: ${why}`, -32602)
  if (typeof tag !== 'string' || !tag.startsWith('0x')) throw wrong('hex string without 0x prefix')
  if (tag === '0x') throw wrong('hex string "0x"')
  if (!/^0x[0-9a-f]+$/i.test(tag)) throw wrong('invalid hex string')
  if (/^0x0./.test(tag)) throw wrong('hex number with leading zero digits')
  return Number(tag)
}
