import { parse, stringify } from 'lossless-json'
import { type Answer, jsonAnswer } from '../http/answer.ts'
import { rpcEndpoint } from '../http/json-rpc.ts'
import { MethodError } from '../http/parameters.ts'
import type { DevnetRequest } from '../http/request.ts'
import type { Route } from '../http/router.ts'
import { indexMethods } from '../index/methods.ts'
import { type ContainerStore, headOf, memoryStore } from '../index/store.ts'
import { storeUnder } from '../index/view.ts'
import { type Heads, healthRoutes } from '../node/health.ts'
import { infoMethods } from '../node/info.ts'
import { recordedBlockMethods, recordedEvmBlocks } from './blocks.ts'
import { hasCalls, replayCalls } from './calls.ts'
import { recordedFacts } from './facts.ts'

/**
 * The routes of a recorded node: the index API for its containers, blocks by height, and the recorded answer of every recorded call. Other
 * requests get an error with the reason.
 */
export async function replayRoutes(folder: string, stores: ReadonlyMap<string, ContainerStore>): Promise<Route[]> {
  const calls = replayCalls(folder)
  const facts = hasCalls(folder) ? null : await recordedFacts(stores)
  const empty = memoryStore([])
  const indexes = [...stores].map(([path, store]): Route => {
    const view = (request: DevnetRequest) => storeUnder(request.fault, store, async () => empty)
    return { path: `/ext/index/${path}`, handle: rpcEndpoint(indexMethods(view, 'node')) }
  })
  const notRecorded = (name: string) => () => {
    throw new MethodError(`not in this recording: ${name}`)
  }
  const blocksOf = (chain: 'P' | 'X' | undefined) => {
    const store = chain === undefined ? undefined : stores.get(`${chain}/block`)
    return chain === undefined || store === undefined ? {} : recordedBlockMethods(folder, chain, store)
  }
  const endpoint = (path: string, chain?: 'P' | 'X'): Route => ({
    path,
    handle: rpcEndpoint(blocksOf(chain), notRecorded),
  })
  const evmBlocks = recordedEvmBlocks(folder, () => stores.get('C/block')?.count() ?? 0)
  return [
    ...indexes,
    { path: null, handle: calls },
    endpoint('/ext/bc/P', 'P'),
    endpoint('/ext/bc/X', 'X'),
    { path: '/ext/bc/C/rpc', handle: (request) => answerEvm(request, evmBlocks) },
    endpoint('/ext/bc/C/avax'),
    endpoint('/ext/bc/C/admin'),
    { path: '/ext/info', handle: rpcEndpoint(facts === null ? {} : infoMethods(facts), notRecorded) },
    ...(facts === null ? [endpoint('/ext/health')] : healthRoutes(headsOf(stores))),
  ]
}

/** The last container of each chain of a recording. */
function headsOf(stores: ReadonlyMap<string, ContainerStore>): Heads {
  return async () => {
    const heads = await Promise.all(
      [...stores].map(async ([path, store]) => [path.slice(0, 1), await headOf(store, '')] as const),
    )
    return Object.fromEntries(heads)
  }
}

function answerEvm(request: DevnetRequest, blocks: ReturnType<typeof recordedEvmBlocks>): Answer | null {
  const body = request.body.toString('utf8')
  const calls = parse(body) as unknown
  const one = (call: unknown): string => {
    const { id, method, params } = (call ?? {}) as { id?: unknown; method?: unknown; params?: unknown }
    const idText = stringify(id ?? null) ?? 'null'
    const answer = blocks(String(method), Array.isArray(params) ? params : [], idText)
    if (answer !== null) return answer.body.map(String).join('').trim()
    const message = `not in this recording: ${String(method)}`
    return `{"jsonrpc":"2.0","id":${idText},"error":{"code":-32000,"message":${JSON.stringify(message)}}}`
  }
  return jsonAnswer(200, [Array.isArray(calls) ? `[${calls.map(one).join(',')}]\n` : `${one(calls)}\n`])
}
