import {
  type AtomicTx,
  decodeCBlock,
  decodeExtData,
  type EvmTx,
  evmSender,
  evmSigningHash,
  type HashedCBlock,
} from '../../../codec/c.ts'
import { unwrap } from '../../../codec/containers.ts'
import { tokenCode, tokenContracts } from '../../c/contracts.ts'
import { signerOf } from '../../c/curve.ts'
import { accountKeys, genesisBalance, weiPerUnit } from '../../c/state.ts'
import { gasUsedOf } from '../../c/transactions.ts'
import { createFollower } from '../../index/follow.ts'
import type { ContainerStore } from '../../index/store.ts'
import { addTo, firstWhere, hex0x, remembered } from '../../lib.ts'
import { nativeAsset } from '../../network/genesis.ts'
import { accountChanges, slotChanges } from './changes.ts'
import { type Deployed, deployContracts, type Log, logsOf, zeroAddress } from './contracts.ts'
import type { EvmBlock, EvmLedger, EvmResult, EvmState, EvmTransaction, EvmTransfer } from './state.ts'

/** The ledger of a network's C-Chain, computed from the bytes of its containers. The first request starts the reading. */
export function createEvmLedger(blocks: ContainerStore): EvmLedger {
  const execution = createExecution()
  const follow = createFollower(blocks, execution, ({ apply }, { index, bytes }) => {
    apply(decodeCBlock(unwrap(bytes).block, `C container ${index}`))
  })
  return { atHead: async () => (await follow()).state }
}

/** Applies blocks in order. */
type Execution = { readonly state: EvmState; apply(block: HashedCBlock): void }

/**
 * The rules of the simulated C-Chain: a transaction pays for gas by `gasUsedOf`, moves its value, and calls the token contract that it is
 * sent to. Other contracts do nothing that changes balances or storage. Fees are burned. Atomic transactions are applied after all others.
 */
