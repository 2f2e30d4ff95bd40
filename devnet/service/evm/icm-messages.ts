import { createHash } from 'node:crypto'
import { idText } from '../../../codec/ids.ts'
import { evmChainId } from '../../c/state.ts'
import { chainTexts } from '../../network/genesis.ts'
import type { EvmState, EvmTransaction } from './state.ts'

/** The blockchain at the other end of all messages. It is not simulated, and the service does not always index it. */
type Side = { readonly blockchainId: string; readonly evmChainId: number }

const other: Side = {
  blockchainId: idText(createHash('sha256').update('the other chain').digest()),
  evmChainId: 43_113,
}
const own: Side = { blockchainId: chainTexts.C, evmChainId }

/** A message between the C-Chain and the other chain. */
export type IcmMessage = {
  /** The transaction on the C-Chain: it sends an outgoing message and delivers an incoming one. */
  readonly transaction: EvmTransaction
  readonly nonce: number
  readonly isOutgoing: boolean
  readonly source: Side
  readonly destination: Side
  /** Addresses in lower case. The sender of the transaction is the party on the C-Chain. */
  readonly from: string
  readonly to: string
  /** Hexadecimal digits that its made-up values come from. */
  readonly digits: string
}

/** Every third transaction belongs to a message, and every fourth message is an incoming one. */
const every = { transaction: 3, incoming: 4 } as const

/** All messages, in the order of their transactions on the C-Chain. */
export function icmMessagesOf({ transactions }: Pick<EvmState, 'transactions'>): IcmMessage[] {
  return transactions
    .filter((_, at) => at % every.transaction === 0)
    .map((transaction, nonce) => {
      const isOutgoing = nonce % every.incoming !== 1
      const [source, destination] = isOutgoing ? [own, other] : [other, own]
      const digits = createHash('sha256').update(transaction.hash).digest('hex')
      const there = madeUpAddress(digits, 4)
      const [from, to] = isOutgoing ? [transaction.from, there] : [there, transaction.from]
      return { transaction, nonce, isOutgoing, source, destination, from, to, digits }
    })
}

/** How many blocks an outgoing message is pending: a few, or the whole length of a short chain. */
export function blocksUntilDelivery({ digits }: IcmMessage): number {
  const number = Number.parseInt(digits.slice(0, 4), 16)
  return number % 16 === 0 ? 200 + (number % 400) : 1 + (number % 20)
}

/** An address from the digits of a message. */
export function madeUpAddress(digits: string, first: number): string {
  return `0x${digits.slice(first, first + 40)}`
}

/** The reward for the relayer, in the least unit of the token. Some rewards have more than 64 bits. */
export function rewardOf({ digits }: IcmMessage): bigint {
  return BigInt(`0x${digits.slice(4, 24)}`)
}
