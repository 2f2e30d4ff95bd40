/** Cost class of a route; the profile sets the compute units of each class. */
export type Weight = 'free' | 'small' | 'medium' | 'large' | 'xl' | 'xxl'

/** One request to a service. Its settings add base URL, key and limits when the run sends the request. */
export type ServiceRequest = {
  /** A host of the REST service, or a service that chainlake.yaml declares. */
  readonly host: 'data' | 'metrics' | { readonly service: string }
  readonly method: 'GET' | 'POST'
  /** Path after the base URL. It begins with `/`; its variable parts are percent-encoded. */
  readonly path: string
  /** Undefined values are omitted; a list becomes a repeated key. */
  readonly query: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>
  /** Sent as JSON. */
  readonly body?: object
  /** Its class, or the units that it costs. */
  readonly weight: Weight | number
  /** One sentence about a route that services may have removed. The error for a missing route shows it. */
  readonly gone?: string
  /**
   * Statuses other than 2xx that come with an answer, such as 404 for an empty list. With this field, even if it is empty, the answer is a
   * `ServiceAnswer`.
   */
  readonly answers?: readonly number[]
}

/** An answer with what is not in its body. */
export type ServiceAnswer = {
  readonly status: number
  /** Path and query of the link to the next page, as requests name them; null without one. It leads to the same origin. */
  readonly next: string | null
  /** Null for a status other than 2xx. */
  readonly json: unknown
}

import type { EvmOutcome, EvmRefusal } from '../model.ts'
import type { Endpoint } from './range.ts'

/**
 * A JSON-RPC call of a node. Path and method have the names of the specification (`/ext/bc/X` with `xvm.getTx`, `/ext/bc/C/cx` with
 * `cx.getUTXOs`, `/ext/bc/C/admin` with `admin_getVMConfig`). When the run sends the call, it finds out which names the node uses.
 */
export type NodeCall = {
  readonly host: 'node'
  readonly endpoint: Endpoint
  /** Path after the base URL of the endpoint. It begins with `/`, or is empty where the URL is complete. */
  readonly path: string
  readonly method: string
  /** An object, even where the specification wants it in a list; a list for the methods of an EVM. */
  readonly params: Readonly<Record<string, unknown>> | readonly unknown[]
}

/** A GET request to a node, such as for its health. The answer is a `NodeGetAnswer`. */
export type NodeGet = {
  readonly host: 'node'
  readonly endpoint: Endpoint
  readonly path: string
  readonly method: 'GET'
  /** A list becomes a repeated key. */
  readonly query: Readonly<Record<string, readonly string[]>>
  /** Statuses other than 200 that come with an answer, such as 503 from a node that reports itself unhealthy. */
  readonly answers: readonly number[]
}

/** The answer to a GET request: its status and its JSON. */
export type NodeGetAnswer = { readonly status: number; readonly json: unknown }

/** Something that calls of an EVM ask about at a block, such as the balance of an account. */
export type EvmSubject = {
  /** Identifies it among the subjects of a job. */
  readonly name: string
  /** The calls. `block` is the number of the block as the RPC takes it. */
  readonly calls: (block: string) => readonly { readonly method: string; readonly params: readonly unknown[] }[]
  /** Further calls that the outcomes make necessary; their outcomes follow. Default: none. */
  readonly next?: (outcomes: readonly EvmOutcome[], block: string) => ReturnType<EvmSubject['calls']>
  /** Whether a refusal of a call is an answer, such as that of a reverted call. Default: every refusal is a failure. */
  readonly isAnswer?: (refusal: EvmRefusal) => boolean
}

/** The calls about a subject at a block of an EVM. The answer is an `EvmCell`. */
export type NodeCell = {
  readonly host: 'node'
  readonly endpoint: Endpoint
  readonly path: string
  readonly subject: EvmSubject
  readonly block: number
}

/** A request of a walk over lists to a service or node. */
export type Question = ServiceRequest | NodeCall | NodeGet | NodeCell

/** The error object with which a node answers a call. */
export type Refusal = { readonly code: number; readonly message: string }
