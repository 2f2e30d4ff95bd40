import { blockMethods } from './block-methods.ts'
import { chainMethods } from './chain-methods.ts'
import { feeMethods } from './fee-methods.ts'
import { logMethods } from './log-methods.ts'
import type { EvmMethods } from './method.ts'
import { poolMethods } from './pool-methods.ts'
import { proofMethods } from './proof-methods.ts'
import type { EvmReader } from './reader.ts'
import { stateMethods } from './state-methods.ts'
import { traceMethods } from './trace-methods.ts'

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
