import { keccak256 } from '../../../codec/keccak.ts'
import { readCalldata } from '../../c/abi.ts'
import { type TokenContract, tokenNamed } from '../../c/contracts.ts'
import { encodeRlp } from '../../c/rlp.ts'
import { evmChainId } from '../../c/state.ts'
import { MethodError } from '../../http/json-rpc.ts'
import { hex0x } from '../../lib.ts'
import { type EraName, timeOf } from '../../network/genesis.ts'
import { word } from '../../service/evm/changes.ts'
import type { EvmState } from '../../service/evm/state.ts'
import { readToken, tokenAt } from '../../service/evm/token-views.ts'
import { vmVersions } from '../info.ts'
import {
  type Arguments,
  addressArgument,
  blockArgument,
  blockNumber,
  type EvmMethods,
  fixedHex,
  hashArgument,
  invalid,
  quantity,
  required,
} from './arguments.ts'
import { type BlockJson, type LogJson, withHashes } from './json.ts'
import { proofMethods, storageKey } from './proofs.ts'
import { acceptedNumber, type EvmReader } from './reader.ts'
import { traceMethods } from './traces.ts'

/** The configured limits of a node. */
export type EvmLimits = {
  /** Maximum number of blocks in one window of logs; 0 means no limit. */
  readonly mostLogBlocks: number
  /** How many blocks below the head can still be proved; 0 means all. */
  readonly proofWindow: number
}

/** The RPC methods of the C-Chain. */
export function evmMethods(reader: EvmReader, { mostLogBlocks, proofWindow }: EvmLimits): EvmMethods {
  return {
    ...chainMethods,
    ...blockMethods(reader),
    ...logMethods(reader, mostLogBlocks),
    ...feeMethods(reader),
    ...stateMethods(reader),
    ...poolMethods(reader),
    ...proofMethods(reader, proofWindow),
    ...traceMethods(reader),
  }
}

/** Blocks, transactions and receipts by number and by hash. */
function blockMethods({ head, block, receipts, numberOfBlock, numberOfTransaction }: EvmReader): EvmMethods {
  const shown = async (number: number, args: Arguments): Promise<BlockJson> => {
    const whole = required(args, 1)
    if (typeof whole !== 'boolean') throw invalid(1, 'json: cannot unmarshal into Go value of type bool')
    const found = await block(number)
    return whole ? found : withHashes(found)
  }
  const receiptOf = async (hash: string): Promise<object | null> => {
    const number = await numberOfTransaction(hash)
    if (number === null) return null
    return (await receipts(number)).find(({ transactionHash }) => transactionHash === hash) ?? null
  }
  return {
    eth_blockNumber: () => quantity(head()),
    eth_getBlockByNumber: async (args) => {
      const number = blockArgument(args, 0, head())
      required(args, 1)
      return shown(acceptedNumber(number, head()), args)
    },
    eth_getBlockByHash: async (args) => {
      const number = await numberOfBlock(hashArgument(args, 0))
      return number === null ? null : shown(number, args)
    },
    eth_getBlockReceipts: async (args) => {
      const block = required(args, 0)
      const isHash = typeof block === 'string' && /^0x[0-9a-f]{64}$/i.test(block)
      const number = isHash ? await numberOfBlock(block) : blockArgument(args, 0, head())
      return number === null || number > head() ? null : receipts(number)
    },
    eth_getTransactionReceipt: (args) => receiptOf(hashArgument(args, 0)),
    eth_getTransactionByHash: async (args) => {
      const hash = hashArgument(args, 0)
      const number = await numberOfTransaction(hash)
      if (number === null) return null
      const { transactions } = await block(number)
      return transactions.find((tx) => (tx as { hash: string }).hash === hash) ?? null
    },
  }
}

/**
 * Returns the logs of a window of blocks, or of one block by its hash. A window of more than `mostBlocks` is refused; 0 allows any window.
 */
function logMethods({ head, receipts, numberOfBlock, state }: EvmReader, mostBlocks: number): EvmMethods {
  const logsIn = async (from: number, to: number, suiting: (log: LogJson) => boolean): Promise<LogJson[]> => {
    const { results } = await state()
    const logs: LogJson[] = []
    for (let number = Math.max(1, from); number <= to; number += 1) {
      // Most blocks have no logs.
      if (!results[number - 1]!.some(({ called }) => called !== null && called.logs.length > 0)) continue
      for (const receipt of await receipts(number)) logs.push(...receipt.logs.filter(suiting))
    }
    return logs
  }
  return {
    eth_getLogs: async (args) => {
      const wanted = required(args, 0)
      if (typeof wanted !== 'object' || Array.isArray(wanted)) throw invalid(0, 'cannot unmarshal filter')
      const { blockHash, fromBlock, toBlock, ...rest } = wanted as Readonly<Record<string, unknown>>
      const filter = readLogFilter(rest)
      const suiting = (log: LogJson): boolean => suits(filter, log)
      if (blockHash !== undefined && blockHash !== null) {
        if (fromBlock !== undefined || toBlock !== undefined)
          throw invalid(0, 'cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other')
        const number = await numberOfBlock(hashArgument([blockHash], 0))
        if (number === null) throw new MethodError('unknown block')
        return logsIn(number, number, suiting)
      }
      const last = head()
      const [from, to] = [fromBlock, toBlock].map((tag) => blockNumber(tag ?? 'latest', 0, last)) as [number, number]
      refuse(from, to, last, mostBlocks)
      return logsIn(from, to, suiting)
    },
  }
}

