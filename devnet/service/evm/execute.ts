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
import { nativeAsset } from '../../network/genesis.ts'
import { accountChanges, slotChanges } from './changes.ts'
import { type Deployed, deployContracts, type Log, logsOf, zeroAddress } from './contracts.ts'
import type { EvmBlock, EvmLedger, EvmResult, EvmState, EvmTransaction, EvmTransfer, Standard } from './state.ts'

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
  const sent = createTransactionLists()
  const lists = createTransferLists()
  const native = createNativeBalances()
  const nonces = createHistories<bigint>()
  const codes = createHistories<Uint8Array>()
  const slots = createHistories<bigint>()
  for (const token of tokenContracts) {
    nonces.set(token.address, 1n, 0)
    codes.set(token.address, tokenCode(token), 0)
  }
  const contracts = deployContracts()
  const intern = createInterner()
  let reverted = 0
  /** The events of a call; null if it reverts. */
  const call = (contract: Deployed, sender: string, tx: EvmTx): readonly Log[] | null => {
    const logs = logsOf(contract, sender, tx)
    if (logs === null) reverted += 1
    return logs?.map((log) => interned(log, intern)) ?? null
  }
  const applyAtomic = ({ unsignedTx: tx }: AtomicTx, number: number): void => {
    const [changes, sign] = tx.type === 'ImportTx' ? [tx.outputs, 1n] : [tx.inputs, -1n]
    if (tx.type === 'ExportTx')
      for (const { address, nonce } of tx.inputs) nonces.set(intern(hexOf(address)), nonce + 1n, number)
    for (const { address, amount, assetID } of changes) {
      if (Buffer.compare(assetID, nativeAsset) !== 0) continue
      native.add(intern(hexOf(address)), sign * amount * weiPerUnit, number)
    }
  }
  const applyChanges = (transaction: EvmTransaction, number: number): void => {
    for (const { address, balance, nonce, code } of accountChanges(transaction)) {
      if (balance !== 0n) native.add(intern(address), balance, number)
      if (nonce !== 0n) nonces.set(intern(address), (nonces.last(address) ?? 0n) + nonce, number)
      if (code !== null) codes.set(intern(address), code, number)
    }
    for (const { address, slot, added } of slotChanges(transaction))
      slots.set(address + slot, (slots.last(address + slot) ?? 0n) + added, number)
  }
  return {
    state: {
      blocks,
      results,
      transfers: lists.all,
      get reverted() {
        return reverted
      },
      transactions: sent.all,
      transactionsWith: sent.with,
      transfersOf: lists.of,
      transfersWith: lists.with,
      ownerOf: (contract, tokenId) => contracts.get(contract)?.ownerOf(tokenId) ?? null,
      nativeBalance: native.at,
      nonce: (wallet, blockNumber) => nonces.at(wallet, blockNumber) ?? 0n,
      code: (address, blockNumber) => codes.at(address, blockNumber) ?? noCode,
      slot: (address, slot, blockNumber) => slots.at(address + slot, blockNumber) ?? 0n,
      addresses: () => new Set([...native.addresses(), ...nonces.names()]),
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
        const sender = intern(hexOf(senderOf(tx)))
        const result = {
          sender,
          succeeded: true,
          creates: tx.to === null,
          gasUsed: gas[at]!,
          price: prices[at]!,
          called: null,
        }
        const contract = tx.to === null ? undefined : contracts.get(hexOf(tx.to))
        if (contract === undefined) return result
        const logs = call(contract, sender, tx)
        if (logs === null) return { ...result, succeeded: false }
        const { token } = contract
        addTransfers(lists, logs, { token, block, txHash: hexOf(hashed.transactionHashes[at]!), logIndex })
        logIndex += logs.length
        return { ...result, called: { token, logs } }
      }
      const calls = transactions.map((tx, index) => {
        const result = resultOf(tx, index)
        const transaction = sentTransaction(tx, { block, index, hash: hashed.transactionHashes[index]!, result })
        applyChanges(transaction, number)
        sent.add(transaction)
        return result
      })
      for (const tx of atomicTxs) applyAtomic(tx, number)
      blocks.push(block)
      results.push(calls)
    },
  }
}

const noCode = new Uint8Array()

const types = { LegacyTx: 0, AccessListTx: 1, DynamicFeeTx: 2 } as const

function sentTransaction(
  tx: EvmTx,
  { hash, result, ...place }: Pick<EvmTransaction, 'block' | 'index' | 'result'> & { readonly hash: Uint8Array },
): EvmTransaction {
  return {
    ...place,
    hash: hexOf(hash),
    from: result.sender,
    to: tx.to === null ? null : hexOf(tx.to),
    value: tx.value,
    nonce: tx.nonce,
    gasLimit: tx.gas,
    type: types[tx.type],
    selector: tx.input.length < 4 ? null : hexOf(tx.input.subarray(0, 4)),
    result,
  }
}

