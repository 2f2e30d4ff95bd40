import { unwrap } from '../../../../codec/containers.ts'
import { sha256 } from '../../../../codec/hash.ts'
import { convertedValidationId, idText, nodeIdText, txIdInBlock } from '../../../../codec/ids.ts'
import { decodeWithSpans } from '../../../../codec/linear.ts'
import {
  type PBlockValue,
  type PInputValue,
  type POutputValue,
  type PTx,
  pBlock,
  type UnsignedPTx,
} from '../../../../codec/p.ts'
import { decodeL1Call } from '../../../../codec/warp.ts'
import { addTo, hex0x, hexOf } from '../../../lib.ts'
import { chainTexts, nativeAssetText, timeOf } from '../../../network/genesis.ts'
import type { ChainAlias } from '../../../network/state.ts'
import { refundOf } from '../../../p/transactions/l1.ts'
import { rewardOf } from '../../../p/transactions/staking.ts'
import { aliasOf, type Book, type Follower, type Journal, proposerOf, type Spent } from './book.ts'
import type {
  L1Change,
  L1Validator,
  PDetails,
  PermissionedValidator,
  Place,
  PTransaction,
  RewardType,
  Stake,
  Utxo,
  UtxoOwner,
} from './model.ts'
import { amountIn, amountOf, l1BalanceOf, tallyPBlock } from './tally.ts'

/** Follows the P-Chain. `genesisSupply` is the supply of the native asset (nAVAX) before the first reward. */
export function createPFollower(journal: Journal, genesisSupply: bigint): Follower {
  journal.supplies.set(chainTexts.P, genesisSupply)
  const acceptance = createAcceptance(journal)
  let proposal: Decoded | null = null
  const decide = (commit: boolean): void => {
    if (proposal === null) throw new RangeError('an option without a proposal')
    const { unsignedTx } = proposal.tx
    if (commit && unsignedTx.type === 'AdvanceTimeTx') journal.times.P = Number(unsignedTx.time)
    acceptance.decide(proposal, commit)
    proposal = null
  }
  const decideBy = ({ type }: PBlockValue): void => {
    if (type.endsWith('CommitBlock')) decide(true)
    else if (type.endsWith('AbortBlock')) decide(false)
  }
  return {
    add: (container) => {
      const wrapper = unwrap(container.bytes)
      const { value: block, spans } = decodeWithSpans(pBlock, wrapper.block, `P ${container.index}`)
      const blockId = idText(sha256(wrapper.block))
      // Before Banff, transactions advance the time of the chain.
      if ('time' in block) journal.times.P = Number(block.time)
      const place: Place = { height: Number(block.height), blockId, time: journal.times.P }
      const decoded = transactionsOf(block).map((tx, position): Decoded => {
        const txId = txIdInBlock(wrapper.block.subarray(spans[2 * position]!, spans[2 * position + 1]!))
        return { tx, txId, txText: idText(txId), place }
      })
      tallyPBlock(journal.tally, transactionsOf(block))
      const proposed = 'tx' in block && block.type !== 'ApricotAtomicBlock' ? decoded.pop()! : null
      for (const each of decoded) acceptance.accept(each)
      decideBy(block)
      proposal = proposed ?? proposal
      const proposer = proposerOf(container, wrapper)
      if (proposer === null) return
      const ids = proposed === null ? decoded : [...decoded, proposed]
      journal.proposed.push({
        chain: 'P',
        place,
        parentId: idText(block.parentID),
        type: block.type,
        txIds: ids.map(({ txText }) => txText),
        bytes: wrapper.block.length,
        state: { ...acceptance.state(), supply: journal.supplies.get(chainTexts.P)! },
        proposer,
      })
    },
  }
}

/** Transactions in byte order; the proposed one is last. */
function transactionsOf(block: PBlockValue): readonly PTx[] {
  const txs = 'txs' in block ? block.txs : []
  return 'tx' in block ? [...txs, block.tx] : txs
}

/** A transaction that was decoded from its block. */
type Decoded = {
  readonly tx: PTx
  readonly txId: Uint8Array
  readonly txText: string
  readonly place: Place
}

/** Applies accepted transactions to the ledger of the P-Chain. */
type Acceptance = {
  accept(decoded: Decoded): void
  /** Commits or aborts a proposal. */
  decide(decoded: Decoded, commit: boolean): void
  state(): { readonly l1Fees: bigint; readonly l1Validators: number }
}

