import type { ValueOf } from '../linear/index.ts'
import { rlpBytes, rlpFixed, rlpStruct, rlpU64, rlpU256 } from '../rlp/index.ts'

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
