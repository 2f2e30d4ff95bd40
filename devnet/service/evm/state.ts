import type { TokenContract } from '../../c/contracts.ts'
import type { Log } from './contracts.ts'

/** The EVM ledger of the simulated C-Chain: the result of applying the rules of the chain to the bytes of its containers. */
export type EvmLedger = {
  /** The state up to the current head. The first call reads the whole chain, later calls read what was added since. */
  atHead(): Promise<EvmState>
}

/** A block of the EVM. Amounts are in wei. */
export type EvmBlock = {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  /** Unix seconds. */
  readonly time: number
  /** Unix milliseconds; null before Granite. */
  readonly milliseconds: number | null
  /** Null before Granite. */
  readonly minDelayExcess: number | null
  readonly txCount: number
  /** 0 before Apricot 3. */
  readonly baseFee: bigint
  readonly gasUsed: bigint
  readonly gasLimit: bigint
  /** The cost of the block in addition to its transactions, in wei; 0 before Apricot 4. */
  readonly gasCost: bigint
  /** Sum over the transactions of gas times price, in wei. */
  readonly feesSpent: bigint
  /** Number of transactions up to and including this block. */
  readonly cumulativeTransactions: number
  readonly atomicTxCount: number
}

export type Standard = TokenContract['standard']

/** A token transfer. Addresses are lower-case hex with 0x; the zero address stands for minting and burning. */
export type EvmTransfer = {
  readonly token: TokenContract
  readonly block: EvmBlock
  readonly txHash: string
  /** Position among the events of the block, including approvals. The items of a batch share it. */
  readonly logIndex: number
  readonly from: string
  readonly to: string
  /** Null for an ERC-20. */
  readonly tokenId: bigint | null
  /** 1 for an ERC-721, otherwise the amount. */
  readonly value: bigint
}

/** The result of a transaction. */
export type EvmResult = {
  readonly sender: string
  readonly succeeded: boolean
  /** Whether it creates a contract. */
  readonly creates: boolean
  readonly gasUsed: number
  /** Wei per gas that it pays (EIP-1559). */
  readonly price: bigint
  /** The called token contract and its logs; null if the transaction is not a successful call of a token contract. */
  readonly called: { readonly token: TokenContract; readonly logs: readonly Log[] } | null
}

/** A transaction as lists of wallets show it. Amounts are in wei. */
export type EvmTransaction = {
  readonly block: EvmBlock
  /** Position in the block. */
  readonly index: number
  readonly hash: string
  readonly from: string
  /** Null for the creation of a contract. */
  readonly to: string | null
  readonly value: bigint
  readonly nonce: bigint
  readonly gasLimit: bigint
  /** 0: legacy, 1: access list, 2: dynamic fee. */
  readonly type: number
  /** Selector of the called function; null without input. */
  readonly selector: string | null
  readonly result: EvmResult
}

/** The state of the chain at its head. Its lists grow with the chain, so a reader should remember their lengths. */
export type EvmState = {
  /** Oldest first: block number `n` is at `n - 1`. */
  readonly blocks: readonly EvmBlock[]
  /** Results of the transactions of each block, in block order. */
  readonly results: readonly (readonly EvmResult[])[]
  /** Transfers of all contracts, oldest first. */
  readonly transfers: readonly EvmTransfer[]
  /** Number of reverted calls of token contracts. */
  readonly reverted: number
  /** Transfers of one contract, oldest first. */
  transfersOf(contract: string): readonly EvmTransfer[]
  /** Transfers from or to a wallet, oldest first. */
  transfersWith(wallet: string, standard: Standard): readonly EvmTransfer[]
  /** All transactions, oldest first. */
  readonly transactions: readonly EvmTransaction[]
  /** Transactions from or to a wallet, oldest first. */
  transactionsWith(wallet: string): readonly EvmTransaction[]
  /** The owner of an ERC-721 token; null if it has none. */
  ownerOf(contract: string, tokenId: bigint): string | null
  /** Balance in wei after a block, from the genesis, values, fees and atomic transactions; 0 for an unknown address. */
  nativeBalance(wallet: string, blockNumber: number): bigint
  /** Number of transactions and exports that an address has sent up to a block; for a contract 1 more than it has created. */
  nonce(wallet: string, blockNumber: number): bigint
  /** The code of an address after a block; empty for an address without code. */
  code(address: string, blockNumber: number): Uint8Array
  /** The value of a storage slot (64 hex digits) of a contract after a block. */
  slot(address: string, slot: string, blockNumber: number): bigint
  /** Every address that ever had a native balance or a nonce. */
  addresses(): Iterable<string>
}
