import type { Connection } from './connection.ts'
import type { ServiceSettings } from './list.ts'
import type { ServiceRequest } from './question.ts'
import type { Endpoint } from './range.ts'

/** A chain of the Primary Network. */
export type NetworkChain = {
  readonly alias: 'P' | 'X' | 'C'
  readonly blockchainId: string
  /** Null if not known. */
  readonly vmId: string | null
  readonly subnetId: string
}

/** The network of a node and its chains. */
export type NetworkIdentity = {
  readonly networkId: number
  /** Value of the column `network`. */
  readonly network: string
  /** Human-readable part of bech32 addresses. */
  readonly hrp: string
  /** P-Chain, X-Chain and C-Chain. A chain without a known id is missing, with a warning. */
  readonly chains: readonly NetworkChain[]
  /** Null if not known, with a warning. */
  readonly nativeAssetId: string | null
  /** Activation of Durango in Unix seconds; null if not known, with a warning. */
  readonly durangoTime: number | null
  /** One sentence for each missing fact and its consequence. */
  readonly warnings: readonly string[]
}

/** Facts that the streams of a job may depend on, in addition to its values. A run creates the streams once. */
export type Facts = {
  /** Settings of the REST service. Throws `ConfigError` if no service is configured. */
  readonly service: ServiceSettings
  /** The network of the node; requested once per run. */
  readonly node: () => Promise<NetworkIdentity>
  /** Sends a request to an endpoint, such as for the chain that it serves, and returns the answer. */
  readonly ask: <T>(
    endpoint: Endpoint,
    question: (connection: Connection, signal?: AbortSignal) => Promise<T>,
  ) => Promise<T>
  /** Sends a request to the REST service, and returns what `parse` makes of its answer. */
  readonly askService: <T>(request: ServiceRequest, parse: (answer: unknown) => T) => Promise<T>
}
