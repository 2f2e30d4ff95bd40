import { createHash } from 'node:crypto'
import { idText } from '../../../codec/ids.ts'
import { tokenContracts } from '../../c/contracts.ts'
import { evmChainId } from '../../c/state.ts'
import type { Dialect } from '../../index/methods.ts'
import { chainTexts } from '../../network/genesis.ts'
import { listRoute, type ServiceRoute, totalsOf } from '../plumbing/route.ts'
import { choice, evmAddress, matching, text } from '../plumbing/rules.ts'
import { dollars, logoOf, shownAddress } from './items.ts'
import type { EvmBlock, EvmLedger, EvmState, EvmTransaction } from './state.ts'

const blockchain = matching(/^[1-9A-HJ-NP-Za-km-z]{40,60}$/, 'must be the id of a blockchain')

type Filters = {
  readonly sourceBlockchainId: string | undefined
  readonly destinationBlockchainId: string | undefined
  readonly blockchainId: string | undefined
  readonly from: string | undefined
  readonly to: string | undefined
}

/** ICM messages, newest first. Pending ones are delivered while the chain grows. */
export function icmRoute(ledger: EvmLedger): ServiceRoute {
  return listRoute({
    path: '/v1/icm/messages',
    parameters: {
      sourceBlockchainId: text(blockchain),
      destinationBlockchainId: text(blockchain),
      blockchainId: text(blockchain),
      from: text(evmAddress),
      to: text(evmAddress),
      network: choice(['mainnet', 'fuji', 'testnet']),
    },
    pageSize: { default: 10, most: 100 },
    cost: 'medium',
    totals: async () => ({
      rest_icm_messages: totalsOf(icmMessagesOf(await ledger.atHead()), { reward_amount: rewardOf }),
    }),
    handle: async ({ query, settings: { dialect } }) => {
      const state = await ledger.atHead()
      const all = query.network === 'mainnet' ? [] : icmMessagesOf(state)
      const found = all.filter((message) => matches(message, query))
      // The list grows while a page is computed: all items are of one head.
      const blocks = state.blocks.slice()
      const count = found.length
      return {
        items: 'messages',
        rows: { count, at: (index) => icmMessageItem(found[count - 1 - index]!, blocks, dialect) },
      }
    },
  })
}

function matches(message: IcmMessage, query: Filters): boolean {
  const [source, destination] = [message.source.blockchainId, message.destination.blockchainId]
  const isOrAny = (wanted: string | undefined, ...values: readonly string[]) =>
    wanted === undefined || values.includes(wanted)
  return (
    isOrAny(query.sourceBlockchainId, source) &&
    isOrAny(query.destinationBlockchainId, destination) &&
    isOrAny(query.blockchainId, source, destination) &&
    isOrAny(query.from, message.from) &&
    isOrAny(query.to, message.to)
  )
}

/** The blockchain at the other end of all messages. It is not simulated, and the service does not always index it. */
type Side = { readonly blockchainId: string; readonly evmChainId: number }

const other: Side = {
  blockchainId: idText(createHash('sha256').update('the other chain').digest()),
  evmChainId: 43_113,
}
const own: Side = { blockchainId: chainTexts.C, evmChainId }

/** A message between the C-Chain and the other chain. */
type IcmMessage = {
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
function icmMessagesOf({ transactions }: Pick<EvmState, 'transactions'>): IcmMessage[] {
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
function blocksUntilDelivery({ digits }: IcmMessage): number {
  const number = Number.parseInt(digits.slice(0, 4), 16)
  return number % 16 === 0 ? 200 + (number % 400) : 1 + (number % 20)
}

/** An address from the digits of a message. */
function madeUpAddress(digits: string, first: number): string {
  return `0x${digits.slice(first, first + 40)}`
}

/** The reward for the relayer, in the least unit of the token. Some rewards have more than 64 bits. */
function rewardOf({ digits }: IcmMessage): bigint {
  return BigInt(`0x${digits.slice(4, 24)}`)
}

/** The contract of ICM, which has the same address on every chain. */
const icmContract = '0x253b2784c75e510dd0ff1da844684a1ac0aa5fcf'
const rewardToken = tokenContracts[0]!

/** A message as the service lists it while the chain has these blocks. */
function icmMessageItem(message: IcmMessage, blocks: readonly EvmBlock[], dialect: Dialect): object {
  const { transaction, isOutgoing, nonce, source, destination, from, to, digits } = message
  const deliveredIn = isOutgoing
    ? blocks[transaction.block.number - 1 + blocksUntilDelivery(message)]
    : transaction.block
  const isDelivered = deliveredIn !== undefined
  return {
    messageId: `0x${digits}`,
    icmContractAddress: shownAddress(icmContract),
    sourceBlockchainId: source.blockchainId,
    destinationBlockchainId: destination.blockchainId,
    sourceEvmChainId: String(source.evmChainId),
    destinationEvmChainId: String(destination.evmChainId),
    messageNonce: String(nonce),
    from: shownAddress(from),
    to: shownAddress(to),
    ...(nonce % 5 === 0 ? {} : { data: `0x${digits.slice(0, 16)}` }),
    messageExecuted: isDelivered && nonce % 7 !== 0,
    receipts: Array.from({ length: nonce % 3 }, (_, at) => ({
      receivedMessageNonce: String(nonce + at),
      relayerRewardAddress: shownAddress(madeUpAddress(digits, 8 + at)),
    })),
    receiptDelivered: isDelivered && nonce % 2 === 0,
    rewardDetails: rewardDetails(message, dialect),
    ...(isOutgoing ? { sourceTransaction: ownTransaction(message) } : {}),
    ...(isDelivered ? { destinationTransaction: delivery(message, deliveredIn) } : {}),
    status: isOutgoing ? (isDelivered ? 'delivered' : 'pending') : 'delivered_source_not_indexed',
  }
}

function ownTransaction({ transaction: { hash, block, result } }: IcmMessage) {
  return { txHash: hash, timestamp: block.time, gasSpent: String(result.gasUsed) }
}

/** The transaction that delivered a message. On the other chain it is made up, at the time of a block of the C-Chain. */
function delivery(message: IcmMessage, { time }: EvmBlock): object {
  const { isOutgoing, digits } = message
  const there = { txHash: `0x${[...digits].reverse().join('')}`, timestamp: time, gasSpent: '120000' }
  return {
    ...(isOutgoing ? there : ownTransaction(message)),
    rewardRedeemer: shownAddress(madeUpAddress(digits, 12)),
    delivererAddress: shownAddress(madeUpAddress(digits, 16)),
  }
}

function rewardDetails(message: IcmMessage, dialect: Dialect): object {
  const { address, name, symbol, decimals, price } = rewardToken
  return {
    address: shownAddress(address),
    name,
    symbol,
    decimals,
    logoUri: logoOf(rewardToken),
    ercType: rewardToken.standard,
    ...(price === null ? {} : { price: dollars(price, dialect) }),
    value: String(rewardOf(message)),
  }
}