type Rewarding = Extract<UnsignedPTx, { type: 'RewardValidatorTx' | 'RewardAutoRenewedValidatorTx' }>

type Configuring = Extract<UnsignedPTx, { type: 'SetAutoRenewedValidatorConfigTx' }>

function createAcceptance(journal: Journal): Acceptance {
  const { book } = journal
  const stakes = createStakes(journal)
  const l1s = createL1Validators(journal)

  const enter = ({ tx: { unsignedTx: tx }, txText, place }: Decoded, details: PDetails): PTransaction => {
    const [sourceChain, destinationChain] = chainsOf(tx)
    const transaction: PTransaction = {
      chain: 'P',
      txId: txText,
      type: tx.type,
      place,
      order: journal.p.length,
      memo: 'memo' in tx ? hexOf(tx.memo) : '',
      consumed: [],
      emitted: [],
      sourceChain,
      destinationChain,
      details,
      l1Balance: l1BalanceOf(tx),
      stake: null,
    }
    journal.p.push(transaction)
    for (const { validationId } of details.l1Validators ?? []) addTo(journal.byValidation, validationId, transaction)
    if ('inputs' in tx) book.spend(transaction, 'P', pSpent(tx.inputs))
    if (tx.type === 'ImportTx') book.spend(transaction, 'P', pSpent(tx.importedInputs))
    return transaction
  }
  const configure = ({ txID, period, autoCompoundRewardShares }: Configuring): void => {
    const stake = stakes.find(idText(txID))
    stake.period = Number(period)
    if (stake.renewal !== null) stake.renewal.shares = autoCompoundRewardShares
  }
  const accept = (decoded: Decoded, aborted = false): void => {
    const { tx, txId, txText, place } = decoded
    const { unsignedTx } = tx
    const l1 = l1s.changes(unsignedTx, place.time)
    if (!aborted) changePermissioned(journal, unsignedTx, txText, place.time)
    if (unsignedTx.type === 'TransformSubnetTx')
      journal.supplies.set(idText(unsignedTx.subnetID), unsignedTx.initialSupply)
    const facts = { txId: txText, blockTime: place.time, l1, ownerOf: book.ownerOf }
    const transaction = enter(decoded, pDetails(unsignedTx, facts))
    if (!('outputs' in unsignedTx)) return
    if ('stake' in unsignedTx && !aborted)
      transaction.stake = stakes.begin(unsignedTx, termsOf(unsignedTx, place.time), transaction)
    emitOutputs(decoded, transaction)
    if (unsignedTx.type === 'SetAutoRenewedValidatorConfigTx') configure(unsignedTx)
    l1s.refund(unsignedTx, txId, transaction)
  }
  const emitOutputs = ({ tx: { unsignedTx }, txText, place }: Decoded, transaction: PTransaction): void => {
    if (!('outputs' in unsignedTx)) return
    const emit = (list: typeof unsignedTx.outputs, rest: Pick<Utxo, 'origin' | 'livesOn' | 'stake'>): void => {
      const { emitted } = transaction
      emitted.push(...emitPOutputs(book, list, emitted.length, { txId: txText, created: place, ...rest }))
    }
    const plain = { origin: 'output', livesOn: 'P', stake: null } as const
    emit(unsignedTx.outputs, plain)
    if ('stake' in unsignedTx) {
      // An aborted proposal returns its stake at once.
      const { stake } = transaction
      emit(unsignedTx.stake, stake === null ? plain : { origin: 'stake', livesOn: 'P', stake })
    }
    if (unsignedTx.type === 'ExportTx')
      emit(unsignedTx.exportedOutputs, { origin: 'export', livesOn: aliasOf(unsignedTx.destinationChain), stake: null })
  }
  const end = (decoded: Decoded, tx: Rewarding, commit: boolean): void => {
    const stake = stakes.find(idText(tx.txID))
    const transaction = enter(decoded, endDetails(stake))
    transaction.stake = stake
    stakes.end(stake, transaction, commit)
  }
  return {
    accept,
    decide: (decoded, commit) => {
      const { unsignedTx } = decoded.tx
      if (unsignedTx.type === 'RewardValidatorTx' || unsignedTx.type === 'RewardAutoRenewedValidatorTx')
        end(decoded, unsignedTx, commit)
      // A refused AdvanceTimeTx is proposed again as the same transaction. Only the committed one is listed.
      else if (commit || unsignedTx.type !== 'AdvanceTimeTx') accept(decoded, !commit)
    },
    state: () => ({ l1Fees: l1s.fees(), l1Validators: l1s.active() }),
  }
}

