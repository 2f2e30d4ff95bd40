import type { ChainAlias } from '../../../network/state.ts'

/** Who may spend an output: `threshold` of `addresses` (bech32 without chain prefix) from `locktime` (Unix s) on. */
export type UtxoOwner = {
  readonly threshold: number
  readonly locktime: bigint
  readonly addresses: readonly string[]
}

/** What an output allows its owner to do. Only `transfer` has an amount that moves. */
export type OutputKind = 'transfer' | 'mint' | 'nft_mint' | 'nft_transfer' | 'property_mint' | 'property_owned'

export type RewardType = 'VALIDATOR' | 'DELEGATOR' | 'VALIDATOR_FEE'

/** The block of a transaction. Time is in Unix seconds. */
export type Place = { readonly height: number; readonly blockId: string; readonly time: number }

export type Amount = { readonly asset: string; readonly amount: bigint }

/** An output of the network. It is emitted once and consumed at most once. */
export type Utxo = {
  readonly id: string
  /** The transaction that determines its id. For rewards and returned stakes, this is the staking transaction. */
  readonly txId: string
  readonly index: number
  readonly asset: string
  readonly amount: bigint
  readonly kind: OutputKind
  readonly groupId: number | null
  /** Hex without prefix. */
  readonly payload: string | null
  readonly owner: UtxoOwner
  /** Unix seconds until which the output can only be staked; null for plain outputs. */
  readonly stakeableLocktime: bigint | null
  readonly origin: 'genesis' | 'output' | 'stake' | 'export' | 'reward' | 'refund'
  readonly createdOn: ChainAlias
  /** The chain where it can be spent. For exports, this is the destination. */
  readonly livesOn: ChainAlias
  readonly created: Place
  readonly rewardType: RewardType | null
  /** The stake that holds a staked output; null for other outputs. */
  readonly stake: Stake | null
  consumption: Consumption | null
}

type Consumption = {
  readonly tx: LedgerTx
  /** Signatures of the input in unpadded base64; empty for the P-Chain, which does not show them. */
  readonly signatures: readonly string[]
}

/** A staking transaction with a stake that is returned at its end. */
export type Stake = {
  readonly tx: PTransaction
  readonly kind: 'validator' | 'delegator' | 'renewed'
  readonly nodeId: string
  readonly subnetId: string
  readonly asset: string
  readonly amount: bigint
  /** Unix seconds. Since Durango, the time of the block. */
  readonly start: number
  /** Unix seconds. For an auto-renewed validator, the end of its current period. */
  end: number
  /** Length of a period of an auto-renewed validator in seconds; 0 ends the stake with the current period. */
  period: number
  /** Start of the current period in Unix seconds. For validators that are not auto-renewed, the start of the stake. */
  periodStart: number
  /** For an auto-renewed validator: who may change it, and how much of a reward stays staked, in millionths. */
  readonly renewal: { readonly authority: UtxoOwner; shares: number } | null
  readonly rewardOwner: UtxoOwner
  readonly feeOwner: UtxoOwner
  /** The validator's part of a delegation's reward, in millionths. */
  readonly shares: number
  /** The validation of a delegation; null for validations. */
  readonly validator: Stake | null
  /** The validator's parts of delegation rewards that are paid at the end. */
  accrued: bigint
  /** Index of the first UTXO after the outputs and the stake. */
  readonly nextIndex: number
  /** The rewards that were paid at its end. */
  readonly rewards: Utxo[]
  /** The reward transaction that ended it; null for an active stake. */
  ended: PTransaction | null
}

/** A paid reward: a row of the rewards route. */
export type Reward = { readonly utxo: Utxo; readonly stake: Stake; readonly tx: PTransaction }

type Common = {
  readonly txId: string
  readonly type: string
  readonly place: Place
  /** Position among the transactions of its chain. */
  readonly order: number
  /** Hex without prefix. */
  readonly memo: string
  readonly consumed: Utxo[]
  readonly emitted: Utxo[]
  readonly sourceChain: ChainAlias | null
  readonly destinationChain: ChainAlias | null
}

