import { randomBytes } from 'node:crypto'
import { MethodError } from '../../http/parameters.ts'
import type { Session } from '../../http/websocket/serve.ts'
import { required } from './arguments.ts'
import type { BlockJson } from './block-json.ts'
import { type LogFilter, readLogFilter, suits } from './log-filter.ts'
import type { EvmMethods } from './method.ts'
import type { EvmReader } from './reader.ts'
import { createEvmRpc } from './rpc.ts'

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