/** Adds the transfers of a call; `from` holds the index of its first log. */
function addTransfers(
  lists: TransferLists,
  logs: readonly Log[],
  from: Omit<Parameters<TransferLists['add']>[0], keyof Log['moves'][number]>,
): void {
  for (const [position, { moves }] of logs.entries())
    for (const move of moves) lists.add({ ...from, logIndex: from.logIndex + position, ...move })
}

type HeaderFields = Omit<EvmBlock, 'txCount' | 'feesSpent' | 'cumulativeTransactions' | 'atomicTxCount'>

function headerFields({ block: { header }, hash }: HashedCBlock): HeaderFields {
  return {
    number: Number(header.number),
    hash: hexOf(hash),
    parentHash: hexOf(header.parentHash),
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

function hexOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`
}

/** Returns the same string object for equal strings, because addresses repeat often. */
function createInterner(): (text: string) => string {
  const known = new Map<string, string>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    known.set(text, text)
    return text
  }
}

/** Values by name, with their history by block. Blocks are added in order. */
type Histories<T> = {
  set(name: string, value: T, blockNumber: number): void
  /** The current value. */
  last(name: string): T | undefined
  /** The value after a block. */
  at(name: string, blockNumber: number): T | undefined
  /** Every name that ever had a value. */
  names(): Iterable<string>
}

type History<T> = { readonly blocks: number[]; readonly values: T[] }

function createHistories<T>(): Histories<T> {
  const histories = new Map<string, History<T>>()
  return {
    set: (name, value, blockNumber) => {
      const history = histories.get(name)
      if (history === undefined) {
        histories.set(name, { blocks: [blockNumber], values: [value] })
        return
      }
      const { blocks, values } = history
      const last = blocks.length - 1
      if (blocks[last] === blockNumber) values[last] = value
      else {
        blocks.push(blockNumber)
        values.push(value)
      }
    },
    last: (name) => histories.get(name)?.values.at(-1),
    at: (name, blockNumber) => {
      const history = histories.get(name)
      return history?.values[firstAfter(history.blocks, blockNumber) - 1]
    },
    names: () => histories.keys(),
  }
}

/** Index of the first number above a limit in a sorted list; the list's length if there is none. */
function firstAfter(numbers: readonly number[], limit: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (numbers[middle]! > limit) high = middle
    else low = middle + 1
  }
  return low
}

/** Balances of the native token in wei, with their history by block. */
type NativeBalances = {
  add(address: string, wei: bigint, blockNumber: number): void
  /** The balance after a block; 0 for an unknown address. */
  at(address: string, blockNumber: number): bigint
  /** Every address that ever had a balance. */
  addresses(): Iterable<string>
}

/** Creates the balances. In the genesis, each account has the same balance. */
function createNativeBalances(): NativeBalances {
  const balances = createHistories<bigint>()
  for (const { address } of accountKeys) {
    balances.set(`0x${Buffer.from(address).toString('hex')}`, genesisBalance * weiPerUnit, 0)
  }
  return {
    add: (address, wei, blockNumber) => balances.set(address, (balances.last(address) ?? 0n) + wei, blockNumber),
    at: (address, blockNumber) => balances.at(address, blockNumber) ?? 0n,
    addresses: balances.names,
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

/** Transactions in chain order, also by wallet. */
type TransactionLists = {
  readonly all: readonly EvmTransaction[]
  add(transaction: EvmTransaction): void
  with(wallet: string): readonly EvmTransaction[]
}

function createTransactionLists(): TransactionLists {
  const all: EvmTransaction[] = []
  const byWallet = new Map<string, EvmTransaction[]>()
  const put = (wallet: string, transaction: EvmTransaction): void => {
    const list = byWallet.get(wallet)
    if (list === undefined) byWallet.set(wallet, [transaction])
    else list.push(transaction)
  }
  return {
    all,
    add: (transaction) => {
      const { from, to } = transaction
      all.push(transaction)
      put(from, transaction)
      if (to !== null && to !== from) put(to, transaction)
    },
    with: (wallet) => byWallet.get(wallet) ?? [],
  }
}

/** Transfers in chain order, also by contract and by wallet. */
type TransferLists = {
  readonly all: readonly EvmTransfer[]
  add(transfer: EvmTransfer): void
  of(contract: string): readonly EvmTransfer[]
  with(wallet: string, standard: Standard): readonly EvmTransfer[]
}

function createTransferLists(): TransferLists {
  const all: EvmTransfer[] = []
  const byContract = new Map<string, EvmTransfer[]>()
  const byWallet = new Map<string, EvmTransfer[]>()
  const put = (lists: Map<string, EvmTransfer[]>, key: string, transfer: EvmTransfer): void => {
    const list = lists.get(key)
    if (list === undefined) lists.set(key, [transfer])
    else list.push(transfer)
  }
  return {
    all,
    add: (transfer) => {
      const { token, from, to } = transfer
      all.push(transfer)
      put(byContract, token.address, transfer)
      if (from !== zeroAddress) put(byWallet, token.standard + from, transfer)
      if (to !== zeroAddress && to !== from) put(byWallet, token.standard + to, transfer)
    },
    of: (contract) => byContract.get(contract) ?? [],
    with: (wallet, standard) => byWallet.get(standard + wallet) ?? [],
  }
}
