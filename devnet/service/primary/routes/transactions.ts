import { encodeCb58 } from '../../../../codec/ids.ts'
import type { Dialect } from '../../../index/methods.ts'
import { chainTexts, nativeAssetText } from '../../../network/genesis.ts'
import type { ChainAlias } from '../../../network/state.ts'
import { ServiceError } from '../../plumbing/error.ts'
import { between, listRoute, type ServiceRoute, type Totals, totalsOf } from '../../plumbing/route.ts'
import { choice, commaList, idForm, integer, repeated, text } from '../../plumbing/rules.ts'
import { transactionsOn } from '../ledger/book.ts'
import type { PrimaryLedger, PrimaryState } from '../ledger/ledger.ts'
import type {
  Amount,
  Asset,
  CTransaction,
  EvmSide,
  L1Change,
  LedgerTx,
  PTransaction,
  Utxo,
  XTransaction,
} from '../ledger/model.ts'
import { estimatedReward } from '../ledger/p-stakes.ts'
import { type Assets, assetAmount, assetAmounts, coinsOf, differenceOf, sumsOf } from './assets.ts'
import { anyAddress, chainInfo, createListMemory, mostAddresses, sortOrders, textsInOrder } from './lists.ts'
import { createUtxoTexts, inTransaction } from './utxos.ts'

const txTypes = [
  'AddValidatorTx',
  'AddSubnetValidatorTx',
  'AddDelegatorTx',
  'CreateChainTx',
  'CreateSubnetTx',
  'ImportTx',
  'ExportTx',
  'AdvanceTimeTx',
  'RewardValidatorTx',
  'RemoveSubnetValidatorTx',
  'TransformSubnetTx',
  'AddPermissionlessValidatorTx',
  'AddPermissionlessDelegatorTx',
  'BaseTx',
  'TransferSubnetOwnershipTx',
  'ConvertSubnetToL1Tx',
  'RegisterL1ValidatorTx',
  'SetL1ValidatorWeightTx',
  'DisableL1ValidatorTx',
  'IncreaseL1ValidatorBalanceTx',
  'AddAutoRenewedValidatorTx',
  'SetAutoRenewedValidatorConfigTx',
  'RewardAutoRenewedValidatorTx',
  'UNKNOWN',
  'CreateAssetTx',
  'OperationTx',
] as const

/** A page ends early when its transactions have this many UTXOs. */
const mostUtxos = 300

const parameters = {
  addresses: commaList(anyAddress, mostAddresses),
  l1ValidationId: text({
    read: (given) => validationIdOf(given),
    says: 'must be a validation id',
  }),
  txTypes: repeated(txTypes),
  startTimestamp: integer({ least: 0 }),
  endTimestamp: integer({ least: 0 }),
  sortOrder: choice(sortOrders),
}

/** Transactions of the P-Chain, X-Chain and C-Chain (specification 4.3). */
export function transactionRoute(ledger: PrimaryLedger): ServiceRoute {
  const memory = createListMemory<LedgerTx>()
  const texts = new Map<string, TransactionText>()
  const textsOf = ({ book }: PrimaryState, chain: ChainAlias, dialect: Dialect): TransactionText => {
    const known = texts.get(`${chain} ${dialect}`) ?? createTransactionTexts(book.assets, chain, dialect)
    texts.set(`${chain} ${dialect}`, known)
    return known
  }
  return listRoute({
    path: '/v1/networks/{network}/blockchains/{blockchainId}/transactions',
    parameters,
    pageSize: { default: 10, most: 100 },
    cost: 'xl',
    totals: async (dialect) => transactionTotals(await ledger.state(), dialect),
    handle: async ({ parts: { blockchainId: chain, network }, query, settings }) => {
      const { addresses, l1ValidationId, txTypes: types, startTimestamp, endTimestamp, sortOrder } = query
      const filters = [types, startTimestamp, endTimestamp].some((each) => each !== undefined)
      if (filters && addresses === undefined && l1ValidationId === undefined)
        throw ServiceError.of(400, 'Latest transaction route does not support txTypes or timestamp filters')
      const state = await ledger.state()
      const within = between(settings, startTimestamp, endTimestamp)
      const name = JSON.stringify([chain, addresses, l1ValidationId, types, startTimestamp, endTimestamp])
      const list = memory.of(name, state.containers, () =>
        candidates(state, chain, addresses, l1ValidationId).filter(({ type, place }) => {
          return (types === undefined || types.some((each) => each === type)) && within(place.time)
        }),
      )
      const { rows, item } = textsInOrder(list, sortOrder, textsOf(state, chain, settings.dialect))
      const weigh = (index: number): number => utxosOf(item(index))
      return { items: 'transactions', rows, extra: chainInfo(chain, network), cut: { weigh, most: mostUtxos } }
    },
  })
}