function chainsOf(tx: UnsignedPTx): readonly [ChainAlias | null, ChainAlias | null] {
  if (tx.type === 'ImportTx') return [aliasOf(tx.sourceChain), 'P']
  if (tx.type === 'ExportTx') return ['P', aliasOf(tx.destinationChain)]
  return [null, null]
}

type Surroundings = {
  readonly txId: string
  /** Unix seconds. */
  readonly blockTime: number
  /** The L1 validators that the transaction changes. */
  readonly l1: readonly L1Change[]
  readonly ownerOf: Book['ownerOf']
}

/** Details of a P-Chain transaction other than its inputs and outputs. Transactions that end a stake have none. */
function pDetails(tx: UnsignedPTx, { txId, blockTime, l1, ownerOf }: Surroundings): PDetails {
  const changes = { l1Validators: l1 }
  switch (tx.type) {
    case 'AddSubnetValidatorTx': {
      const { nodeID, subnetID, end } = tx.validator
      return { nodeId: nodeIdText(nodeID), subnetId: idText(subnetID), start: blockTime, end: Number(end) }
    }
    case 'RemoveSubnetValidatorTx':
      return { nodeId: nodeIdText(tx.nodeID), subnetId: idText(tx.subnetID) }
    case 'AddValidatorTx':
    case 'AddDelegatorTx':
    case 'AddPermissionlessDelegatorTx':
      return stakeDetails(tx, blockTime, ownerOf)
    case 'AddPermissionlessValidatorTx':
    case 'AddAutoRenewedValidatorTx': {
      const details = stakeDetails(tx, blockTime, ownerOf)
      return tx.signer.type === 'signer.Empty' ? details : { ...details, bls: blsOf(tx.signer) }
    }
    case 'CreateSubnetTx':
      return { subnetId: txId, subnetOwner: ownerOf(tx.owner) }
    case 'TransferSubnetOwnershipTx':
      return { subnetId: idText(tx.subnetID), subnetOwner: ownerOf(tx.newOwner) }
    case 'CreateChainTx': {
      const genesis = Buffer.from(tx.genesisData).toString('utf8')
      const blockchain = { name: tx.chainName, vmId: idText(tx.vmID), genesis }
      return { subnetId: idText(tx.subnetID), blockchain }
    }
    case 'TransformSubnetTx':
      return { subnetId: idText(tx.subnetID) }
    case 'ConvertSubnetToL1Tx': {
      const manager = { blockchainId: idText(tx.chainID), contractAddress: hex0x(tx.address) }
      return { subnetId: idText(tx.subnetID), manager, ...changes }
    }
    case 'RegisterL1ValidatorTx':
    case 'SetL1ValidatorWeightTx':
    case 'IncreaseL1ValidatorBalanceTx':
    case 'DisableL1ValidatorTx':
      return { subnetId: l1[0]!.subnetId, ...changes }
    case 'SetAutoRenewedValidatorConfigTx':
      return { stakingTxId: idText(tx.txID) }
  }
  return {}
}

function stakeDetails(tx: StakingTx, blockTime: number, ownerOf: Book['ownerOf']): PDetails {
  const { kind, nodeId, subnetId, end, shares } = termsOf(tx, blockTime)
  const fee = kind === 'delegator' ? {} : { shares }
  return { nodeId, subnetId, start: blockTime, end, ...fee, rewardAddresses: ownerOf(rewardsOwnerOf(tx)).addresses }
}

/** Details of a transaction that ends a stake. */
function endDetails({ tx, nodeId, subnetId, end, rewardOwner }: Stake): PDetails {
  const start = tx.place.time
  return { stakingTxId: tx.txId, nodeId, subnetId, start, end, rewardAddresses: rewardOwner.addresses }
}

function blsOf(signer: { readonly publicKey: Uint8Array; readonly proofOfPossession: Uint8Array }) {
  return { publicKey: hex0x(signer.publicKey), proofOfPossession: hex0x(signer.proofOfPossession) }
}

