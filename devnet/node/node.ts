import type { FaultPlan } from '../faults.ts'
import type { Route } from '../http/router.ts'
import type { SocketRoute } from '../http/websocket.ts'
import type { Dialect } from '../index/methods.ts'
import type { ServiceOptions } from '../service/service.ts'

/** Options of the simulated network; each has a default. */
export type DevnetOptions = ServiceOptions & {
  /** Port on loopback; default 0, which selects a free port. */
  readonly port?: number
  /** Network interface; default `127.0.0.1`. */
  readonly host?: string
  /** Seed of the simulated network. The same seed gives the same bytes. Default 1. */
  readonly seed?: number
  /**
   * Number of P-Chain containers that have been accepted when the network starts; default 5,000, at most 1,000,000. The X-Chain and the
   * C-Chain have as many. Each chain takes about 3 kB per container in the cache.
   */
  readonly blocks?: number
  /**
   * Whether the X-Chain is older than Cortina: its earlier containers are then in X/vtx and X/tx, and not in X/block. Default false: X/vtx
   * and X/tx are empty, as on a network that was created later.
   */
  readonly legacy?: boolean
  /**
   * Whether there are three other chains of the asset VM, with feature extensions in other orders than the X-Chain has: nft, property and
   * secp256k1; secp256k1 alone; property and secp256k1. Their heads do not move, and no index contains them. Default false.
   */
  readonly assetChains?: boolean
  /**
   * First height in the indexes P/block, X/block and C/block, as on a node with an index that was enabled late
   * (`--index-allow-incomplete`). Default 1: the indexes are complete.
   */
  readonly indexFrom?: number
  /** Milliseconds after which each chain accepts one more container; default: the heads do not move. */
  readonly blockTimeMs?: number
  /** A folder with the recording of a real node, served instead of the simulated network. */
  readonly replay?: string
  /** Which requests fail and how; default: only requests that name a fault themselves. */
  readonly faults?: FaultPlan
  /** Shapes of the specification or of a real node; default `node`. A replay always uses `node`. */
  readonly dialect?: Dialect
  /** Maximum number of blocks in a window of eth_getLogs; default 2,048, as on public nodes; 0 means no limit. */
  readonly mostLogBlocks?: number
  /** How many blocks below the head eth_getProof can prove accounts; default 32, as on a node that prunes old state; 0 means all blocks. */
  readonly proofWindow?: number
  /** Folder for generated networks; default `chainlake-devnet` in the folder for temporary files. */
  readonly cacheDir?: string
  /** Whether large responses are compressed for clients that accept it, as a real node does; default false. */
  readonly compress?: boolean
  /** Delay of a response with the fault `slow`, in milliseconds; default 2,000. */
  readonly slowMs?: number
  /** Called while a network that is not in the cache is generated, with the number of P-Chain containers. */
  readonly onProgress?: (progress: { readonly containers: number; readonly of: number }) => void
}

/** The server behind the URL: a simulated node or the recording of a real node. */
export type DevnetNode = {
  readonly routes: readonly Route[]
  /** Paths that accept WebSockets. */
  readonly sockets: readonly SocketRoute[]
  /** Accepts more containers and returns the total number of accepted containers. */
  grow(containers: number): Promise<number>
  close(): Promise<void>
}