function createExecution(): Execution {
  const blocks: EvmBlock[] = []
  const results: (readonly EvmResult[])[] = []
  const sent: EvmTransaction[] = []
  const sentByWallet = new Map<string, EvmTransaction[]>()
  const transfers: EvmTransfer[] = []
  const transfersByContract = new Map<string, EvmTransfer[]>()
  const transfersByWallet = new Map<string, EvmTransfer[]>()
  const sum = (a: bigint, b: bigint): bigint => a + b
  const native = createHistories(0n, sum)
  const nonces = createHistories(0n, sum)
  const codes = createHistories<Uint8Array>(new Uint8Array(), (_, code) => code)
  const slots = createHistories(0n, sum)
  for (const { address } of accountKeys) native.set(hex0x(address), genesisBalance * weiPerUnit, 0)
  for (const token of tokenContracts) {
    nonces.set(token.address, 1n, 0)
    codes.set(token.address, tokenCode(token), 0)
  }
  const contracts = deployContracts()
  /** Returns the same string object for equal strings, because addresses repeat often. */
  const intern = remembered((text: string) => text)
  let reverted = 0
  /** The events of a call; null if it reverts. */
  const call = (contract: Deployed, sender: string, tx: EvmTx): readonly Log[] | null => {
    const logs = logsOf(contract, sender, tx)
    if (logs === null) reverted += 1
    return logs?.map((log) => interned(log, intern)) ?? null
  }
  const addSent = (transaction: EvmTransaction): void => {
    const { from, to } = transaction
    sent.push(transaction)
    for (const wallet of new Set([from, to ?? from])) addTo(sentByWallet, wallet, transaction)
  }
  const addTransfer = (transfer: EvmTransfer): void => {
    const { token, from, to } = transfer
    transfers.push(transfer)
    addTo(transfersByContract, token.address, transfer)
    for (const wallet of new Set([from, to]))
      if (wallet !== zeroAddress) addTo(transfersByWallet, token.standard + wallet, transfer)
  }
  /** Adds the transfers of a call; `first` holds the index of its first log. */
  const addTransfers = (logs: readonly Log[], first: Omit<EvmTransfer, keyof Log['moves'][number]>): void => {
    for (const [at, { moves }] of logs.entries())
      for (const move of moves) addTransfer({ ...first, logIndex: first.logIndex + at, ...move })
  }
  const applyAtomic = ({ unsignedTx: tx }: AtomicTx, number: number): void => {
    const [changes, sign] = tx.type === 'ImportTx' ? [tx.outputs, 1n] : [tx.inputs, -1n]
    if (tx.type === 'ExportTx')
      for (const { address, nonce } of tx.inputs) nonces.set(intern(hex0x(address)), nonce + 1n, number)
    for (const { address, amount, assetID } of changes) {
      if (Buffer.compare(assetID, nativeAsset) !== 0) continue
      native.add(intern(hex0x(address)), sign * amount * weiPerUnit, number)
    }
  }
  const applyChanges = (transaction: EvmTransaction, number: number): void => {
    for (const { address, balance, nonce, code } of accountChanges(transaction)) {
      if (balance !== 0n) native.add(intern(address), balance, number)
      if (nonce !== 0n) nonces.add(intern(address), nonce, number)
      if (code !== null) codes.set(intern(address), code, number)
    }
    for (const { address, slot, added } of slotChanges(transaction)) slots.add(address + slot, added, number)
  }
  return {
    state: {
      blocks,
      results,
      transfers,
      get reverted() {
        return reverted
      },
      transactions: sent,
      transactionsWith: (wallet) => sentByWallet.get(wallet) ?? [],
      transfersOf: (contract) => transfersByContract.get(contract) ?? [],
      transfersWith: (wallet, standard) => transfersByWallet.get(standard + wallet) ?? [],
      ownerOf: (contract, tokenId) => contracts.get(contract)?.ownerOf(tokenId) ?? null,
      nativeBalance: native.at,
      nonce: nonces.at,
      code: codes.at,
      slot: (address, slot, blockNumber) => slots.at(address + slot, blockNumber),
      addresses: () => new Set([...native.names(), ...nonces.names()]),
    },
    apply: (hashed) => {
      const { header, transactions, extData } = hashed.block
      const number = Number(header.number)
      const gas = transactions.map((tx, at) => gasUsedOf(Number(tx.gas), hashed.transactionHashes[at]!))
      const prices = transactions.map((tx) => priceOf(tx, header.baseFeePerGas ?? 0n))
      const paid = transactions.map((_, at) => BigInt(gas[at]!) * prices[at]!)
      const atomicTxs = decodeExtData(extData, `extData of C block ${number}`).txs
      const block: EvmBlock = {
        ...headerFields(hashed),
        txCount: transactions.length,
        feesSpent: paid.reduce((sum, fee) => sum + fee, 0n),
        cumulativeTransactions: (blocks.at(-1)?.cumulativeTransactions ?? 0) + transactions.length,
        atomicTxCount: atomicTxs.length,
      }
      let logIndex = 0
      const resultOf = (tx: EvmTx, at: number): EvmResult => {
        const sender = intern(hex0x(senderOf(tx)))
        const result = {
          sender,
          succeeded: true,
          creates: tx.to === null,
          gasUsed: gas[at]!,
          price: prices[at]!,
          called: null,
        }
        const contract = tx.to === null ? undefined : contracts.get(hex0x(tx.to))
        if (contract === undefined) return result
        const logs = call(contract, sender, tx)
        if (logs === null) return { ...result, succeeded: false }
        const { token } = contract
        addTransfers(logs, { token, block, txHash: hex0x(hashed.transactionHashes[at]!), logIndex })
        logIndex += logs.length
        return { ...result, called: { token, logs } }
      }
      const calls = transactions.map((tx, index) => {
        const result = resultOf(tx, index)
        const transaction = sentTransaction(tx, { block, index, hash: hashed.transactionHashes[index]!, result })
        applyChanges(transaction, number)
        addSent(transaction)
        return result
      })
      for (const tx of atomicTxs) applyAtomic(tx, number)
      blocks.push(block)
      results.push(calls)
    },
  }
}

