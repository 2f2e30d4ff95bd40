import type { NodeCall, NodeGet, NodeGetAnswer } from '../define/index.ts'
import { HttpError, RpcError, TransportError } from '../errors.ts'
import { callRpc } from '../fetch/json-rpc.ts'
import type { Transport } from '../fetch/transport.ts'
import { parseLosslessJson } from '../lib/text/json.ts'

type AskOptions<T> = { readonly signal?: AbortSignal; readonly parse: (answer: unknown) => T }

/** How a node spells a call. */
type Spelling = Pick<NodeCall, 'path' | 'method' | 'params'>

type Spell = (call: NodeCall) => Spelling

/**
 * Namespaces that nodes call otherwise than the specification (real-service.md (a)): how a node spells a call of it, and how the
 * specification does, whose cx and admin methods take a list (specification 1, Transport). Which of the two a node knows is found out
 * with the first call of a namespace and remembered.
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

/** A list is empty where there are no arguments. */
function inList({ path, method, params }: NodeCall): Spelling {
  return { path, method, params: Object.keys(params).length === 0 ? [] : [params] }
}

/** Spellings that a place was seen to know, by path and namespace: 'node' or 'specification'. */
const known = new WeakMap<Transport, Map<string, 'node' | 'specification'>>()

/**
 * Asks a node. Gives what `parse` makes of the result of a call, or of the `NodeGetAnswer` of a GET; integers beyond 2^53 are `bigint`. Throws
 * `RpcError` when the node refuses, `HttpError` and `TransportError` when it cannot be asked.
 */
export async function askNode<T>(
  transport: Transport,
  question: NodeCall | NodeGet,
  options: AskOptions<T>,
): Promise<T> {
  if (isGet(question)) return get(transport, question, options)
  const namespace = question.method.split(/[._]/)[0] ?? ''
  const spelling = spellings[namespace]
  if (spelling === undefined) return call(transport, question, options)
  const ask = (as: 'node' | 'specification') => call(transport, spelling[as](question), options)
  const remembered = known.get(transport) ?? new Map<string, 'node' | 'specification'>()
  known.set(transport, remembered)
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
      // Where neither is known, the node's own name is the one that says what is missing.
      throw isUnknownName(second) ? error : second
    })
    remembered.set(about, 'specification')
    return asSpecified
  }
  remembered.set(about, 'node')
  return asNode
}

/** How a place was seen to spell the names of a path and namespace; null before it answered to one of the two. */
export function spellingAt(transport: Transport, path: string, namespace: string): 'node' | 'specification' | null {
  return known.get(transport)?.get(`${path} ${namespace}`) ?? null
}

async function call<T>(
  transport: Transport,
  { path, method, params }: Spelling,
  { signal, parse }: AskOptions<T>,
): Promise<T> {
  return parse(await callRpc(transport, path, method, params, signal === undefined ? {} : { signal }))
}

async function get<T>(
  transport: Transport,
  { path, query, answers }: NodeGet,
  { signal, parse }: AskOptions<T>,
): Promise<T> {
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  )
  const text = new URLSearchParams(pairs).toString()
  const answer = await transport.request({
    method: 'GET',
    path: text === '' ? path : `${path}?${text}`,
    label: `GET ${path}`,
    headers: { accept: 'application/json' },
    accept: (status) => (status >= 200 && status < 300) || answers.includes(status),
    ...(signal === undefined ? {} : { signal }),
    parse: ({ status, body }): NodeGetAnswer => {
      try {
        return { status, json: parseLosslessJson(body.toString()) }
      } catch (cause) {
        throw new TransportError(`The answer to GET ${path} is no JSON.`, { code: 'transport.unreadable', cause })
      }
    },
  })
  return parse(answer)
}

function isGet(question: NodeCall | NodeGet): question is NodeGet {
  return question.method === 'GET'
}

/** The node has no such path, service or method: JSON-RPC says -32601, a node's own server -32000 with one of these words. */
function isUnknownName(error: unknown): boolean {
  if (error instanceof HttpError) return [404, 405, 501].includes(error.status)
  if (!(error instanceof RpcError)) return false
  return error.rpcCode === -32601 || /can't find (service|method)|request ill-formed/.test(error.answer)
}