/** Records the validators that an accepted transaction of a subnet's owner adds or removes. */
function changePermissioned(
  { permissioned, permissions }: Pick<Journal, 'permissioned' | 'permissions'>,
  tx: UnsignedPTx,
  txId: string,
  blockTime: number,
): void {
  if (tx.type === 'RemoveSubnetValidatorTx') {
    const key = keyOf(idText(tx.subnetID), nodeIdText(tx.nodeID))
    const removed = permissioned.get(key)
    if (removed !== undefined) removed.removal = { txId, time: blockTime }
    permissioned.delete(key)
    return
  }
  if (tx.type !== 'AddSubnetValidatorTx') return
  const { nodeID, subnetID, start, end, weight } = tx.validator
  const [subnetId, nodeId] = [idText(subnetID), nodeIdText(nodeID)]
  const validator: PermissionedValidator = {
    txId,
    nodeId,
    subnetId,
    // Until Durango, the transaction states the start. Since then, it states the time of the block, or 0.
    start: start === 0n ? blockTime : Number(start),
    end: Number(end),
    weight,
    removal: null,
  }
  permissioned.set(keyOf(subnetId, nodeId), validator)
  permissions.set(txId, validator)
}

function keyOf(subnetId: string, nodeId: string): string {
  return `${subnetId} ${nodeId}`
}

type StakingTx = Extract<UnsignedPTx, { stake: unknown }>

/** Follows stakes from their transaction to their end, by the rules of the chain (wire-format.md 1.7). */
type Stakes = {
  /** Starts the stake of an accepted transaction. */
  begin(tx: StakingTx, terms: Terms, transaction: PTransaction): Stake
  find(txId: string): Stake
  /** Ends a stake, or one period of an auto-renewed stake, and pays the rewards that are due. */
  end(stake: Stake, rewardTx: PTransaction, committed: boolean): void
}

/**
 * Since Cortina, a validator's part of delegation rewards is paid at its end. A reward at exactly that time still follows the older rule.
 */
const cortinaTime = timeOf('cortina')

function createStakes({ book, rewards, stakings, stakes, supplies }: Journal): Stakes {
  const validations = new Map<string, Stake>()

  const endNow = (stake: Stake, rewardTx: PTransaction, reward: bigint): void => {
    stake.ended = rewardTx
    stakes.delete(stake)
    let index = stake.nextIndex
    const pay = (owner: UtxoOwner, amount: bigint, rewardType: RewardType): void => {
      if (amount === 0n) return
      const { asset, tx } = stake
      const common = { origin: 'reward', createdOn: 'P', created: rewardTx.place } as const
      const utxo = book.emit({ txId: tx.txId, index: index++, asset, amount, owner, rewardType, ...common })
      rewardTx.emitted.push(utxo)
      rewards.push({ utxo, stake, tx: rewardTx })
      stake.rewards.push(utxo)
      supplies.set(stake.subnetId, (supplies.get(stake.subnetId) ?? 0n) + amount)
    }
    const { validator } = stake
    const part = validator === null ? 0n : feeOf(reward, validator)
    pay(stake.rewardOwner, reward - part, validator === null ? 'VALIDATOR' : 'DELEGATOR')
    if (validator === null) pay(stake.feeOwner, stake.accrued, 'VALIDATOR_FEE')
    else if (rewardTx.place.time > cortinaTime) validator.accrued += part
    else pay(validator.feeOwner, part, 'VALIDATOR_FEE')
  }
  return {
    begin: (tx, terms, transaction) => {
      const { kind, nodeId } = terms
      const stake: Stake = {
        ...terms,
        asset: idText(tx.stake[0]!.assetID),
        amount: tx.stake.reduce((sum, output) => sum + amountOf(output), 0n),
        tx: transaction,
        rewardOwner: book.ownerOf(rewardsOwnerOf(tx)),
        feeOwner: book.ownerOf('rewardsOwner' in tx ? tx.rewardsOwner : tx.delegationRewardsOwner),
        validator: kind === 'delegator' ? (validations.get(nodeId) ?? null) : null,
        accrued: 0n,
        periodStart: terms.start,
        renewal: renewalOf(tx, book),
        rewards: [],
        nextIndex: tx.outputs.length + tx.stake.length,
        ended: null,
      }
      stakings.set(transaction.txId, stake)
      stakes.add(stake)
      if (kind === 'validator') validations.set(nodeId, stake)
      return stake
    },
    find: (txId) => {
      const stake = stakings.get(txId)
      if (stake === undefined) throw new RangeError(`${txId} is rewarded but does not stake`)
      return stake
    },
    end: (stake, rewardTx, committed) => {
      if (stake.kind === 'renewed' && committed && stake.period !== 0) {
        stake.periodStart = stake.end
        stake.end += stake.period
      } else endNow(stake, rewardTx, committed ? rewardOf(stake) : 0n)
    },
  }
}