/** Refuses the windows that a node before Helicon refuses (recorded/granite, recorded/live). */
function refuse(from: number, to: number, last: number, mostBlocks: number): void {
  const after = `after last accepted block ${last}`
  if (from > to) throw new MethodError('invalid block range params')
  if (from > last) throw new MethodError(`requested from block ${from} ${after}`)
  if (to > last) throw new MethodError(`requested to block ${to} ${after}`)
  if (mostBlocks > 0 && to - from >= mostBlocks)
    throw new MethodError(`requested too many blocks from ${from} to ${to}, maximum is set to ${mostBlocks}`)
}

/** Selects logs by contract and by the topics at each position. An empty set accepts everything. */
export type LogFilter = {
  readonly addresses: ReadonlySet<string>
  readonly topics: readonly ReadonlySet<string>[]
}

const mostTopics = 4

/** Reads `address` and `topics` of a filter as the EVM's server does. */
export function readLogFilter({
  address,
  topics,
}: {
  readonly address?: unknown
  readonly topics?: unknown
}): LogFilter {
  if (topics !== undefined && topics !== null && !Array.isArray(topics)) throw invalid(0, 'invalid topic(s)')
  const places = (topics ?? []) as readonly unknown[]
  if (places.length > mostTopics) throw invalid(0, 'exceed max topics')
  return {
    addresses: setOf(address, (text) => fixedHex(text, 0, 20, 'common.Address')),
    topics: places.map((place) => setOf(place, (text) => fixedHex(text, 0, 32, 'common.Hash'))),
  }
}

function setOf(value: unknown, read: (text: unknown) => string): ReadonlySet<string> {
  if (value === undefined || value === null) return new Set()
  const texts = Array.isArray(value) ? (value as unknown[]) : [value]
  // A position that may also be null accepts any topic.
  if (texts.includes(null)) return new Set()
  return new Set(texts.map(read))
}

export function suits({ addresses, topics }: LogFilter, log: LogJson): boolean {
  if (addresses.size > 0 && !addresses.has(log.address)) return false
  return topics.every((place, at) => (place.size === 0 ? at < log.topics.length : place.has(log.topics[at] ?? '')))
}

/** Methods that identify the chain and its client. */
const chainMethods: EvmMethods = {
  eth_chainId: () => quantity(evmChainId),
  net_version: () => String(evmChainId),
  net_listening: () => true,
  eth_syncing: () => false,
  web3_clientVersion: () => vmVersions.evm,
  eth_getChainConfig: () => chainConfig(),
}

/** Ethereum upgrades that are active from the first block of this chain. */
const fromBeginning = [
  'berlinBlock',
  'byzantiumBlock',
  'constantinopleBlock',
  'daoForkBlock',
  'eip150Block',
  'eip155Block',
  'eip158Block',
  'homesteadBlock',
  'istanbulBlock',
  'londonBlock',
  'muirGlacierBlock',
  'petersburgBlock',
]

/** Upgrades of this chain by their names in the configuration; times in Unix seconds. */
const upgrades: Readonly<Record<string, EraName>> = {
  apricotPhase1BlockTimestamp: 'apricot1',
  apricotPhase2BlockTimestamp: 'apricot3',
  apricotPhase3BlockTimestamp: 'apricot3',
  apricotPhase4BlockTimestamp: 'apricot4',
  apricotPhase5BlockTimestamp: 'apricot5',
  apricotPhase6BlockTimestamp: 'apricot5',
  apricotPhasePost6BlockTimestamp: 'apricot5',
  apricotPhasePre6BlockTimestamp: 'apricot5',
  banffBlockTimestamp: 'banff',
  cancunTime: 'etna',
  cortinaBlockTimestamp: 'cortina',
  durangoBlockTimestamp: 'durango',
  etnaTimestamp: 'etna',
  fortunaTimestamp: 'etna',
  graniteTimestamp: 'granite',
  heliconTimestamp: 'helicon',
  shanghaiTime: 'durango',
}

