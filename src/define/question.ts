/** Cost class of a route; the profile sets the compute units of each class. */
export type Weight = 'free' | 'small' | 'medium' | 'large' | 'xl' | 'xxl'

/** One request to a service. The profile adds base URL, key and limits when the request is sent. */
export type ServiceRequest = {
  readonly host: 'data' | 'metrics'
  readonly method: 'GET' | 'POST'
  /** After the base URL; begins with `/`, its variable parts percent-encoded. */
  readonly path: string
  /** Values that are undefined are left out; a list becomes a repeated key. */
  readonly query: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>
  /** Sent as JSON. */
  readonly body?: object
  readonly weight: Weight
  /** A sentence about a route that services may no longer have; the error for a missing route shows it. */
  readonly gone?: string
}

import type { Place } from './range.ts'

/**
 * A JSON-RPC call of a node. Path and method are named as the specification does (`/ext/bc/X` with `xvm.getTx`, `/ext/bc/C/cx` with
 * `cx.getUTXOs`, `/ext/bc/C/admin` with `admin_getVMConfig`); what the node calls them is found out when it is asked.
 */
export type NodeCall = {
  readonly host: 'node'
  readonly place: Place
  /** After the base URL of the place; begins with `/`, or is empty where the URL says it all. */
  readonly path: string
  readonly method: string
  /** An object, also where the specification wants it in a list; a list for the methods of an EVM. */
  readonly params: Readonly<Record<string, unknown>> | readonly unknown[]
}

/** A GET of a node, such as its health; its answer is a `NodeGetAnswer`. */
export type NodeGet = {
  readonly host: 'node'
  readonly place: Place
  readonly path: string
  readonly method: 'GET'
  /** A list becomes a repeated key. */
  readonly query: Readonly<Record<string, readonly string[]>>
  /** Statuses besides 200 whose body is an answer, such as the 503 of a node that calls itself unhealthy. */
  readonly answers: readonly number[]
}

/** The answer to a GET: its status and its JSON. */
export type NodeGetAnswer = { readonly status: number; readonly json: unknown }

/** A request of a walk over lists to a service or node. */
export type Question = ServiceRequest | NodeCall | NodeGet

/** The error object with which a node answers a call. */
export type Refusal = { readonly code: number; readonly message: string }