/** The transactions that the filters have to check, oldest first. */
function candidates(
  state: PrimaryState,
  chain: ChainAlias,
  addresses: readonly string[] | undefined,
  l1ValidationId: string | undefined,
): readonly LedgerTx[] {
  const ofValidator = l1ValidationId === undefined ? null : chain === 'P' ? state.byValidation.get(l1ValidationId) : []
  if (addresses === undefined) return ofValidator === null ? transactionsOn(state, chain) : (ofValidator ?? [])
  const ofAddresses = state.addresses.txs(chain, addresses)
  if (ofValidator !== null) return (ofValidator ?? []).filter((tx) => ofAddresses.has(tx))
  return [...ofAddresses].sort((a, b) => a.order - b.order)
}

function utxosOf({ consumed, emitted }: LedgerTx): number {
  return consumed.length + emitted.length
}

/** CB58 text of a validation id, which a request may give as CB58 or hex; null if it is neither. */
function validationIdOf(given: string): string | null {
  if (/^0x[0-9a-fA-F]{64}$/.test(given)) return encodeCb58(Buffer.from(given.slice(2), 'hex'))
  return idForm.test(given) ? given : null
}

/** Totals of transactions without filters, computed from the ledger; `a.b` is the field `b` of the list `a`. */
function transactionTotals(state: PrimaryState, dialect: Dialect): Totals {
  return { ...pTotals(state), ...xTotals(state, dialect), ...cTotals(state, dialect) }
}

function pTotals({ p }: PrimaryState): Totals {
  const rows = p.map((tx) => ({
    ...tx,
    ...pAmounts(tx),
    l1: tx.details.l1Validators ?? [],
    begins: tx.stake?.tx === tx,
  }))
  return {
    rest_p_transactions: totalsOf(rows, {
      'amounts.amount': ({ value }) => sum(value),
      'amount_burned.amount': ({ burned }) => sum(burned),
      'amount_staked.amount': ({ staked }) => sum(staked),
      'amount_l1_validator_balance_burned.amount': ({ l1Balance }) => sum(l1Balance),
      estimated_reward: ({ stake, begins }) => (begins ? estimatedReward(stake!) : null),
      'l1_validator_details.remaining_balance': ({ l1 }) => sum(l1.map(({ remainingBalance: amount }) => ({ amount }))),
      'l1_validator_details.balance_change': ({ l1 }) => sum(l1.map(({ balanceChange: amount }) => ({ amount }))),
      ...utxoAmounts,
    }),
  }
}

function xTotals({ x }: PrimaryState, dialect: Dialect): Totals {
  return {
    rest_x_transactions: totalsOf(
      x.map((tx) => moved(tx, dialect)),
      movedAmounts,
    ),
  }
}

/** Only the real service shows the amounts that EVM accounts give and receive. */
function cTotals({ c }: PrimaryState, dialect: Dialect): Totals {
  const rows = c.map((tx) => ({ ...moved(tx, dialect), type: tx.type, evm: dialect === 'node' ? tx.evm : [] }))
  return {
    rest_c_atomic_transactions: totalsOf(rows, {
      ...movedAmounts,
      'evm_outputs.amount': ({ type, evm }) => (type === 'ImportTx' ? sum(evm) : null),
      'evm_inputs.amount': ({ type, evm }) => (type === 'ImportTx' ? null : sum(evm)),
    }),
  }
}

/** The two dialects name the amounts of X-Chain and C-Chain transactions differently. */
function moved(tx: XTransaction | CTransaction, dialect: Dialect) {
  const { consumed, emitted } = tx
  if (dialect === 'spec') return { consumed, emitted, unlocked: [], created: [], ...specAmounts(tx) }
  return { consumed, emitted, value: [], burned: [], ...movedBy(tx) }
}

const utxoAmounts = {
  'consumed_utxos.amount': ({ consumed }: Pick<LedgerTx, 'consumed'>) => sum(consumed),
  'emitted_utxos.amount': ({ emitted }: Pick<LedgerTx, 'emitted'>) => sum(emitted),
}

const movedAmounts = {
  'amount_unlocked.amount': ({ unlocked }: ReturnType<typeof moved>) => sum(unlocked),
  'amount_created.amount': ({ created }: ReturnType<typeof moved>) => sum(created),
  'amounts.amount': ({ value }: ReturnType<typeof moved>) => sum(value),
  'amount_burned.amount': ({ burned }: ReturnType<typeof moved>) => sum(burned),
  ...utxoAmounts,
}

function sum(amounts: readonly Pick<Amount, 'amount'>[]): bigint {
  return amounts.reduce((total, { amount }) => total + amount, 0n)
}

