import { type EvmTx, type HashedCBlock, signedChainId } from '../../../codec/c.ts'
import { listRoot, receiptBytes } from '../../../codec/evm/block-parts.ts'
import type { CHeader } from '../../../codec/evm/header.ts'
import { createdAddress } from '../../../codec/evm/state-diffs.ts'
import { bloomOf, keccak256 } from '../../../codec/keccak.ts'
import { inputOf } from '../../c/abi.ts'
import type { Roots } from '../../c/chain.ts'
import type { SignedTx } from '../../c/transactions.ts'
import { hex0x } from '../../lib.ts'
import { genesisHash, genesisTime } from '../../network/genesis.ts'
import { codeOfCreated, receiverOf } from '../../service/evm/changes.ts'
import { deployContracts, type Log, logsOf } from '../../service/evm/contracts.ts'
import { type InnerCall, innerCallsOf } from '../../service/evm/inner-calls.ts'
import type { EvmResult, EvmTransaction, Standard } from '../../service/evm/state.ts'
import { quantity } from './arguments.ts'

export type BlockJson = Readonly<Record<string, unknown>> & { readonly transactions: readonly unknown[] }

/** A block as eth_getBlockByNumber returns it, with full transactions. `length`: size of the block in bytes. */
export function blockJson(hashed: HashedCBlock, length: number, results: readonly EvmResult[]): BlockJson {
  const { block, transactionHashes } = hashed
  const hash = hex0x(hashed.hash)
  const number = quantity(block.header.number)
  return {
    ...headerJson(block.header),
    blockExtraData: hex0x(block.extData),
    hash,
    size: quantity(length),
    // Each block adds a difficulty of 1.
    totalDifficulty: number,
    transactions: block.transactions.map((tx, at) => {
      const position = { blockHash: hash, blockNumber: number, transactionIndex: quantity(at) }
      return transactionJson(tx, hex0x(transactionHashes[at]!), position, results[at]!)
    }),
    uncles: [],
  }
}

/** The same block with the hashes of its transactions only. */
export function withHashes(block: BlockJson): BlockJson {
  return { ...block, transactions: block.transactions.map((tx) => (tx as { hash: string }).hash) }
}

/** All header fields of the era, by name. */
function headerJson(header: CHeader): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {}
  for (const [name, value] of Object.entries(header))
    if (value !== null) fields[name] = typeof value === 'bigint' ? quantity(value) : hex0x(value)
  return fields
}

/** The position of a transaction in the chain. */
type Position = {
  readonly blockHash: string
  readonly blockNumber: string
  readonly transactionIndex: string
}

/** A transaction as eth_getBlockByNumber returns it. The gas price of an accepted transaction is the price that it paid. */
function transactionJson(tx: EvmTx, hash: string, position: Position, result: EvmResult): object {
  const chainId = signedChainId(tx)
  return {
    blockHash: position.blockHash,
    blockNumber: position.blockNumber,
    from: result.sender,
    gas: quantity(tx.gas),
    gasPrice: quantity(result.price),
    ...(tx.type === 'DynamicFeeTx'
      ? { maxFeePerGas: quantity(tx.maxFeePerGas), maxPriorityFeePerGas: quantity(tx.maxPriorityFeePerGas) }
      : {}),
    hash,
    input: hex0x(tx.input),
    nonce: quantity(tx.nonce),
    to: tx.to === null ? null : hex0x(tx.to),
    transactionIndex: position.transactionIndex,
    value: quantity(tx.value),
    type: typeOf(tx),
    ...(tx.type === 'LegacyTx' ? {} : { accessList: accessListOf(tx) }),
    ...(chainId === null ? {} : { chainId: quantity(chainId) }),
    v: quantity(tx.v),
    r: quantity(tx.r),
    s: quantity(tx.s),
    ...(tx.type === 'LegacyTx' ? {} : { yParity: quantity(tx.v) }),
  }
}

function typeOf({ type }: EvmTx): string {
  return { LegacyTx: '0x0', AccessListTx: '0x1', DynamicFeeTx: '0x2' }[type]
}

function accessListOf({ accessList }: Exclude<EvmTx, { type: 'LegacyTx' }>): object[] {
  return accessList.map(({ address, storageKeys }) => ({
    address: hex0x(address),
    storageKeys: storageKeys.map(hex0x),
  }))
}

