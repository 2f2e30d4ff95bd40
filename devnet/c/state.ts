import type { Holder } from '../network/holders.ts'
import type { NetworkState } from '../network/state.ts'
import { createBooks, type TokenBooks } from './books.ts'
import { createKey, type Key } from './curve.ts'

/** An account that signs transactions of the EVM. */
export type Account = Key & {
  /** How many transactions and exports the account has sent. */
  nonce: number
  /** Lower bound of the native balance in nAVAX: each fee is counted at its maximum. */
  balance: bigint
  /** Balances of other assets, until Banff. */
  readonly assets: { readonly asset: Uint8Array; readonly amount: bigint }[]
}

/** Everything that the next C-Chain block depends on. */
export type CState = {
  readonly network: NetworkState
  readonly accounts: readonly Account[]
  /** Addresses that only receive. */
  readonly wallets: readonly Uint8Array[]
  readonly tokens: TokenBooks
  /** Addresses of contracts that transactions call, unordered. */
  readonly contracts: Uint8Array[]
  /** Gas price in wei. */
  baseFee: number
}

/** Chain id of the EVM, the same as in a node's own local test network. */
export const evmChainId = 43_112

/** 1 nAVAX in wei. */
export const weiPerUnit = 1_000_000_000n

const accountCount = 32
const walletCount = 24
const contractCount = 8
/** The initial balance of each account in nAVAX: one million AVAX. */
export const genesisBalance = 1_000_000_000_000_000n

/** Keys of the accounts. They are the same for every seed, so that a list of wallets fits every network. */
export const accountKeys: readonly Key[] = Array.from({ length: accountCount }, (_, at) => {
  return createKey(`chainlake devnet account ${at}`)
})

/** Addresses that only receive. They are the same for every seed, too. */
const walletAddresses: readonly Uint8Array[] = Array.from({ length: walletCount }, (_, at) => {
  return createKey(`chainlake devnet wallet ${at}`).address
})

export function createCState(network: NetworkState): CState {
  return {
    network,
    accounts: accountKeys.map((key) => ({ ...key, nonce: 0, balance: genesisBalance, assets: [] })),
    wallets: walletAddresses,
    tokens: createBooks(accountCount),
    contracts: Array.from({ length: contractCount }, () => network.random.bytes(20)),
    baseFee: 25_000_000_000,
  }
}

/** An account that can pay this amount (nAVAX); null if several tries found none. */
export function someAccount({ network, accounts }: CState, amount: bigint): Account | null {
  for (let tries = 0; tries < 8; tries += 1) {
    const account = network.random.pick(accounts)
    if (account.balance >= amount) return account
  }
  return null
}

export function someHolder({ random, holders }: NetworkState): Holder {
  return random.pick(holders)
}
