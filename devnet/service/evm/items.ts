import { keccak256 } from '../../../codec/keccak.ts'
import { type TokenContract, tokenContracts, wholeWord } from '../../c/contracts.ts'
import { evmChainId } from '../../c/state.ts'
import type { Dialect } from '../../index/methods.ts'
import { hexOf, remembered } from '../../lib.ts'
import { genesisTime } from '../../network/genesis.ts'
import { zeroAddress } from './contracts.ts'
import type { Holding } from './holdings.ts'
import { receiverGas } from './inner-calls.ts'
import type { EvmBlock, EvmState, EvmTransaction, EvmTransfer } from './state.ts'

/** A transfer as the service lists it (specification 000, 2.7). The fields that the real service adds are only in its dialect. */
export function transferItem(transfer: EvmTransfer, state: EvmState, dialect: Dialect): object {
  const { token, block, txHash, logIndex, from, to, tokenId, value } = transfer
  const head = {
    ...blockFields(block, dialect),
    txHash,
    from: partyOf(from),
    to: partyOf(to),
    logIndex,
  }
  if (token.standard === 'ERC-20') return { ...head, value: String(value), erc20Token: erc20Of(token, dialect) }
  const collectible = collectibleOf(token, tokenId!, dialect)
  if (token.standard === 'ERC-1155') return { ...head, value: String(value), erc1155Token: collectible }
  const owner = state.ownerOf(token.address, tokenId!)
  return { ...head, erc721Token: { ...collectible, ...(owner === null ? {} : { ownerAddress: shownAddress(owner) }) } }
}

/** The block of a transfer or transaction. */
function blockFields(block: EvmBlock, dialect: Dialect): object {
  const { milliseconds } = block
  return {
    blockNumber: String(block.number),
    blockTimestamp: block.time,
    ...(dialect === 'node' && milliseconds !== null ? { blockTimestampMilliseconds: milliseconds } : {}),
    blockHash: block.hash,
  }
}

/** The contract of an ERC-20 as transfers contain it. */
export function erc20Of(token: TokenContract, dialect: Dialect): object {
  const { address, name, symbol, decimals, price } = token
  return {
    address: shownAddress(address),
    name,
    symbol,
    decimals,
    logoUri: logoOf(token),
    ercType: 'ERC-20',
    ...(price === null ? {} : { price: dollars(price, dialect) }),
  }
}

/** A transaction as lists of wallets show it. */
export function transactionItem(transaction: EvmTransaction, dialect: Dialect): object {
  const { block, index, hash, from, to, value, nonce, gasLimit, type, selector, result } = transaction
  const { minDelayExcess } = block
  return {
    ...blockFields(block, dialect),
    ...(dialect === 'node' && minDelayExcess !== null ? { blockMinDelayExcess: minDelayExcess } : {}),
    chainId: String(evmChainId),
    blockIndex: index,
    txHash: hash,
    txStatus: result.succeeded ? '1' : '0',
    txType: type,
    gasLimit: String(gasLimit),
    gasUsed: String(result.gasUsed),
    gasPrice: String(result.price),
    nonce: String(nonce),
    from: partyOf(from),
    to: partyOf(to ?? zeroAddress),
    ...(selector === null ? {} : { method: methodOf(transaction, selector) }),
    value: String(value),
  }
}

function methodOf({ to }: EvmTransaction, selector: string): object {
  return { callType: to === null ? 'CONTRACT_CREATION' : 'CONTRACT_CALL', methodHash: selector }
}

/** The call by which the contract of an ERC-721 or ERC-1155 asks the receiver of a transfer whether it accepts tokens. */
export function receiverCallItem({ block, txHash, token, to }: EvmTransfer, dialect: Dialect): object {
  return {
    ...blockFields(block, dialect),
    txHash,
    from: partyOf(token.address),
    to: partyOf(to),
    internalTxType: 'CALL',
    value: '0',
    isReverted: false,
    gasLimit: String(receiverGas.limit),
    gasUsed: String(receiverGas.used),
  }
}

/**
 * A block as the service lists it (specification 000, 2.6). The fields that the real service adds since Granite are only in its dialect.
 */
export function blockItem(block: EvmBlock, dialect: Dialect): object {
  const { milliseconds, minDelayExcess } = block
  const granite =
    dialect === 'node' && milliseconds !== null
      ? { blockTimestampMilliseconds: milliseconds, blockMinDelayExcess: minDelayExcess }
      : {}
  return {
    chainId: String(evmChainId),
    blockNumber: String(block.number),
    blockTimestamp: block.time,
    ...granite,
    blockHash: block.hash,
    txCount: block.txCount,
    baseFee: String(block.baseFee),
    gasUsed: String(block.gasUsed),
    gasLimit: String(block.gasLimit),
    gasCost: String(block.gasCost),
    parentHash: block.parentHash,
    feesSpent: String(block.feesSpent),
    cumulativeTransactions: String(block.cumulativeTransactions),
  }
}