/** Returns the JSON text of a transaction. */
type TransactionText = (tx: LedgerTx) => string

/** Creates the texts of the transactions of a chain: the fields of the transaction, then its UTXOs. */
function createTransactionTexts(assets: Assets, chain: ChainAlias, dialect: Dialect): TransactionText {
  const utxo = inTransaction(createUtxoTexts(assets, chain, dialect))
  return (tx) => {
    const head = JSON.stringify(headOf(assets, tx, dialect)).slice(0, -1)
    const consumed = `,"consumedUtxos":[${tx.consumed.map(utxo).join()}]`
    const emitted = `,"emittedUtxos":[${tx.emitted.map(utxo).join()}]`
    // The real service lists only the side of an atomic transaction that has UTXOs.
    if (tx.chain === 'C' && dialect === 'node') return `${head}${tx.type === 'ImportTx' ? consumed : emitted}}`
    return `${head}${consumed}${emitted}}`
  }
}

function headOf(assets: Assets, tx: LedgerTx, dialect: Dialect): object {
  if (tx.chain === 'P') return pTransactionHead(assets, tx)
  return tx.chain === 'X' ? xTransactionHead(assets, tx, dialect) : cTransactionHead(assets, tx, dialect)
}

/** A transaction of the P-Chain without its UTXOs (specification 2.3). It is the same in both dialects. */
function pTransactionHead(assets: Assets, tx: PTransaction): object {
  const { place, details, sourceChain, destinationChain } = tx
  const sums = pAmounts(tx)
  return {
    txHash: tx.txId,
    txType: tx.type,
    blockTimestamp: place.time,
    blockNumber: place.height.toString(),
    blockHash: place.blockId,
    ...(tx.memo === '' ? {} : { memo: `0x${tx.memo}` }),
    ...(sourceChain === null ? {} : { sourceChain: chainTexts[sourceChain] }),
    ...(destinationChain === null ? {} : { destinationChain: chainTexts[destinationChain] }),
    value: assetAmounts(assets, sums.value),
    amountBurned: assetAmounts(assets, sums.burned),
    amountStaked: assetAmounts(assets, sums.staked),
    amountL1ValidatorBalanceBurned: assetAmounts(assets, sums.l1Balance),
    ...stakingFields(tx),
    ...(details.subnetId === undefined ? {} : { subnetId: details.subnetId }),
    ...(details.manager === undefined ? {} : { l1ValidatorManagerDetails: details.manager }),
    ...(details.l1Validators === undefined ? {} : { l1ValidatorDetails: details.l1Validators.map(l1Shape) }),
    ...(details.subnetOwner === undefined ? {} : { subnetOwnershipInfo: ownerShape(details.subnetOwner) }),
    ...(details.bls === undefined ? {} : { blsCredentials: details.bls }),
    ...(details.blockchain === undefined ? {} : { blockchainInfo: blockchainShape(details.blockchain) }),
  }
}

type PAmounts = {
  /** Sums of all emitted amounts. */
  readonly value: readonly Amount[]
  /** Amounts that were consumed, and neither emitted nor given to a validator of an L1. */
  readonly burned: readonly Amount[]
  readonly staked: readonly Amount[]
  readonly l1Balance: readonly Amount[]
}

/** Sums of a transaction by asset. */
export function pAmounts({ consumed, emitted, l1Balance }: PTransaction): PAmounts {
  const balance = l1Balance === 0n ? [] : [{ asset: nativeAssetText, amount: l1Balance }]
  const own = emitted.filter(({ origin }) => origin !== 'reward' && origin !== 'refund')
  return {
    value: sumsOf(coinsOf(emitted)),
    burned: differenceOf(consumed, [...own, ...balance]),
    staked: sumsOf(emitted.filter(isStake)),
    l1Balance: balance,
  }
}

function isStake({ origin }: Utxo): boolean {
  return origin === 'stake'
}

function stakingFields({ details, stake, txId }: PTransaction): object {
  const { nodeId, start, end, shares, rewardAddresses, stakingTxId } = details
  const begins = stake !== null && stake.tx.txId === txId
  return {
    ...(nodeId === undefined ? {} : { nodeId }),
    ...(start === undefined ? {} : { startTimestamp: start }),
    ...(end === undefined ? {} : { endTimestamp: end }),
    ...(shares === undefined ? {} : { delegationFeePercent: String(shares / 10_000) }),
    ...(rewardAddresses === undefined ? {} : { rewardAddresses }),
    ...(stakingTxId === undefined ? {} : { stakingTxHash: stakingTxId }),
    ...(begins ? { estimatedReward: estimatedReward(stake).toString() } : {}),
    ...(begins && stake.ended !== null ? { rewardTxHash: stake.ended.txId } : {}),
  }
}