function renewalOf(tx: StakingTx, { ownerOf }: Book): Stake['renewal'] {
  if (tx.type !== 'AddAutoRenewedValidatorTx') return null
  return { authority: ownerOf(tx.validatorAuthority), shares: tx.autoCompoundRewardShares }
}

/** The owner of the reward of a stake. */
function rewardsOwnerOf(tx: StakingTx) {
  return 'rewardsOwner' in tx ? tx.rewardsOwner : tx.validationRewardsOwner
}

/** The validator's part of a delegation's reward. */
function feeOf(reward: bigint, validator: Stake): bigint {
  return (reward * BigInt(validator.shares)) / 1_000_000n
}

/** The amount that the owner of a stake gets if the stake ends as planned. */
export function estimatedReward(stake: Stake): bigint {
  const reward = rewardOf(stake)
  return stake.validator === null ? reward : reward - feeOf(reward, stake.validator)
}

/** The terms of a stake, as far as the transaction and its block state them. */
type Terms = Pick<Stake, 'kind' | 'nodeId' | 'subnetId' | 'start' | 'end' | 'period' | 'shares'>

function termsOf(tx: StakingTx, blockTime: number): Terms {
  if (tx.type === 'AddAutoRenewedValidatorTx') {
    const period = Number(tx.period)
    return {
      kind: 'renewed',
      nodeId: nodeIdText(tx.nodeID),
      subnetId: chainTexts.P,
      start: blockTime,
      end: blockTime + period,
      period,
      shares: tx.delegationShares,
    }
  }
  const { nodeID, start, end } = tx.validator
  return {
    kind: 'shares' in tx ? 'validator' : 'delegator',
    nodeId: nodeIdText(nodeID),
    subnetId: 'subnetID' in tx ? idText(tx.subnetID) : chainTexts.P,
    // Until Durango, the transaction states the start. Since then, it states the time of the block, or 0.
    start: start === 0n ? blockTime : Number(start),
    end: Number(end),
    period: 0,
    shares: 'shares' in tx ? tx.shares : 0,
  }
}

/** Emits outputs of a P-Chain transaction with consecutive indexes. */
function emitPOutputs(
  book: Book,
  outputs: readonly POutputValue[],
  firstIndex: number,
  emission: Pick<Utxo, 'txId' | 'created' | 'origin' | 'livesOn' | 'stake'>,
): Utxo[] {
  return outputs.map(({ assetID, output }, position) => {
    const locked = output.type === 'stakeable.LockOut'
    const { amount, ...owner } = locked ? output.output : output
    return book.emit({
      index: firstIndex + position,
      asset: idText(assetID),
      amount,
      owner: book.ownerOf(owner),
      stakeableLocktime: locked ? output.locktime : null,
      createdOn: 'P',
      ...emission,
    })
  })
}

function pSpent(inputs: readonly PInputValue[]): Spent[] {
  return inputs.map((input) => {
    const place = { txId: idText(input.txID), index: input.outputIndex, asset: idText(input.assetID) }
    return { ...place, amount: amountIn(input), signatures: [] }
  })
}

/** Follows the validators of L1s. */
type L1Validators = {
  /** The changes of L1 validators by a transaction. `time`: time of its block in Unix seconds. */
  changes(tx: UnsignedPTx, time: number): L1Change[]
  /** Returns the remaining balance of a validator that a transaction ends or disables. */
  refund(tx: UnsignedPTx, txId: Uint8Array, transaction: PTransaction): void
  active(): number
  /** Fees that the balances have paid so far, in nAVAX. */
  fees(): bigint
}

type Registered = Omit<L1Validator, 'validationId' | 'validationIdHex' | 'minNonce'>