const nativePrice = 42.42
const weiPerCent = 10n ** 16n

/** The native token of a wallet (specification 000, 2.8). */
export function nativeItem(wei: bigint, dialect: Dialect): object {
  // Hundredths of the token are precise enough for the value in US dollars.
  const worth = Math.round(Number(wei / weiPerCent) * nativePrice) / 100
  return {
    name: 'Avalanche',
    symbol: 'AVAX',
    decimals: 18,
    logoUri: 'https://devnet.example/logos/avax.png',
    chainId: String(evmChainId),
    price: dollars(nativePrice, dialect),
    balance: String(wei),
    balanceValue: dollars(worth, dialect),
  }
}

/** ERC-20 tokens of one contract that a wallet holds. The prices of some tokens are unknown. */
export function erc20Item({ token, amount }: Holding, dialect: Dialect): object {
  const { price, decimals } = token
  const worth = price === null ? null : Math.round((Number(amount) / 10 ** decimals) * price * 100) / 100
  return {
    ...erc20Of(token, dialect),
    chainId: String(evmChainId),
    balance: String(amount),
    ...(worth === null ? {} : { balanceValue: dollars(worth, dialect) }),
    tokenReputation: isSpam(token) ? 'Malicious' : 'Benign',
  }
}

/** The service takes the token with the largest amounts for spam. */
export function isSpam(token: TokenContract): boolean {
  return token === wholeWord
}

/** A token that a wallet holds: with the owner for an ERC-721, with the amount for an ERC-1155. */
export function holdingItem(wallet: string, { token, tokenId, amount }: Holding, dialect: Dialect): object {
  const more = token.standard === 'ERC-721' ? { ownerAddress: shownAddress(wallet) } : { balance: String(amount) }
  return { ...collectibleOf(token, tokenId!, dialect), chainId: String(evmChainId), ...more }
}

const statuses = ['INDEXED', 'INDEXED', 'INDEXED', 'UNINDEXED', 'INDEXED', 'UNREACHABLE_TOKEN_URI'] as const

/** A token of an ERC-721 or ERC-1155 with the metadata that the service read at its URI. */
function collectibleOf(token: TokenContract, tokenId: bigint, dialect: Dialect): object {
  const { address, standard, name, symbol } = token
  return {
    address: shownAddress(address),
    ...(standard === 'ERC-721' ? { name, symbol } : {}),
    ercType: standard,
    tokenId: String(tokenId),
    tokenUri: `https://devnet.example/${symbol.toLowerCase()}/${tokenId}.json`,
    metadata: metadataOf(token, tokenId, dialect),
  }
}

/** The specification has every field; the real service omits fields that it could not read. */
function metadataOf(token: TokenContract, tokenId: bigint, dialect: Dialect): object {
  const status = statuses[Number(tokenId % BigInt(statuses.length))]!
  const indexStatus = dialect === 'spec' ? status.toLowerCase() : status
  if (status !== 'INDEXED' && dialect === 'node') return { indexStatus }
  const number = Number(tokenId % 1_000n)
  const picture = `https://devnet.example/${token.symbol.toLowerCase()}/${tokenId}`
  const more =
    token.standard === 'ERC-721'
      ? { attributes: JSON.stringify([{ trait_type: 'number', value: number }]) }
      : { decimals: token.decimals, properties: JSON.stringify({ weight: number }) }
  return {
    indexStatus,
    metadataLastUpdatedTimestamp: genesisTime + number * 60,
    name: `${token.name} #${number}`,
    symbol: token.symbol,
    imageUri: `${picture}.png`,
    description: `Number ${number} of ${token.name}: "${token.symbol}" — simulated`,
    animationUri: `${picture}.mp4`,
    externalUrl: picture,
    background: `#${(number * 16_411).toString(16).padStart(6, '0').slice(-6)}`,
    ...more,
  }
}

const contracts = new Map(tokenContracts.map((token) => [token.address, token]))

/** An address with the checksum in its capitals (EIP-55), as the service writes it. */
export const shownAddress = remembered((address: string) => {
  const digits = address.slice(2)
  const hash = hexOf(keccak256(Buffer.from(digits, 'latin1')))
  const text = [...digits].map((digit, at) => (Number.parseInt(hash[at]!, 16) >= 8 ? digit.toUpperCase() : digit))
  return `0x${text.join('')}`
})

export function logoOf({ symbol }: TokenContract): string {
  return `https://devnet.example/logos/${symbol.toLowerCase()}.png`
}

/** A party of a transfer: the address, and for a token contract also its description. */
export function partyOf(address: string): object {
  const token = contracts.get(address)
  if (token === undefined) return { address: shownAddress(address) }
  const { name, symbol, decimals } = token
  return { name, symbol, decimals, logoUri: logoOf(token), address: shownAddress(address) }
}

/** A price in US dollars: text in the specification, a number in the real service. */
export function dollars(value: number, dialect: Dialect): object {
  return { currencyCode: 'usd', value: dialect === 'spec' ? String(value) : value }
}
