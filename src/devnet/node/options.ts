import type { FaultPlan } from '../faults/kinds.ts'
import type { Dialect } from '../index/methods.ts'
import type { ServiceOptions } from '../service/options.ts'

/** How the simulated network is started; everything has a default. */
export type DevnetOptions = ServiceOptions & {
  /** Port on loopback; default 0, a free one. */
  readonly port?: number
  /** Interface; default `127.0.0.1`. */
  readonly host?: string
  /** Seed of the simulated network; the same seed gives the same bytes. Default 1. */
  readonly seed?: number
  /**
   * Containers of the P chain that have been accepted when the network starts; default 5,000, at most 1,000,000. The X and
   * the C chain have as many. A chain takes about 3 kB a container in the cache.
   */
  readonly blocks?: number
  /**
   * Whether the X-Chain is older than Cortina: its earlier containers are then in X/vtx and X/tx, and not in X/block.
   * Default false: X/vtx and X/tx are empty, as on a network born later.
   */
  readonly legacy?: boolean
  /**
   * Whether there are three other chains of the asset VM, with feature extensions in other orders than X has them: nft, property and
   * secp256k1; secp256k1 alone; property and secp256k1. Their heads stand still, and no index has them. Default false.
   */
  readonly assetChains?: boolean
  /**
   * Height from which the indexes P/block, X/block and C/block have blocks, as on a node whose index was switched on late
   * (`--index-allow-incomplete`). Default 1: they are complete.
   */
  readonly indexFrom?: number
  /** Milliseconds after which each chain accepts one more container; default: the heads stand still. */
  readonly blockTimeMs?: number
  /** A folder with the recording of a real node, served instead of the simulated network. */
  readonly replay?: string
  /** Which requests fail and how; by default only those that name a fault themselves. */
  readonly faults?: FaultPlan
  /** Shapes of the specification or of a real node; default `node`. A replay is always `node`. */
  readonly dialect?: Dialect
  /** Blocks that a window of eth_getLogs may have; default 2,048, as on public nodes; 0: any. */
  readonly mostLogBlocks?: number
  /** How many blocks below the head eth_getProof proves accounts of; default 32, as on a node that prunes old state; 0 means all. */
  readonly proofWindow?: number
  /** Where generated networks are kept; default `chainlake-devnet` in the folder for temporary files. */
  readonly cacheDir?: string
  /** Whether answers of some size are compressed for clients that take that, as those of a real node are; default false. */
  readonly compress?: boolean
  /** How late an answer with the fault `slow` comes, in milliseconds; default 2,000. */
  readonly slowMs?: number
  /** Called during the generation of a network that is not in the cache yet, with a number of P-Chain containers. */
  readonly onProgress?: (progress: { readonly containers: number; readonly of: number }) => void
}
