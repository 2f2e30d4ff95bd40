import type { ServiceSettings } from './list.ts'
import type { Connection, Place } from './range.ts'

export type NetworkChain = {
  readonly alias: 'P' | 'X' | 'C'
  readonly blockchainId: string
  /** Null when nobody said it. */
  readonly vmId: string | null
  readonly subnetId: string
}

export type NetworkIdentity = {
  readonly networkId: number
  /** Value of the column `network`. */
  readonly network: string
  /** Human-readable part of bech32 addresses. */
  readonly hrp: string
  /** P, X and C; one whose id nobody said is missing, with a warning. */
  readonly chains: readonly NetworkChain[]
  /** Null when nobody said it, with a warning. */
  readonly nativeAssetId: string | null
  /** Activation of Durango in Unix seconds; null when nobody said it, with a warning. */
  readonly durangoTime: number | null
  /** What is missing and what follows from it, a sentence each. */
  readonly warnings: readonly string[]
}

/** What the streams of a job may depend on besides its values. Streams are made once a run. */
export type Facts = {
  /** How the REST service is called. Throws `ConfigError` when nobody said which service that is. */
  readonly service: ServiceSettings
  /** Who the node is; asked once a run. */
  readonly node: () => Promise<NetworkIdentity>
  /** What a place answers to a question, such as which chain it serves. */
  readonly ask: <T>(place: Place, question: (connection: Connection, signal?: AbortSignal) => Promise<T>) => Promise<T>
}
