import type { Endpoint, Heads } from '../define/index.ts'
import { openWebSocket } from '../fetch/web-socket.ts'
import { isObject } from '../lib/json.ts'
import { countOf } from './evm-answers.ts'

export type HeadListener = {
  /** The server has accepted the subscription. */
  readonly onListening: () => void
  /** The server has announced a new block. What it says about the block is not verified. */
  readonly onHead: () => void
  /** Called once when the subscription has ended or was refused, with the reason; not after `close`. */
  readonly onEnd: (reason: string) => void
}

/** Time for the connection and the answer to the subscription, in milliseconds. */
const usualTimeoutMs = 10_000

const subscription = { jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }

/** Subscribes to the new blocks of an EVM chain by WebSocket (`eth_subscribe`, `newHeads`). Returns a function that ends this at once. */
export function listenToHeads(url: string, listener: HeadListener, timeoutMs = usualTimeoutMs): () => void {
  let id: string | null = null
  const fail = (reason: string): void => {
    clearTimeout(timer)
    socket.close()
    listener.onEnd(reason)
  }
  const timer = setTimeout(() => fail('the server did not answer the subscription in time'), timeoutMs)
  const take = (text: string): string | null => {
    const message = messageIn(text)
    if (message === null) return 'it sent a message that is not JSON-RPC'
    if (id === null) {
      id = subscriptionIn(message)
      if (id === null) return 'the server refused the subscription to newHeads'
      clearTimeout(timer)
      listener.onListening()
      return null
    }
    if (!announces(message, id)) return 'it sent a message that announces no block of the subscription'
    listener.onHead()
    return null
  }
  const socket = openWebSocket({
    url,
    timeoutMs,
    onOpen: () => socket.send(JSON.stringify(subscription)),
    onText: (text) => {
      const wrong = take(text)
      if (wrong !== null) fail(wrong)
    },
    onEnd: fail,
  })
  return () => {
    clearTimeout(timer)
    socket.close()
  }
}

type Message = Readonly<Record<string, unknown>>

function messageIn(text: string): Message | null {
  try {
    const message: unknown = JSON.parse(text)
    return isObject(message) ? message : null
  } catch {
    return null
  }
}

/** The id of the subscription; null when the answer holds none. */
function subscriptionIn({ id, result }: Message): string | null {
  return id === subscription.id && typeof result === 'string' && result !== '' ? result : null
}

/** Whether a message announces a block with a number to this subscription. */
function announces({ method, params }: Message, id: string): boolean {
  if (method !== 'eth_subscription' || !isObject(params) || params['subscription'] !== id) return false
  const { result } = params
  return isObject(result) && countOf(result['number']) !== null
}

/** Where a chain may announce its blocks: the URL that the job names, or the one that follows from the URL of its RPC. */
export function headsUrl(
  { route, url }: Heads,
  endpoint: Endpoint,
  nodeUrl: string,
): { readonly url: string; readonly origin: 'given' | 'derived' } {
  if (url !== null) return { url, origin: 'given' }
  const rpc = new URL(endpoint.url ?? nodeUrl)
  rpc.protocol = rpc.protocol === 'https:' ? 'wss:' : 'ws:'
  rpc.pathname = (rpc.pathname.replace(/\/+$/, '') + route).replace(/\/rpc$/, '/ws')
  return { url: rpc.href, origin: 'derived' }
}
