import { type AtomicTx, decodeExtData } from '../../../codec/c/atomic-transactions.ts'
import type { HashedCBlock } from '../../../codec/c/blocks.ts'
import type { EvmTx } from '../../../codec/c/evm-transactions.ts'
import { gasUsedOf } from '../../c/gas.ts'
import { weiPerUnit } from '../../c/state.ts'
import { nativeAsset } from '../../network/genesis.ts'
import { readCalldata } from './calldata.ts'
import type { Log } from './contracts/contract.ts'
import { type Deployed, deployContracts } from './contracts/contracts.ts'
import { createNativeBalances } from './native.ts'
import { senderOf } from './senders.ts'
import type { EvmBlock, EvmState } from './state.ts'
import { createTransferLists } from './transfers.ts'

/** Applies blocks one after the other. */
export type Execution = { readonly state: EvmState; apply(block: HashedCBlock): void }

/**
 * The rules of the simulated C chain: a transaction pays gas by `gasUsedOf`, moves its value, and calls a token contract if
 * it is sent to one; other contracts do nothing. Fees are burnt. Atomic transactions come after them.
 */
export function createExecution(): Execution {
  const blocks: EvmBlock[] = []
  const lists = createTransferLists()
  const native = createNativeBalances()
  const contracts = deployContracts()
  const intern = createInterner()
  let reverted = 0
  const call = (contract: Deployed, sender: string, tx: EvmTx): readonly Log[] => {
    const logs = logsOf(contract, sender, tx)
    if (logs === null) reverted += 1
    return logs ?? []
  }
  const applyAtomic = ({ unsignedTx: tx }: AtomicTx, number: number): void => {
    const [changes, sign] = tx.type === 'ImportTx' ? [tx.outputs, 1n] : [tx.inputs, -1n]
    for (const { address, amount, assetID } of changes) {
      if (Buffer.compare(assetID, nativeAsset) !== 0) continue
      native.add(intern(hexOf(address)), sign * amount * weiPerUnit, number)
    }
  }
  return {
    state: {
      blocks,
      transfers: lists.all,
      get reverted() {
        return reverted
      },
      transfersOf: lists.of,
      transfersWith: lists.with,
      ownerOf: (contract, tokenId) => contracts.get(contract)?.ownerOf(tokenId) ?? null,
      nativeBalance: native.at,
    },
    apply: (hashed) => {
      const { header, transactions, extData } = hashed.block
      const number = Number(header.number)
      const paid = transactions.map((tx, at) => feeOf(tx, header.baseFeePerGas ?? 0n, hashed.transactionHashes[at]!))
      const atomicTxs = decodeExtData(extData, `extData of C block ${number}`).txs
      const block: EvmBlock = {
        number,
        hash: hexOf(hashed.hash),
        parentHash: hexOf(header.parentHash),
        time: Number(header.timestamp),
        milliseconds: header.timestampMilliseconds === null ? null : Number(header.timestampMilliseconds),
        minDelayExcess: header.minDelayExcess === null ? null : Number(header.minDelayExcess),
        txCount: transactions.length,
        baseFee: header.baseFeePerGas ?? 0n,
        gasUsed: header.gasUsed,
        gasLimit: header.gasLimit,
        gasCost: header.blockGasCost ?? 0n,
        feesSpent: paid.reduce((sum, fee) => sum + fee, 0n),
        cumulativeTransactions: (blocks.at(-1)?.cumulativeTransactions ?? 0) + transactions.length,
        atomicTxCount: atomicTxs.length,
      }
      let logIndex = 0
      transactions.forEach((tx, at) => {
        const sender = intern(hexOf(senderOf(tx)))
        native.add(sender, -paid[at]! - tx.value, number)
        if (tx.to === null) return
        const to = intern(hexOf(tx.to))
        if (tx.value > 0n) native.add(to, tx.value, number)
        const contract = contracts.get(to)
        if (contract === undefined) return
        const txHash = hexOf(hashed.transactionHashes[at]!)
        for (const log of call(contract, sender, tx)) {
          for (const { from, to: receiver, tokenId, value } of log) {
            const parties = { from: intern(from), to: intern(receiver) }
            lists.add({ token: contract.token, block, txHash, logIndex, ...parties, tokenId, value })
          }
          logIndex += 1
        }
      })
      for (const tx of atomicTxs) applyAtomic(tx, number)
      blocks.push(block)
    },
  }
}

/** Null when the call reverts, as one does whose input is no call at all. */
function logsOf(contract: Deployed, sender: string, { input }: EvmTx): readonly Log[] | null {
  try {
    return contract.call(sender, readCalldata(input))
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Gas used times its effective price (EIP-1559), in wei. */
function feeOf(tx: EvmTx, baseFee: bigint, hash: Uint8Array): bigint {
  return BigInt(gasUsedOf(Number(tx.gas), hash)) * priceOf(tx, baseFee)
}

function priceOf(tx: EvmTx, baseFee: bigint): bigint {
  if (tx.type !== 'DynamicFeeTx') return tx.gasPrice
  const wanted = baseFee + tx.maxPriorityFeePerGas
  if (wanted > tx.maxFeePerGas) return tx.maxFeePerGas
  return wanted
}

function hexOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`
}

/** One string for equal ones: addresses come again and again. */
function createInterner(): (text: string) => string {
  const known = new Map<string, string>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    known.set(text, text)
    return text
  }
}