/** A log as receipts and filters return it. */
export type LogJson = {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly blockNumber: string
  readonly transactionHash: string
  readonly transactionIndex: string
  readonly blockHash: string
  readonly logIndex: string
  readonly removed: boolean
}

export type ReceiptJson = Readonly<Record<string, unknown>> & {
  readonly transactionHash: string
  readonly logs: readonly LogJson[]
}

/** The receipts of a block, as eth_getBlockReceipts returns them. */
export function receiptsJson(
  { block, hash, transactionHashes }: HashedCBlock,
  results: readonly EvmResult[],
): ReceiptJson[] {
  let cumulative = 0
  let logIndex = 0
  return block.transactions.map((tx, at) => {
    const result = results[at]!
    const position: Position & { transactionHash: string } = {
      blockHash: hex0x(hash),
      blockNumber: quantity(block.header.number),
      transactionHash: hex0x(transactionHashes[at]!),
      transactionIndex: quantity(at),
    }
    const logs = logsJson(result, position, logIndex)
    logIndex += logs.length
    cumulative += result.gasUsed
    return {
      ...position,
      contractAddress: tx.to === null ? createdAddress(result.sender, tx.nonce) : null,
      cumulativeGasUsed: quantity(cumulative),
      effectiveGasPrice: quantity(result.price),
      from: result.sender,
      gasUsed: quantity(result.gasUsed),
      logs,
      logsBloom: hex0x(bloomOf(logs.flatMap(({ address, topics }) => [address, ...topics]))),
      status: result.succeeded ? '0x1' : '0x0',
      to: tx.to === null ? null : hex0x(tx.to),
      type: typeOf(tx),
    }
  })
}

function logsJson(
  { called, sender }: EvmResult,
  position: Position & { transactionHash: string },
  first: number,
): LogJson[] {
  if (called === null) return []
  return called.logs.map((log, at) => ({
    address: called.token.address,
    ...writtenBy(called.token.standard, log, sender),
    blockNumber: position.blockNumber,
    transactionHash: position.transactionHash,
    transactionIndex: position.transactionIndex,
    blockHash: position.blockHash,
    logIndex: quantity(first + at),
    removed: false,
  }))
}

/** The topics and data of an event in its log. */
type Written = { readonly topics: readonly string[]; readonly data: string }

const topics = {
  transfer: topicOf('Transfer(address,address,uint256)'),
  approval: topicOf('Approval(address,address,uint256)'),
  single: topicOf('TransferSingle(address,address,address,uint256,uint256)'),
  batch: topicOf('TransferBatch(address,address,address,uint256[],uint256[])'),
} as const

/** Topics and data of a token event, as contracts of its standard write them; `operator`: the caller. */
function writtenBy(standard: Standard, { moves, approval }: Log, operator: string): Written {
  if (approval !== null) {
    const { owner, spender, value } = approval
    return { topics: [topics.approval, word(owner), word(spender)], data: argumentsOf(value) }
  }
  const [first] = moves
  if (first === undefined) throw new Error('an event moves nothing')
  const [from, to] = [word(first.from), word(first.to)]
  if (standard === 'ERC-20') return { topics: [topics.transfer, from, to], data: argumentsOf(first.value) }
  if (standard === 'ERC-721') return { topics: [topics.transfer, from, to, numberWord(first.tokenId!)], data: '0x' }
  const parties = [word(operator), from, to]
  if (moves.length === 1) return { topics: [topics.single, ...parties], data: argumentsOf(first.tokenId!, first.value) }
  return {
    topics: [topics.batch, ...parties],
    data: argumentsOf(
      moves.map(({ tokenId }) => tokenId!),
      moves.map(({ value }) => value),
    ),
  }
}

function argumentsOf(...values: readonly (bigint | readonly bigint[])[]): string {
  return hex0x(inputOf('', values))
}

function topicOf(signature: string): string {
  return hex0x(keccak256(new TextEncoder().encode(signature)))
}

function word(address: string): string {
  return `0x${address.slice(2).padStart(64, '0')}`
}

function numberWord(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}

/** Gas limit of the first block, which has no transactions. */
export const genesisGasLimit = 100_000_000

const zero = (bytes: number) => `0x${'00'.repeat(bytes)}`
const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

