import type { EvmLog, evmTokenTransfers } from '../../../schemas/evm-blocks.ts'
import type { RowOf } from '../../define/index.ts'
import { decimalOrNull, textOrNull, unsignedAt } from '../values.ts'

type EvmTokenTransfer = RowOf<typeof evmTokenTransfers>

/** Hashes of the event signatures. */
const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const transferSingle = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62'
const transferBatch = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb'

const word = 32

/** The address that logs transfers of the native token (EIP-7708). It is no contract. */
export const nativeLogs = '0xfffffffffffffffffffffffffffffffffffffffe'

/**
 * Returns the token transfers in a log: none, one, or those of a batch. A log with the topic of an event but other topics or data than its
 * standard has no transfers.
 */
export function tokenTransfers(log: EvmLog): EvmTokenTransfer[] {
  switch (log.topic0) {
    case transfer:
      return log.topic3 === null ? erc20Transfer(log) : erc721Transfer(log)
    case transferSingle:
      return erc1155Transfers(log, singleEntries(log.data))
    case transferBatch:
      return erc1155Transfers(log, batchEntries(log.data))
    default:
      return []
  }
}

/** event Transfer(address indexed from, address indexed to, uint256 value) */
function erc20Transfer(log: EvmLog): EvmTokenTransfer[] {
  const [from, to] = [addressOf(log.topic1), addressOf(log.topic2)]
  if (from === null || to === null || log.data.length !== word) return []
  const standard = log.address === nativeLogs ? 'native' : 'erc20'
  return [row(log, 0, { standard, from, to, operator_address: null, tokenId: null, amount: wordAt(log.data, 0) })]
}

/** event Transfer(address indexed from, address indexed to, uint256 indexed tokenId) */
function erc721Transfer(log: EvmLog): EvmTokenTransfer[] {
  const [from, to] = [addressOf(log.topic1), addressOf(log.topic2)]
  if (from === null || to === null || log.topic3 === null || log.data.length !== 0) return []
  return [
    row(log, 0, { standard: 'erc721', from, to, operator_address: null, tokenId: BigInt(log.topic3), amount: 1n }),
  ]
}

type Entry = { readonly tokenId: bigint; readonly amount: bigint }

/** The two events of ERC-1155: (address indexed operator, address indexed from, address indexed to, …) */
function erc1155Transfers(log: EvmLog, entries: readonly Entry[] | null): EvmTokenTransfer[] {
  const [operator_address, from, to] = [addressOf(log.topic1), addressOf(log.topic2), addressOf(log.topic3)]
  if (operator_address === null || from === null || to === null || entries === null) return []
  return entries.map((entry, position) =>
    row(log, position, { standard: 'erc1155', from, to, operator_address, ...entry }),
  )
}

/** uint256 id, uint256 value; null for other data. */
function singleEntries(data: Uint8Array): Entry[] | null {
  if (data.length !== 2 * word) return null
  return [{ tokenId: wordAt(data, 0), amount: wordAt(data, 1) }]
}

/**
 * uint256[] ids, uint256[] values in the layout of the ABI: two offsets, then each list after its length. Null for other data and for lists
 * of different lengths.
 */
function batchEntries(data: Uint8Array): Entry[] | null {
  const length = (data.length / word - 4) / 2
  if (!Number.isInteger(length) || length < 0) return null
  const [firstId, firstAmount] = [3, 3 + length + 1]
  const laidOut =
    wordAt(data, 0) === BigInt(2 * word) &&
    wordAt(data, 1) === BigInt((firstAmount - 1) * word) &&
    wordAt(data, firstId - 1) === BigInt(length) &&
    wordAt(data, firstAmount - 1) === BigInt(length)
  if (!laidOut) return null
  return Array.from({ length }, (_, at) => ({
    tokenId: wordAt(data, firstId + at),
    amount: wordAt(data, firstAmount + at),
  }))
}

function wordAt(data: Uint8Array, position: number): bigint {
  return unsignedAt(new DataView(data.buffer, data.byteOffset + position * word, word), 0)
}

const addressPadding = `0x${'0'.repeat(24)}`

/** Returns the address in a topic, or null if the topic does not hold one. */
function addressOf(topic: string | null): string | null {
  return topic?.startsWith(addressPadding) ? `0x${topic.slice(addressPadding.length)}` : null
}

type Moved = Pick<EvmTokenTransfer, 'standard' | 'operator_address'> & {
  readonly from: string
  readonly to: string
  readonly amount: bigint
  readonly tokenId: bigint | null
}

function row(log: EvmLog, position: number, moved: Moved): EvmTokenTransfer {
  return {
    network: log.network,
    chain_id: log.chain_id,
    block_number: log.block_number,
    block_time: log.block_time,
    transaction_index: log.transaction_index,
    transaction_hash: log.transaction_hash,
    log_index: log.log_index,
    position,
    standard: moved.standard,
    token_address: log.address,
    from_address: moved.from,
    to_address: moved.to,
    operator_address: moved.operator_address,
    token_id: textOrNull(moved.tokenId),
    amount: decimalOrNull(moved.amount),
    amount_raw: moved.amount.toString(),
  }
}
