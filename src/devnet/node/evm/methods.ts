import { blockMethods } from './block-methods.ts'
import { chainMethods } from './chain-methods.ts'
import { feeMethods } from './fee-methods.ts'
import { logMethods } from './log-methods.ts'
import type { EvmMethods } from './method.ts'
import { proofMethods } from './proof-methods.ts'
import type { EvmReader } from './reader.ts'
import { stateMethods } from './state-methods.ts'

/** What a node is set up to answer. */
export type EvmLimits = {
  /** Blocks that one window of logs may have; 0: any. */
  readonly mostLogBlocks: number
  /** How many blocks below the head state can be proved; 0 means all. */
  readonly proofWindow: number
}

/** What the RPC of the C chain answers. There is no pool of transactions, and nothing is traced. */
export function evmMethods(reader: EvmReader, { mostLogBlocks, proofWindow }: EvmLimits): EvmMethods {
  return {
    ...chainMethods,
    ...blockMethods(reader),
    ...logMethods(reader, mostLogBlocks),
    ...feeMethods(reader),
    ...stateMethods(reader),
    ...proofMethods(reader, proofWindow),
  }
}