export type PTransaction = Common & {
  readonly chain: 'P'
  readonly details: PDetails
  /** Amount of the native asset (nAVAX) that is added to balances of L1 validators. */
  readonly l1Balance: bigint
  /** The stake that it locks or ends. */
  stake: Stake | null
}

/** Facts of a P-Chain transaction that routes show. Missing fields do not apply to the transaction. */
export type PDetails = {
  readonly nodeId?: string
  readonly subnetId?: string
  /** Unix seconds. The time of the block, whatever start the transaction states (real-service.md, d 7). */
  readonly start?: number
  readonly end?: number
  readonly shares?: number
  readonly rewardAddresses?: readonly string[]
  readonly stakingTxId?: string
  readonly manager?: { readonly blockchainId: string; readonly contractAddress: string }
  readonly l1Validators?: readonly L1Change[]
  readonly subnetOwner?: UtxoOwner
  readonly bls?: Bls
  readonly blockchain?: { readonly name: string; readonly vmId: string; readonly genesis: string }
}

/** Hex with prefix. */
type Bls = { readonly publicKey: string; readonly proofOfPossession: string }

/** A validator of an L1 after the transaction. Balances are in nAVAX. */
export type L1Change = {
  readonly validationId: string
  readonly validationIdHex: string
  readonly nodeId: string
  readonly subnetId: string
  readonly weight: bigint
  readonly remainingBalance: bigint
  readonly balanceChange: bigint
  readonly publicKey: string
}

export type Asset = {
  readonly id: string
  readonly name: string
  readonly symbol: string
  readonly denomination: number
  readonly type: 'secp256k1' | 'nft'
  readonly cap: 'fixed' | 'variable'
  /** Unix seconds. */
  readonly createdAt: number
}

export type XTransaction = Common & {
  readonly chain: 'X'
  /** The vertex that contains it on a chain that was not linear yet, otherwise null. */
  readonly vertex: Vertex | null
  readonly assetCreated: Asset | null
}

/** What an account of the C-Chain gives or receives. */
export type EvmSide = Amount & { readonly address: string; readonly signatures: readonly string[] }

export type CTransaction = Common & {
  readonly chain: 'C'
  readonly evm: readonly EvmSide[]
}

export type LedgerTx = PTransaction | XTransaction | CTransaction

export type Vertex = {
  readonly id: string
  readonly parentIds: readonly string[]
  readonly height: number
  /** Position in the index X/vtx. */
  readonly index: number
  /** When the node accepted it, in Unix seconds. */
  readonly time: number
  readonly txIds: readonly string[]
  readonly bytes: number
}

/** A block with its proposer, which is known if the wrapper is signed. */
export type ProposedBlock = {
  readonly chain: 'P' | 'X'
  readonly place: Place
  readonly parentId: string
  readonly type: string
  readonly txIds: readonly string[]
  readonly bytes: number
  /** Facts of the P-Chain after the block (fees and supply in nAVAX); null for the X-Chain. */
  readonly state: { readonly l1Fees: bigint; readonly l1Validators: number; readonly supply: bigint } | null
  readonly proposer: {
    readonly nodeId: string
    readonly containerId: string
    readonly parentContainerId: string
    readonly pHeight: number
    readonly time: number
  }
}

/** A validator of an L1 that has not ended. Its weight and balance (nAVAX) change; it is inactive without a balance. */
export type L1Validator = {
  readonly validationId: string
  readonly validationIdHex: string
  readonly nodeId: string
  readonly subnetId: string
  readonly publicKey: string
  /** Unix seconds. */
  readonly start: number
  weight: bigint
  balance: bigint
  /** The smallest allowed nonce of its next weight message. */
  minNonce: bigint
  readonly remainingBalanceOwner: UtxoOwner
  readonly deactivationOwner: UtxoOwner
}

/** A validator that the owner of a subnet has added. Times are in Unix seconds. */
export type PermissionedValidator = {
  readonly txId: string
  readonly nodeId: string
  readonly subnetId: string
  readonly start: number
  readonly end: number
  readonly weight: bigint
  /** The transaction by which the owner removed it, and its time; null if there is none. */
  removal: { readonly txId: string; readonly time: number } | null
}
