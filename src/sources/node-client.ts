import type { Connection } from '../define/connection.ts'
import type { NodeCall, NodeGet, NodeGetAnswer } from '../define/index.ts'
import { HttpError, RpcError, TransportError } from '../errors.ts'
import { callRpc } from '../fetch/json-rpc.ts'
import { parseLosslessJson } from '../lib/text/json.ts'
import { utf8Text } from '../lib/text/utf8.ts'

type AskOptions<T> = { readonly signal?: AbortSignal; readonly parse: (answer: unknown) => T }

/** A call as a node expects it. */
type Spelling = Pick<NodeCall, 'path' | 'method' | 'params'>

type Spell = (call: NodeCall) => Spelling

/**
 * Namespaces with other names in nodes than in the specification (real-service.md (a)). `node` and `specification` spell a call of the
 * namespace; in the specification, cx and admin methods take a list (specification 1, Transport). The first call of a namespace finds out
 * which of the two a node knows, and the client remembers it.
 */
const spellings: Readonly<Record<string, { readonly node: Spell; readonly specification: Spell }>> = {
  xvm: {
    node: ({ path, method, params }) => ({ path, method: method.replace(/^xvm\./, 'avm.'), params }),
    specification: (call) => call,
  },
  cx: {
    node: ({ path, method, params }) => ({
      path: path.replace(/\/cx$/, '/avax'),
      method: method.replace(/^cx\./, 'avax.'),
      params,
    }),
    specification: inList,
  },
  admin: {
    node: ({ path, method, params }) => ({ path, method: method.replace(/^admin_/, 'admin.'), params }),
    specification: inList,
  },
}

/** The list is empty if there are no arguments. */
function inList({ path, method, params }: NodeCall): Spelling {
  return { path, method, params: Object.keys(params).length === 0 ? [] : [params] }
}

/** Spellings that an endpoint is known to accept, by path and namespace. */
const known = new WeakMap<Connection, Map<string, 'node' | 'specification'>>()

/**
 * Sends a request to a node. Returns what `parse` makes of the result of a call, or of the `NodeGetAnswer` of a GET; integers beyond 2^53 are
 * `bigint`. Throws `RpcError` if the node refuses, `HttpError` and `TransportError` if the request fails.
 */
export async function askNode<T>(
  connection: Connection,
  question: NodeCall | NodeGet,
  options: AskOptions<T>,
): Promise<T> {
  if (isGet(question)) return get(connection, question, options)
  const namespace = question.method.split(/[._]/)[0] ?? ''
  const spelling = spellings[namespace]
  if (spelling === undefined) return call(connection, question, options)
  const ask = (as: 'node' | 'specification') => call(connection, spelling[as](question), options)
  const remembered = known.get(connection) ?? new Map<string, 'node' | 'specification'>()
  known.set(connection, remembered)
  const about = `${question.path} ${namespace}`
  const chosen = remembered.get(about)
  if (chosen !== undefined) return ask(chosen)
  let asNode: T
  try {
    asNode = await ask('node')
  } catch (error) {
    if (!isUnknownName(error)) {
      if (error instanceof RpcError) remembered.set(about, 'node')
      throw error
    }
    const asSpecified = await ask('specification').catch((second: unknown) => {
      if (second instanceof RpcError && !isUnknownName(second)) remembered.set(about, 'specification')
      // The node knows neither spelling: the error about its own name is more useful.
      throw isUnknownName(second) ? error : second
    })
    remembered.set(about, 'specification')
    return asSpecified
  }
  remembered.set(about, 'node')
  return asNode
}

/** The spelling that an endpoint accepts for a path and namespace; null until it has accepted one. */
export function spellingAt(connection: Connection, path: string, namespace: string): 'node' | 'specification' | null {
  return known.get(connection)?.get(`${path} ${namespace}`) ?? null
}

async function call<T>(
  connection: Connection,
  { path, method, params }: Spelling,
  { signal, parse }: AskOptions<T>,
): Promise<T> {
  return parse(await callRpc(connection, path, method, params, signal === undefined ? {} : { signal }))
}

async function get<T>(
  connection: Connection,
  { path, query, answers }: NodeGet,
  { signal, parse }: AskOptions<T>,
): Promise<T> {
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  )
  const text = new URLSearchParams(pairs).toString()
  const answer = await connection.request({
    method: 'GET',
    path: text === '' ? path : `${path}?${text}`,
    label: `GET ${path}`,
    headers: { accept: 'application/json' },
    accept: (status) => (status >= 200 && status < 300) || answers.includes(status),
    ...(signal === undefined ? {} : { signal }),
    parse: ({ status, body }): NodeGetAnswer => {
      try {
        return { status, json: parseLosslessJson(utf8Text(body)) }
      } catch (cause) {
        throw new TransportError(`The answer to GET ${path} is not JSON.`, { code: 'transport.unreadable', cause })
      }
    },
  })
  return parse(answer)
}

function isGet(question: NodeCall | NodeGet): question is NodeGet {
  return question.method === 'GET'
}

/** The node does not know the path, service or method. JSON-RPC has the code -32601; a node's own server uses -32000 and these words. */
function isUnknownName(error: unknown): boolean {
  if (error instanceof HttpError) return [404, 405, 501].includes(error.status)
  if (!(error instanceof RpcError)) return false
  return (
    [404, 405, 501].includes(error.status) ||
    error.rpcCode === -32601 ||
    /can't find (service|method)|request ill-formed/.test(error.answer)
  )
}