function chainConfig(): object {
  const config: Record<string, unknown> = { chainId: evmChainId, daoForkSupport: true }
  for (const name of fromBeginning) config[name] = 0
  for (const [name, era] of Object.entries(upgrades)) config[name] = timeOf(era)
  return Object.fromEntries(Object.entries(config).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Number of blocks that determine the suggested tip. */
const sample = 20

/** The gas price for the next block: the base fee of the last block, and the median of recent tips. */
function feeMethods({ state }: EvmReader): EvmMethods {
  return {
    eth_baseFee: async () => quantity(baseFeeOf(await state())),
    eth_maxPriorityFeePerGas: async () => quantity(tipOf(await state())),
    eth_gasPrice: async () => {
      const now = await state()
      return quantity(baseFeeOf(now) + tipOf(now))
    },
  }
}

function baseFeeOf({ blocks }: EvmState): bigint {
  return blocks.at(-1)?.baseFee ?? 0n
}

function tipOf({ blocks, results }: EvmState): bigint {
  const tips = blocks.slice(-sample).flatMap(({ number, baseFee }) => {
    return results[number - 1]!.map(({ price }) => price - baseFee)
  })
  const [median] = tips.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)).slice(Math.floor(tips.length / 2))
  return median === undefined || median < 1n ? 1n : median
}

/** Number of the latest transactions with senders that have transactions in the pool. */
export const poolSample = 12

/**
 * The pool of the node. The senders of the latest transactions send the same again: one transaction with the next nonce is pending, and one
 * with the nonce after the next is queued. Their signatures are invented, because no block will contain them.
 */
function poolMethods({ state }: EvmReader): EvmMethods {
  return {
    txpool_content: async () => {
      const now = await state()
      return { pending: poolOf(now, 0n), queued: poolOf(now, 2n) }
    },
    txpool_status: async () => {
      const count = Object.keys(poolOf(await state(), 0n)).length
      return { pending: quantity(count), queued: quantity(count) }
    },
  }
}

/** Transactions by sender and nonce; `ahead`: how far the nonce is above the next one. */
function poolOf(state: EvmState, ahead: bigint): Readonly<Record<string, Readonly<Record<string, object>>>> {
  const latest = new Map(state.transactions.slice(-poolSample).map((each) => [each.from, each]))
  const head = state.blocks.length
  return Object.fromEntries(
    [...latest].map(([from, { to, value, gasLimit, result }]) => {
      const nonce = state.nonce(from, head) + ahead
      const bytes = (hex: string | null) => Buffer.from((hex ?? '0x').slice(2), 'hex')
      const hash = keccak256(encodeRlp([bytes(from), nonce, bytes(to), value, gasLimit, result.price]))
      const transaction = {
        blockHash: null,
        blockNumber: null,
        from,
        gas: quantity(gasLimit),
        gasPrice: quantity(result.price),
        hash: hex0x(hash),
        input: '0x',
        nonce: quantity(nonce),
        to,
        transactionIndex: null,
        value: quantity(value),
        type: '0x0',
        chainId: quantity(evmChainId),
        v: quantity(2 * evmChainId + 35),
        r: hex0x(keccak256(hash)),
        s: hex0x(hash),
      }
      return [from, { [String(nonce)]: transaction }]
    }),
  )
}

/** Balances (wei), nonces and code of addresses after a block, and read-only calls of token contracts. */
function stateMethods({ head, state }: EvmReader): EvmMethods {
  const numberAt = (args: Arguments, position: number): number => {
    const last = head()
    return acceptedNumber(blockNumber(args[position] ?? 'latest', position, last), last)
  }
  return {
    eth_getBalance: async (args) => {
      const address = addressArgument(args, 0)
      return quantity((await state()).nativeBalance(address, numberAt(args, 1)))
    },
    eth_getTransactionCount: async (args) => {
      const address = addressArgument(args, 0)
      return quantity((await state()).nonce(address, numberAt(args, 1)))
    },
    eth_getCode: async (args) => {
      const address = addressArgument(args, 0)
      return hex0x((await state()).code(address, numberAt(args, 1)))
    },
    eth_getStorageAt: async (args) => {
      const address = addressArgument(args, 0)
      const { slot } = storageKey(required(args, 1))
      const number = numberAt(args, 2)
      return `0x${word((await state()).slot(address, slot, number))}`
    },
    eth_call: async (args) => {
      const { token, input } = callOf(required(args, 0))
      const number = numberAt(args, 1)
      if (token === null) return '0x'
      const answer = callToken(await state(), token, number, input)
      if (answer === null) throw new MethodError('execution reverted')
      return hex0x(answer)
    },
  }
}

type Call = { readonly token: TokenContract | null; readonly input: Uint8Array }

/** Reads a call. `input` is the newer name of `data`. */
function callOf(value: unknown): Call {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(0, 'cannot unmarshal call')
  const { to, input, data: older } = value as Readonly<Record<string, unknown>>
  const hex = input ?? older ?? '0x'
  if (typeof hex !== 'string' || !/^0x([0-9a-f]{2})*$/i.test(hex)) throw invalid(0, 'invalid hex string')
  return {
    token: typeof to === 'string' ? tokenNamed(to.toLowerCase()) : null,
    input: Buffer.from(hex.slice(2), 'hex'),
  }
}

/** Returns null if the call reverts. A call also reverts if its input ends before its arguments. */
function callToken(state: EvmState, token: TokenContract, blockNumber: number, input: Uint8Array): Uint8Array | null {
  try {
    return readToken(tokenAt(state, token, blockNumber), readCalldata(input))
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
