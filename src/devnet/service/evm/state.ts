import type { TokenContract } from '../../c/contracts.ts'
import type { Log } from './contracts/contract.ts'

/** The EVM ledger of the simulated C chain: what its containers' bytes say when the rules of the chain are applied. */
export type EvmLedger = {
  /** Everything up to the head of now. The first call reads the whole chain, later ones what is new. */
  atHead(): Promise<EvmState>
}

/** A block of the EVM; amounts in wei. */
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
  /** What the block costs beyond its transactions; 0 before Apricot 4. */
  readonly gasCost: bigint
  /** Gas of each transaction times what it pays for it. */
  readonly feesSpent: bigint
  /** Transactions up to and with this block. */
  readonly cumulativeTransactions: number
  readonly atomicTxCount: number
}

export type Standard = TokenContract['standard']

/** A token that moved. Addresses are lower-case hex with 0x; the zero address mints and burns. */
export type EvmTransfer = {
  readonly token: TokenContract
  readonly block: EvmBlock
  readonly txHash: string
  /** Position among the events of the block, approvals among them; the items of one batch share it. */
  readonly logIndex: number
  readonly from: string
  readonly to: string
  /** Null of an ERC-20. */
  readonly tokenId: bigint | null
  /** 1 of an ERC-721. */
  readonly value: bigint
}

/** What became of a transaction. */
export type EvmResult = {
  readonly sender: string
  readonly succeeded: boolean
  readonly gasUsed: number
  /** Wei per gas that it pays (EIP-1559). */
  readonly price: bigint
  /** Null of a transaction that is no successful call of a token contract. */
  readonly called: { readonly token: TokenContract; readonly logs: readonly Log[] } | null
}

/** What the chain comes to at its head. Lists grow with it: keep their lengths. */
export type EvmState = {
  /** Oldest first: block number `n` is at `n - 1`. */
  readonly blocks: readonly EvmBlock[]
  /** Of each block, in their order: what became of its transactions. */
  readonly results: readonly (readonly EvmResult[])[]
  /** Of all contracts, oldest first. */
  readonly transfers: readonly EvmTransfer[]
  /** Calls of token contracts that came to nothing. */
  readonly reverted: number
  /** Of a contract, oldest first. */
  transfersOf(contract: string): readonly EvmTransfer[]
  /** From or to a wallet, oldest first. */
  transfersWith(wallet: string, standard: Standard): readonly EvmTransfer[]
  /** The owner of a token of an ERC-721; null if it has none. */
  ownerOf(contract: string, tokenId: bigint): string | null
  /** Wei after a block: the genesis, values, fees and atomic transactions; 0 for an unknown address. */
  nativeBalance(wallet: string, blockNumber: number): bigint
  /** How many transactions and exports an address has sent, after a block. */
  nonce(wallet: string, blockNumber: number): bigint
  /** Every address that has ever had some of the native token. */
  addresses(): Iterable<string>
}
