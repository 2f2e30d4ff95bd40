import { randomBytes } from 'node:crypto'
import { MethodError } from '../../http/parameters.ts'
import type { Session } from '../../http/websocket/serve.ts'
import { required } from './arguments.ts'
import type { BlockJson } from './block-json.ts'
import { type LogFilter, readLogFilter, suits } from './log-filter.ts'
import type { EvmMethods } from './method.ts'
import type { EvmReader } from './reader.ts'
import { createEvmRpc } from './rpc.ts'

/** Told of heads as they move on: of blocks above `from` up to `to`. */
export type Growth = (told: (from: number, to: number) => void) => () => void

export type SocketSource = { readonly methods: EvmMethods; readonly reader: EvmReader; readonly growth: Growth }

type Subscription = { readonly kind: 'newHeads' } | { readonly kind: 'logs'; readonly filter: LogFilter }

/** Over HTTP nobody can be told of anything. */
export const noSubscriptions: EvmMethods = {
  eth_subscribe: () => {
    throw new MethodError('notifications not supported', -32601)
  },
}

/** What a WebSocket of the C chain answers: every method of its RPC, and subscriptions to heads and logs. */
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
  /** One after the other, so that answers and blocks keep their order. */
  let last: Promise<unknown> = Promise.resolve()
  const next = (work: () => Promise<void>): void => {
    last = last.then(work).catch((error: unknown) => {
      send(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32603, message: String(error) } }))
    })
  }
  const notify = (subscription: string, result: unknown): void => {
    send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result } }))
  }
  const tell = async (number: number): Promise<void> => {
    for (const [id, subscription] of subscriptions) {
      if (subscription.kind === 'newHeads') notify(id, headerOf(await reader.block(number)))
      else
        for (const { logs } of await reader.receipts(number))
          for (const log of logs) if (suits(subscription.filter, log)) notify(id, log)
    }
  }
  const stop = growth((from, to) => {
    next(async () => {
      for (let number = from + 1; number <= to && subscriptions.size > 0; number += 1) await tell(number)
    })
  })
  return { receive: (text) => next(async () => send(await rpc(text))), close: stop }
}

function subscriptionTo(kind: unknown, filter: unknown): Subscription {
  if (kind === 'newHeads') return { kind }
  if (kind === 'logs') return { kind, filter: readLogFilter((filter ?? {}) as object) }
  throw new MethodError(`no ${JSON.stringify(kind)} subscription in eth namespace`, -32601)
}

/** A block without what only its body says. */
function headerOf({ transactions: _, uncles, size, totalDifficulty, blockExtraData, ...header }: BlockJson): object {
  return header
}