function l1Shape({ publicKey, weight, remainingBalance, balanceChange, ...ids }: L1Change): object {
  return {
    ...ids,
    weight: Number(weight),
    remainingBalance: Number(remainingBalance),
    balanceChange: Number(balanceChange),
    blsCredentials: { publicKey },
  }
}

type Details = Required<PTransaction['details']>

function ownerShape({ locktime, threshold, addresses }: Details['subnetOwner']): object {
  return { locktime: Number(locktime), threshold, addresses }
}

/** The genesis of a blockchain: an object for an EVM chain, otherwise its text. */
function blockchainShape({ name, vmId, genesis }: Details['blockchain']): object {
  return { chainName: name, vmId, genesisData: parsedOr(genesis) }
}

function parsedOr(genesis: string): unknown {
  try {
    return JSON.parse(genesis)
  } catch {
    return genesis
  }
}

/** A transaction of the X-Chain without its UTXOs, from before or after the chain became linear. */
function xTransactionHead(assets: Assets, tx: XTransaction, dialect: Dialect): object {
  if (dialect === 'spec') return { ...commonFields(tx), ...specFields(assets, tx) }
  const { unlocked, created } = movedBy(tx)
  return {
    ...commonFields(tx),
    ...formatFields(tx),
    timestamp: tx.place.time,
    ...(tx.assetCreated === null ? {} : { assetCreated: createdShape(tx.assetCreated) }),
    amountUnlocked: assetAmounts(assets, unlocked),
    amountCreated: assetAmounts(assets, created),
  }
}

function formatFields({ vertex, place }: XTransaction): object {
  if (vertex === null) return { chainFormat: 'linear', blockHeight: place.height, blockHash: place.blockId }
  const { id, height, time } = vertex
  return { chainFormat: 'non-linear', vertices: [{ hash: id, height, timestamp: time }] }
}

function createdShape({ id, createdAt, ...asset }: Asset): object {
  return { assetId: id, ...asset, createdAtTimestamp: createdAt }
}

/** An atomic transaction of the C-Chain without its UTXOs. */
function cTransactionHead(assets: Assets, tx: CTransaction, dialect: Dialect): object {
  if (dialect === 'spec') return { ...commonFields(tx), ...specFields(assets, tx) }
  const { unlocked, created } = movedBy(tx)
  return {
    ...commonFields(tx),
    blockHeight: tx.place.height,
    blockHash: tx.place.blockId,
    timestamp: tx.place.time,
    amountUnlocked: assetAmounts(assets, unlocked),
    amountCreated: assetAmounts(assets, created),
    ...(tx.type === 'ImportTx'
      ? { evmOutputs: tx.evm.map((side) => ({ toAddress: side.address, asset: assetAmount(assets, side) })) }
      : { evmInputs: tx.evm.map((side) => inputShape(assets, side)) }),
  }
}

function inputShape(assets: Assets, side: EvmSide): object {
  const credentials = side.signatures.map((signature) => ({ signature }))
  return { fromAddress: side.address, asset: assetAmount(assets, side), credentials }
}

type XOrC = XTransaction | CTransaction

/** Amounts that a transaction consumes and creates, by asset, including those of C-Chain accounts. */
function movedBy(tx: XOrC): { readonly unlocked: readonly Amount[]; readonly created: readonly Amount[] } {
  const evm = tx.chain === 'C' ? tx.evm : []
  return {
    unlocked: sumsOf([...coinsOf(tx.consumed), ...(tx.type === 'ExportTx' ? evm : [])]),
    created: sumsOf([...coinsOf(tx.emitted), ...(tx.type === 'ImportTx' ? evm : [])]),
  }
}

/** The amounts of a transaction in the specification. */
export function specAmounts(tx: XOrC): { readonly value: readonly Amount[]; readonly burned: readonly Amount[] } {
  const { unlocked, created } = movedBy(tx)
  return { value: created, burned: differenceOf(unlocked, created) }
}

/** Fields that both dialects show. */
function commonFields({ txId, type, memo, sourceChain, destinationChain }: XOrC): object {
  return {
    txHash: txId,
    txType: type,
    memo: `0x${memo}`,
    ...(sourceChain === null ? {} : { sourceChain: chainTexts[sourceChain] }),
    ...(destinationChain === null ? {} : { destinationChain: chainTexts[destinationChain] }),
  }
}

/** The fields that the specification has for all chains (2.3), without those of the P-Chain only. */
function specFields(assets: Assets, tx: XOrC): object {
  const { value, burned } = specAmounts(tx)
  return {
    blockTimestamp: tx.place.time,
    blockNumber: tx.place.height.toString(),
    blockHash: tx.place.blockId,
    value: assetAmounts(assets, value),
    amountBurned: assetAmounts(assets, burned),
  }
}
