import { tokenContracts } from '../../../c/contracts.ts'
import type { Dialect } from '../../../index/methods.ts'
import { blocksUntilDelivery, type IcmMessage, madeUpAddress, rewardOf } from '../icm-messages.ts'
import type { EvmBlock } from '../state.ts'
import { logoOf, shownAddress } from './addresses.ts'
import { dollars } from './money.ts'

/** The contract of ICM, which has the same address on every chain. */
const icmContract = '0x253b2784c75e510dd0ff1da844684a1ac0aa5fcf'
const rewardToken = tokenContracts[0]!

/** A message as the service lists it while the chain has these blocks. */
export function icmMessageItem(message: IcmMessage, blocks: readonly EvmBlock[], dialect: Dialect): object {
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
