import { type AtomicTx, decodeExtData, type EvmTx, type HashedCBlock } from '../../../codec/c.ts'
import { tokenCode, tokenContracts } from '../../c/contracts.ts'
import { gasUsedOf } from '../../c/gas.ts'
import { weiPerUnit } from '../../c/state.ts'
import { nativeAsset } from '../../network/genesis.ts'
import { readCalldata } from './contracts/calldata.ts'
import type { Log } from './contracts/contract.ts'
import { type Deployed, deployContracts } from './contracts/contracts.ts'
import { createHistories } from './histories.ts'
import { createNativeBalances } from './native.ts'
import { senderOf } from './senders.ts'
import type { EvmBlock, EvmResult, EvmState, EvmTransaction } from './state.ts'
import { accountChanges, slotChanges } from './state-changes.ts'
import { createTransactionLists } from './transactions.ts'
import { createTransferLists } from './transfers.ts'

/** Applies blocks in order. */
type Execution = { readonly state: EvmState; apply(block: HashedCBlock): void }

/**
 * The rules of the simulated C-Chain: a transaction pays for gas by `gasUsedOf`, moves its value, and calls the token contract that it is
 * sent to. Other contracts do nothing that changes balances or storage. Fees are burned. Atomic transactions are applied after all others.
 */
export function createExecution(): Execution {
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

type TransferLists = ReturnType<typeof createTransferLists>

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

/** The logs of a call. Null if it reverts, also because its input cannot be decoded. */
export function logsOf(
  contract: Deployed,
  sender: string,
  { input }: { readonly input: Uint8Array },
): readonly Log[] | null {
  try {
    return contract.call(sender, readCalldata(input))
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
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
