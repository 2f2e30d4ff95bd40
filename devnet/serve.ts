import type { AddressInfo } from 'node:net'
import { OptionError } from './errors.ts'
import type { FaultPlan } from './faults.ts'
import { createFaultChooser } from './faults.ts'
import { type CountedRequests, controlRoutes, createCounts } from './http/control.ts'
import { createRouter } from './http/router.ts'
import { createDevnetServer } from './http/server.ts'
import type { DevnetOptions } from './node/node.ts'
import { simulatedNode } from './node/simulated.ts'
import { replayNode } from './replay/node.ts'

export type { FaultKind, FaultPlan } from './faults.ts'
export { faultKinds, parseFaultPlan, transientFaults, transientServiceFaults } from './faults.ts'
export type { Dialect } from './index/methods.ts'
export type { DevnetOptions } from './node/node.ts'

/** A running network. */
export type Devnet = {
  /** Base URL, such as `http://127.0.0.1:9650`. */
  readonly url: string
  readonly port: number
  /** Accepts this many more containers of each chain at once; returns the total number of P-Chain containers. A replay accepts none. */
  grow(containers: number): Promise<number>
  /** Replaces the planned faults; null switches them off. */
  setFaults(plan: FaultPlan | null): void
  /** The requests so far, also at `GET /devnet/requests`. */
  requests(): CountedRequests
  /** Stops listening, ends open connections and frees files. */
  close(): Promise<void>
}

/**
 * Starts the simulated network, or the replay of a recorded node, on loopback. A network that is not in the cache is generated first.
 * Throws `OptionError` for invalid options and for a port in use, `CacheError` if the cache cannot be written.
 */
export async function startDevnet(options: DevnetOptions = {}): Promise<Devnet> {
  const node = options.replay === undefined ? await simulatedNode(checked(options)) : await replayNode(options.replay)
  const counts = createCounts()
  const faults = createFaultChooser(options.faults ?? null)
  const answer = createRouter([...controlRoutes({ counts, grow: node.grow }), ...node.routes])
  const server = createDevnetServer({
    answer,
    faults,
    counts,
    sockets: node.sockets,
    slowMs: options.slowMs ?? 2000,
    compress: options.compress ?? false,
  })
  const host = options.host ?? '127.0.0.1'
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(options.port ?? 0, host, resolve)
    })
  } catch (cause) {
    await node.close()
    throw new OptionError(`The network cannot listen on ${host}:${options.port ?? 0}.`, {
      code: 'config.devnet-port',
      details: { reason: (cause as NodeJS.ErrnoException).code },
      hint: 'Name another port, or 0 for a free one.',
      cause,
    })
  }
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${host}:${port}`,
    port,
    grow: node.grow,
    setFaults: faults.setPlan,
    requests: counts.read,
    close: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
      await node.close()
    },
  }
}

const mostBlocks = 1_000_000

function checked(options: DevnetOptions): DevnetOptions {
  const { blocks = 0, seed = 1, indexFrom = 1, blockTimeMs = 1 } = options
  const refuse = (what: string, hint: string): never => {
    throw new OptionError(what, { hint })
  }
  if (!Number.isSafeInteger(blocks) || blocks < 0 || blocks > mostBlocks) {
    refuse(`A chain cannot have ${blocks} blocks.`, `Give a whole number from 0 to ${mostBlocks}.`)
  }
  if (!Number.isSafeInteger(seed) || seed < 0 || seed >= 2 ** 32) {
    refuse(`${seed} is no seed.`, 'Give a whole number from 0 to 4294967295.')
  }
  if (!Number.isSafeInteger(indexFrom) || indexFrom < 1) {
    refuse(`An index cannot begin at height ${indexFrom}.`, 'Give a whole number from 1 on.')
  }
  if (!(blockTimeMs >= 1)) refuse(`${blockTimeMs} ms is no block time.`, 'Give at least one millisecond.')
  return options
}
