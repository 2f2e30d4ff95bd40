import { decodeCb58, idText } from '../codec/cb58.ts'
import { type ErrorFacts, OtherSourceError } from '../errors.ts'
import type { ChainContext } from '../model.ts'
import { type BlockRecord, recordFacts, recordName } from './container-facts.ts'

/** What a transaction of the P, X or C chain begins with; those that a chain makes for itself state nothing. */
type Stated = { readonly networkID: number; readonly blockchainID: Uint8Array }

/**
 * Throws `OtherSourceError` when a transaction says that it belongs to another network or chain than its record was asked for of:
 * a node may name one network and serve the blocks of another. `txId` is asked only then.
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

/** The same for the chain alone; a chain without a known id is not compared. */
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

/** Of so few bytes a loop takes a third of the time of a call of `Buffer.compare`. */
function isSame(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false
  return true
}

/** The same for the chain id that the signature of an EVM transaction covers; null: it covers none. */
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
 * The id that transactions of the chain must state; null when the context has only its alias. Another chain is asked for by the id itself,
 * which no node confuses.
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
