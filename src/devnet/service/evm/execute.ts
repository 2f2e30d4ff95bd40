import { type AtomicTx, decodeExtData } from '../../../codec/c/atomic-transactions.ts'
import type { HashedCBlock } from '../../../codec/c/blocks.ts'
import type { EvmTx } from '../../../codec/c/evm-transactions.ts'
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
import { createTransactionLists } from './transactions.ts'
import { createTransferLists } from './transfers.ts'

/** Applies blocks in order. */
export type Execution = { readonly state: EvmState; apply(block: HashedCBlock): void }

/**
 * The rules of the simulated C-Chain: a transaction pays for gas by `gasUsedOf`, moves its value, and calls the token contract that it is
 * sent to. Other contracts do nothing. Fees are burned. Atomic transactions are applied after all others.
 */
export function createExecution(): Execution {
  const blocks: EvmBlock[] = []
  const results: (readonly EvmResult[])[] = []
  const sent = createTransactionLists()
  const lists = createTransferLists()
  const native = createNativeBalances()
  const nonces = createHistories<bigint>()
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
      addresses: native.addresses,
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
      const calls = transactions.map((tx, at): EvmResult => {
        const sender = intern(hexOf(senderOf(tx)))
        const result = {
          sender,
          succeeded: true,
          creates: tx.to === null,
          gasUsed: gas[at]!,
          price: prices[at]!,
          called: null,
        }
        native.add(sender, -paid[at]! - tx.value, number)
        nonces.set(sender, tx.nonce + 1n, number)
        if (tx.to === null) return result
        const to = intern(hexOf(tx.to))
        if (tx.value > 0n) native.add(to, tx.value, number)
        const contract = contracts.get(to)
        if (contract === undefined) return result
        const logs = call(contract, sender, tx)
        if (logs === null) return { ...result, succeeded: false }
        const { token } = contract
        addTransfers(lists, logs, { token, block, txHash: hexOf(hashed.transactionHashes[at]!), logIndex })
        logIndex += logs.length
        return { ...result, called: { token, logs } }
      })
      for (const tx of atomicTxs) applyAtomic(tx, number)
      blocks.push(block)
      results.push(calls)
      for (const [index, result] of calls.entries())
        sent.add(
          sentTransaction(transactions[index]!, { block, index, hash: hashed.transactionHashes[index]!, result }),
        )
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
function logsOf(contract: Deployed, sender: string, { input }: EvmTx): readonly Log[] | null {
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