/** Block 0, which no index contains. The block of the first container names its hash as its parent. */
export function genesisJson(seed: number): BlockJson {
  return {
    blockExtraData: '0x',
    difficulty: '0x0',
    extDataHash: zero(32),
    extraData: '0x00',
    gasLimit: quantity(genesisGasLimit),
    gasUsed: '0x0',
    hash: hex0x(genesisHash(seed, 'C genesis')),
    logsBloom: zero(256),
    miner: zero(20),
    mixHash: zero(32),
    nonce: zero(8),
    number: '0x0',
    parentHash: zero(32),
    receiptsRoot: emptyRoot,
    sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
    size: '0x200',
    stateRoot: hex0x(genesisHash(seed, 'C genesis state')),
    timestamp: quantity(genesisTime),
    totalDifficulty: '0x0',
    transactions: [],
    transactionsRoot: emptyRoot,
    uncles: [],
  }
}

/** A call as the call tracer writes it, with the calls within it. */
type FrameJson = Readonly<Record<string, unknown>>

export type TraceJson = { readonly txHash: string; readonly result: FrameJson }

/** The calls of the transactions of a block, as debug_traceBlockByNumber returns them with the call tracer. */
export function tracesJson({ block }: HashedCBlock, transactions: readonly EvmTransaction[]): TraceJson[] {
  return transactions.map((transaction, at) => ({
    txHash: transaction.hash,
    result: rootJson(block.transactions[at]!, transaction),
  }))
}

function rootJson(tx: EvmTx, transaction: EvmTransaction): FrameJson {
  const { from, to, gasLimit, value, result } = transaction
  const calls = innerCallsOf(transaction).map(callJson)
  return {
    from,
    gas: quantity(gasLimit),
    gasUsed: quantity(result.gasUsed),
    to: receiverOf(transaction),
    input: hex0x(tx.input),
    ...(to === null ? { output: hex0x(codeOfCreated(transaction)) } : {}),
    ...(result.succeeded ? {} : failure('the token contract refuses the call')),
    ...(calls.length === 0 ? {} : { calls }),
    value: quantity(value),
    type: to === null ? 'CREATE' : 'CALL',
  }
}

function callJson({ type, from, to, value, gas, gasUsed, input, output, reverted, calls }: InnerCall): FrameJson {
  return {
    from,
    gas: quantity(gas),
    gasUsed: quantity(gasUsed),
    to,
    input: hex0x(input),
    ...(output === null ? {} : { output: hex0x(output) }),
    ...(reverted === null ? {} : failure(reverted)),
    ...(calls.length === 0 ? {} : { calls: calls.map(callJson) }),
    ...(value === null ? {} : { value: quantity(value) }),
    type,
  }
}

/** The selector of `Error(string)`, with which Solidity writes the reason of a revert. */
const errorSelector = '08c379a0'

function failure(reason: string): FrameJson {
  return {
    output: hex0x(inputOf(errorSelector, [{ bytes: new TextEncoder().encode(reason) }])),
    error: 'execution reverted',
    revertReason: reason,
  }
}

/**
 * Executes the blocks of a new chain in order, and returns what their headers state of transactions and receipts. The receipts are those
 * that the node returns of the same chain.
 */
export function createReceipts(): (transactions: readonly SignedTx[]) => Roots {
  const contracts = deployContracts()
  return (transactions) => {
    const logsBloom = new Uint8Array(256)
    let cumulativeGasUsed = 0
    const receipts = transactions.map(({ type, sender, to, input, gasUsed }) => {
      const caller = hex0x(sender)
      const contract = to === null ? undefined : contracts.get(hex0x(to))
      const called = contract === undefined ? [] : logsOf(contract, caller, { input })
      const logs = (called ?? []).map((log) => {
        const { topics, data: text } = writtenBy(contract!.token.standard, log, caller)
        return { address: contract!.token.address, topics, data: Buffer.from(text.slice(2), 'hex') }
      })
      const own = bloomOf(logs.flatMap(({ address, topics }) => [address, ...topics]))
      for (const [at, byte] of own.entries()) logsBloom[at]! |= byte
      cumulativeGasUsed += gasUsed
      return receiptBytes({ type, status: called === null ? 0 : 1, cumulativeGasUsed, logsBloom: own }, logs)
    })
    const root = (values: readonly (Uint8Array | null)[]) => Buffer.from(listRoot(values)!.slice(2), 'hex')
    return { transactionsRoot: root(transactions.map(({ bytes }) => bytes)), receiptsRoot: root(receipts), logsBloom }
  }
}