function createL1Validators({ book, l1Validators: validators }: Journal): L1Validators {
  let fees = 0n
  let active = 0
  const add = (id: Uint8Array, facts: Registered): L1Change => {
    const validator: L1Validator = { validationId: idText(id), validationIdHex: hex0x(id), minNonce: 0n, ...facts }
    validators.set(validator.validationId, validator)
    active += 1
    return changeOf(validator, validator.balance)
  }
  const find = (id: Uint8Array): L1Validator => {
    const found = validators.get(idText(id))
    if (found === undefined) throw new RangeError(`no validator ${idText(id)}`)
    return found
  }
  return {
    changes: (tx, start) => {
      switch (tx.type) {
        case 'ConvertSubnetToL1Tx':
          return tx.validators.map(({ nodeID, weight, balance, signer, ...owners }, position) =>
            add(convertedValidationId(tx.subnetID, position), {
              nodeId: nodeIdText(nodeID),
              subnetId: idText(tx.subnetID),
              start,
              weight,
              balance,
              publicKey: hex0x(signer.publicKey),
              remainingBalanceOwner: book.ownerOf(owners.remainingBalanceOwner),
              deactivationOwner: book.ownerOf(owners.deactivationOwner),
            }),
          )
        case 'RegisterL1ValidatorTx': {
          const { payload, value } = decodeL1Call(tx.message, 'message')
          if (value.type !== 'warp.RegisterL1Validator') throw new RangeError(`a message of type ${value.type}`)
          const facts = {
            nodeId: nodeIdText(value.nodeID),
            subnetId: idText(value.subnetID),
            start,
            weight: value.weight,
            balance: tx.balance,
            publicKey: hex0x(value.blsPublicKey),
            remainingBalanceOwner: book.ownerOf(value.remainingBalanceOwner),
            deactivationOwner: book.ownerOf(value.disableOwner),
          }
          return [add(sha256(payload), facts)]
        }
        case 'IncreaseL1ValidatorBalanceTx': {
          const validator = find(tx.validationID)
          validator.balance += tx.balance
          return [changeOf(validator, tx.balance)]
        }
        case 'SetL1ValidatorWeightTx':
        case 'DisableL1ValidatorTx': {
          const { validator, weight, nonce } = weightChange(tx, find)
          validator.weight = weight
          validator.minNonce = nonce
          const ends = weight === 0n || tx.type === 'DisableL1ValidatorTx'
          const change = changeOf(validator, ends ? -validator.balance : 0n)
          return [ends ? { ...change, remainingBalance: 0n } : change]
        }
      }
      return []
    },
    refund: (tx, txId, transaction) => {
      if (tx.type !== 'SetL1ValidatorWeightTx' && tx.type !== 'DisableL1ValidatorTx') return
      const { validator, weight } = weightChange(tx, find)
      if (weight > 0n && tx.type === 'SetL1ValidatorWeightTx') return
      const amount = refundOf(validator.balance, txId)
      fees += validator.balance - amount
      active -= 1
      // A disabled validator keeps its weight and stays in the set. A validator with weight 0 is removed.
      validator.balance = 0n
      if (tx.type === 'SetL1ValidatorWeightTx') validators.delete(validator.validationId)
      const utxo = book.emit({
        txId: transaction.txId,
        index: tx.outputs.length,
        asset: nativeAssetText,
        amount,
        owner: validator.remainingBalanceOwner,
        origin: 'refund',
        createdOn: 'P',
        created: transaction.place,
      })
      transaction.emitted.push(utxo)
    },
    active: () => active,
    fees: () => fees,
  }
}

function changeOf(validator: L1Validator, balanceChange: bigint): L1Change {
  const { validationId, validationIdHex, nodeId, subnetId, weight, balance, publicKey } = validator
  return {
    validationId,
    validationIdHex,
    nodeId,
    subnetId,
    weight,
    remainingBalance: balance,
    balanceChange,
    publicKey,
  }
}

type Ending = Extract<UnsignedPTx, { type: 'SetL1ValidatorWeightTx' | 'DisableL1ValidatorTx' }>

type WeightChange = { readonly validator: L1Validator } & Pick<L1Validator, 'weight'> & { readonly nonce: bigint }

/** The validator, its weight after the transaction and its next nonce. A disabled validator keeps both. */
function weightChange(tx: Ending, find: (id: Uint8Array) => L1Validator): WeightChange {
  if (tx.type === 'DisableL1ValidatorTx') {
    const validator = find(tx.validationID)
    return { validator, weight: validator.weight, nonce: validator.minNonce }
  }
  const { value } = decodeL1Call(tx.message, 'message')
  if (value.type !== 'warp.L1ValidatorWeight') throw new RangeError(`a message of type ${value.type}`)
  return { validator: find(value.validationID), weight: value.weight, nonce: value.nonce + 1n }
}
