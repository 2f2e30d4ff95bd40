import type { ValueOf } from '../linear.ts'
import { rlpBytes, rlpFixed, rlpStruct, rlpU64, rlpU256 } from '../rlp.ts'

const hash = rlpFixed(32)

/**
 * The header of a C-Chain block. Fields have their RPC names (wire-format.md 1.8). Forks have appended fields; those that an older header
 * does not have are null. A field after the last known one is an error.
 */
export const cHeader = rlpStruct(
  'Header',
  {
    parentHash: hash,
    sha3Uncles: hash,
    miner: rlpFixed(20),
    stateRoot: hash,
    transactionsRoot: hash,
    receiptsRoot: hash,
    logsBloom: rlpFixed(256),
    difficulty: rlpU256,
    number: rlpU64,
    gasLimit: rlpU64,
    gasUsed: rlpU64,
    timestamp: rlpU64,
    extraData: rlpBytes,
    mixHash: hash,
    nonce: rlpFixed(8),
    extDataHash: hash,
  },
  {
    baseFeePerGas: rlpU256,
    extDataGasUsed: rlpU256,
    blockGasCost: rlpU256,
    blobGasUsed: rlpU64,
    excessBlobGas: rlpU64,
    parentBeaconBlockRoot: hash,
    timestampMilliseconds: rlpU64,
    minDelayExcess: rlpU64,
    targetExponent: rlpU64,
    minPriceExponent: rlpU64,
    settledHeight: rlpU64,
    settledGasUnix: rlpU64,
    settledGasNumerator: rlpU64,
    settledExcess: rlpU64,
  },
)
export type CHeader = ValueOf<typeof cHeader>

const lastSecond = 253_402_300_799n
/** Seconds of 2009, when the first chain began, and of 2262, the last year in nanoseconds of 63 bits. */
const [firstLikely, lastLikely] = [1_230_768_000n, 9_223_372_036n]
const parts = [1000n, 1_000_000n, 1_000_000_000n] as const

/**
 * Returns the timestamp of a header in microseconds since 1970 UTC; null after the year 9999. Most chains write seconds. As seconds, what others
 * write is thousands of years away, so it is read as the milliseconds, microseconds or nanoseconds that it must be.
 */
export function timeOfTimestamp(timestamp: bigint): bigint | null {
  if (timestamp <= lastSecond) return timestamp * 1_000_000n
  for (const perSecond of parts) {
    const seconds = timestamp / perSecond
    if (seconds >= firstLikely && seconds <= lastLikely) return (timestamp * 1_000_000n) / perSecond
  }
  return null
}