const types = { LegacyTx: 0, AccessListTx: 1, DynamicFeeTx: 2 } as const

function sentTransaction(
  tx: EvmTx,
  { hash, result, ...place }: Pick<EvmTransaction, 'block' | 'index' | 'result'> & { readonly hash: Uint8Array },
): EvmTransaction {
  return {
    ...place,
    hash: hex0x(hash),
    from: result.sender,
    to: tx.to === null ? null : hex0x(tx.to),
    value: tx.value,
    nonce: tx.nonce,
    gasLimit: tx.gas,
    type: types[tx.type],
    selector: tx.input.length < 4 ? null : hex0x(tx.input.subarray(0, 4)),
    result,
  }
}

type HeaderFields = Omit<EvmBlock, 'txCount' | 'feesSpent' | 'cumulativeTransactions' | 'atomicTxCount'>

function headerFields({ block: { header }, hash }: HashedCBlock): HeaderFields {
  return {
    number: Number(header.number),
    hash: hex0x(hash),
    parentHash: hex0x(header.parentHash),
    time: Number(header.timestamp),
    milliseconds: header.timestampMilliseconds === null ? null : Number(header.timestampMilliseconds),
    minDelayExcess: header.minDelayExcess === null ? null : Number(header.minDelayExcess),
    baseFee: header.baseFeePerGas ?? 0n,
    gasUsed: header.gasUsed,
    gasLimit: header.gasLimit,
    gasCost: header.blockGasCost ?? 0n,
  }
}

/** Replaces the addresses of an event by shared strings, to save memory. */
function interned({ moves, approval }: Log, intern: (text: string) => string): Log {
  return { moves: moves.map((move) => ({ ...move, from: intern(move.from), to: intern(move.to) })), approval }
}

/** The effective gas price (EIP-1559), in wei. */
function priceOf(tx: EvmTx, baseFee: bigint): bigint {
  if (tx.type !== 'DynamicFeeTx') return tx.gasPrice
  const wanted = baseFee + tx.maxPriorityFeePerGas
  if (wanted > tx.maxFeePerGas) return tx.maxFeePerGas
  return wanted
}

/** Values by name, with their history by block. Blocks are added in order. */
type Histories<T> = {
  set(name: string, value: T, blockNumber: number): void
  /** Changes the current value, or the empty one. */
  add(name: string, by: T, blockNumber: number): void
  /** The value after a block; the empty one for an unknown name. */
  at(name: string, blockNumber: number): T
  /** Every name that ever had a value. */
  names(): Iterable<string>
}

function createHistories<T>(empty: T, sum: (a: T, b: T) => T): Histories<T> {
  const histories = new Map<string, { readonly blockNumber: number; value: T }[]>()
  const set: Histories<T>['set'] = (name, value, blockNumber) => {
    const last = histories.get(name)?.at(-1)
    if (last?.blockNumber === blockNumber) last.value = value
    else addTo(histories, name, { blockNumber, value })
  }
  return {
    set,
    add: (name, by, blockNumber) => set(name, sum(histories.get(name)?.at(-1)?.value ?? empty, by), blockNumber),
    at: (name, blockNumber) => {
      const history = histories.get(name) ?? []
      return history[firstWhere(history, (each) => each.blockNumber > blockNumber) - 1]?.value ?? empty
    },
    names: () => histories.keys(),
  }
}

// As pipelines load it, so that the command and its threads share one file: it holds 250 kB of WebAssembly.
const { recoverPublicKey } = await import('../../../codec/secp256k1.ts')

/** The 20-byte address that signed a transaction. Signers of the simulated network are found quickly. */
export function senderOf(tx: EvmTx): Uint8Array {
  const parity = tx.type !== 'LegacyTx' ? tx.v : tx.v >= 35n ? (tx.v - 35n) % 2n : tx.v - 27n
  return (
    signerOf(evmSigningHash(tx), { parity: parity === 0n ? 0 : 1, r: tx.r, s: tx.s }) ?? evmSender(tx, recoverPublicKey)
  )
}
