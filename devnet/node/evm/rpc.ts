import { randomBytes } from 'node:crypto'
import { isLosslessNumber, parse, stringify } from 'lossless-json'
import { MethodError } from '../../http/json-rpc.ts'
import type { Session } from '../../http/websocket.ts'
import { type EvmMethods, required } from './arguments.ts'
import type { BlockJson } from './json.ts'
import { type LogFilter, readLogFilter, suits } from './methods.ts'
import type { EvmReader } from './reader.ts'

/** The default limit of calls in one batch. */
const mostCalls = 1_000

type Call = { readonly id?: unknown; readonly method?: unknown; readonly params?: unknown }

/** Answers the text of a call or a batch by the rules of the EVM's server. */
export type EvmRpc = (text: string) => Promise<string>

export function createEvmRpc(methods: EvmMethods): EvmRpc {
  return async (text) => {
    const calls = parseOrNull(text)
    if (calls === null) return failed(null, -32700, 'parse error')
    if (!Array.isArray(calls)) return answerCall(methods, calls)
    if (calls.length === 0) return failed(null, -32600, 'empty batch')
    if (calls.length > mostCalls) return `[${failed((calls[0] as Call)?.id, -32600, 'batch too large')}]`
    const answers: string[] = []
    for (const call of calls) answers.push(await answerCall(methods, call))
    return `[${answers.join(',')}]`
  }
}

async function answerCall(methods: EvmMethods, call: unknown): Promise<string> {
  const { id, method, params } = (isObject(call) ? call : {}) as Call
  if (typeof method !== 'string') return failed(id, -32600, 'invalid request')
  const found = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (found === undefined) return failed(id, -32601, `the method ${method} does not exist/is not available`)
  if (params !== undefined && !Array.isArray(params)) return failed(id, -32602, 'non-array args')
  try {
    const result = await found((params ?? []).map(plain))
    return `${headOf(id)},"result":${JSON.stringify(result)}}`
  } catch (error) {
    if (!(error instanceof MethodError)) throw error
    return failed(id, error.rpcCode, error.message)
  }
}

function headOf(id: unknown): string {
  return `{"jsonrpc":"2.0","id":${stringify(id ?? null)}`
}

function failed(id: unknown, code: number, message: string): string {
  return `${headOf(id)},"error":{"code":${code},"message":${JSON.stringify(message)}}}`
}

/** Converts lossless numbers to plain numbers, also inside lists and objects. */
function plain(value: unknown): unknown {
  if (isLosslessNumber(value)) return Number(value.toString())
  if (Array.isArray(value)) return value.map(plain)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, plain(entry)]))
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parseOrNull(text: string): unknown {
  try {
    return parse(text)
  } catch {
    return null
  }
}

/** Calls a listener when the head moves, with the blocks above `from` up to `to`; returns a function that stops this. */
type Growth = (listener: (from: number, to: number) => void) => () => void

type SocketSource = { readonly methods: EvmMethods; readonly reader: EvmReader; readonly growth: Growth }

type Subscription = { readonly kind: 'newHeads' } | { readonly kind: 'logs'; readonly filter: LogFilter }

/** HTTP has no notifications, so it refuses subscriptions. */
export const noSubscriptions: EvmMethods = {
  eth_subscribe: () => {
    throw new MethodError('notifications not supported', -32601)
  },
}

/** Answers a WebSocket of the C-Chain: every method of its RPC, and subscriptions to heads and logs. */
export function openEvmSession({ methods, reader, growth }: SocketSource, send: (text: string) => void): Session {
  const subscriptions = new Map<string, Subscription>()
  const rpc = createEvmRpc({
    ...methods,
    eth_subscribe: (args) => {
      const id = `0x${randomBytes(16).toString('hex')}`
      subscriptions.set(id, subscriptionTo(required(args, 0), args[1]))
      return id
    },
    eth_unsubscribe: (args) => {
      if (subscriptions.delete(String(required(args, 0)))) return true
      throw new MethodError('subscription not found')
    },
  })
  /** The last task. Tasks run sequentially, so that responses and blocks keep their order. */
  let last: Promise<unknown> = Promise.resolve()
  const next = (work: () => Promise<void>): void => {
    last = last.then(work).catch((error: unknown) => {
      send(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32603, message: String(error) } }))
    })
  }
  const notify = (subscription: string, result: unknown): void => {
    send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result } }))
  }
  const notifyAll = async (number: number): Promise<void> => {
    for (const [id, subscription] of subscriptions)
      for (const event of await eventsOf(reader, subscription, number)) notify(id, event)
  }
  const stop = growth((from, to) => {
    next(async () => {
      for (let number = from + 1; number <= to && subscriptions.size > 0; number += 1) await notifyAll(number)
    })
  })
  return { receive: (text) => next(async () => send(await rpc(text))), close: stop }
}

/** The notifications about a block for a subscription. */
async function eventsOf(reader: EvmReader, subscription: Subscription, number: number): Promise<object[]> {
  if (subscription.kind === 'newHeads') return [headerOf(await reader.block(number))]
  const receipts = await reader.receipts(number)
  return receipts.flatMap(({ logs }) => logs.filter((log) => suits(subscription.filter, log)))
}

function subscriptionTo(kind: unknown, filter: unknown): Subscription {
  if (kind === 'newHeads') return { kind }
  if (kind === 'logs') return { kind, filter: readLogFilter((filter ?? {}) as object) }
  throw new MethodError(`no ${JSON.stringify(kind)} subscription in eth namespace`, -32601)
}

/** A block without the fields of its body. */
function headerOf({ transactions: _, uncles, size, totalDifficulty, blockExtraData, ...header }: BlockJson): object {
  return header
}
