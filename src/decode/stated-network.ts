import { decodeCb58, idText } from '../../codec/cb58.ts'
import { type ErrorFacts, OtherSourceError } from '../errors.ts'
import type { ChainContext } from '../model.ts'
import { type BlockRecord, recordFacts, recordName } from './container-facts.ts'

/** The first fields of a transaction of the P-Chain, X-Chain or C-Chain. Transactions that a chain creates itself do not have them. */
type Stated = { readonly networkID: number; readonly blockchainID: Uint8Array }

/**
 * Throws `OtherSourceError` if a transaction states another network or chain than its record was requested from. A node may name one
 * network and serve the blocks of another. `txId` is called only for the error.
 */
export function mustBeOfNetwork(
  tx: Stated | object,
  record: BlockRecord,
  context: ChainContext,
  txId: () => string,
): void {
  if (!('networkID' in tx)) return
  if (tx.networkID !== context.networkId)
    throw otherNetwork(`a transaction of network ${tx.networkID}`, record, context, {
      transaction: txId(),
      'network id stated': tx.networkID,
      'network id of the lake': context.networkId,
    })
  mustBeOfChain(tx.blockchainID, record, context, () => ({ transaction: txId() }))
}

/** Like `mustBeOfNetwork`, for the chain only. If the id of the chain is unknown, the stated one is not compared. */
export function mustBeOfChain(
  stated: Uint8Array,
  record: BlockRecord,
  context: ChainContext,
  facts: () => ErrorFacts = () => ({}),
): void {
  const expected = chainBytes(context)
  if (expected === null || isSame(stated, expected)) return
  throw otherNetwork('another blockchain', record, context, {
    ...facts(),
    'blockchain stated': idText(stated),
    'blockchain of the lake': context.blockchainId,
  })
}

/** For 32 bytes, a loop takes a third of the time of `Buffer.compare`. */
function isSame(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false
  return true
}

/** Like `mustBeOfNetwork`, for the chain id that the signature of an EVM transaction covers. Null: the signature covers none. */
export function mustBeSignedFor(
  signed: bigint | null,
  record: BlockRecord,
  context: ChainContext,
  transaction: string,
): void {
  if (signed === null || context.evmChainId === null || signed === BigInt(context.evmChainId)) return
  throw otherNetwork(`a transaction that was signed for EVM chain ${signed}`, record, context, {
    transaction,
    'EVM chain id signed': signed,
    [`EVM chain id of ${context.network}`]: context.evmChainId,
  })
}

const known = new WeakMap<ChainContext, Uint8Array | null>()

/**
 * Returns the id that transactions of the chain must state; null if the context has only the chain's alias. Another chain is requested by
 * its id, so no node can confuse it.
 */
function chainBytes(context: ChainContext): Uint8Array | null {
  let bytes = known.get(context)
  if (bytes === undefined) {
    const { chain, blockchainId } = context
    const isKnown = /^[PXC]$/.test(chain) && blockchainId !== chain
    bytes = isKnown ? decodeCb58(blockchainId) : null
    known.set(context, bytes)
  }
  return bytes
}

function otherNetwork(
  what: string,
  record: BlockRecord,
  { network, chain }: ChainContext,
  facts: ErrorFacts,
): OtherSourceError {
  return new OtherSourceError(`${recordName(record)} of the ${chain} chain of ${network} holds ${what}.`, {
    details: { ...recordFacts(record), ...facts },
    hint: 'Nothing of this unit was written. The node serves another network or chain than it names: use a node that serves its own network, and give another network another --lake.',
  })
}
