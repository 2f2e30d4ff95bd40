import { unwrap } from '../../../../codec/containers.ts'
import { sha256 } from '../../../../codec/hash.ts'
import { idText, nodeIdText, txIdInBlock } from '../../../../codec/ids.ts'
import { decodeWithSpans } from '../../../../codec/linear.ts'
import { type PBlockValue, type PTx, pBlock, type UnsignedPTx } from '../../../../codec/p.ts'
import { addTo, hex0x, hexOf } from '../../../lib.ts'
import { chainTexts } from '../../../network/genesis.ts'
import type { ChainAlias } from '../../../network/state.ts'
import { aliasOf, type Follower, type Journal, type OwnerTexts, proposerOf } from './book.ts'
import type { L1Change, PDetails, PermissionedValidator, Place, PTransaction, Stake, Utxo } from './model.ts'
import { createL1Validators } from './p-l1.ts'
import { createStakes, emitPOutputs, pSpent, rewardsOwnerOf, type StakingTx, termsOf } from './p-stakes.ts'
import { l1BalanceOf, tallyPBlock } from './tally.ts'

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
  readonly ownerOf: OwnerTexts
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

function stakeDetails(tx: StakingTx, blockTime: number, ownerOf: OwnerTexts): PDetails {
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
