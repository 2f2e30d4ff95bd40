import { type LocalServer, type Reply, startServer } from './fetch/local-server.ts'
import { recordedLines } from './recorded.ts'
import type { Call, Said } from './sources/evm-node.ts'

/** A recorded call about the state of an EVM chain (test/fixtures/README.md). */
export type StateCall = {
  readonly method: string
  readonly params: readonly any[]
  /** How the node was configured: `pruned`, or with APIs switched off. Undefined: an archive node. */
  readonly config?: string
  readonly result?: any
  readonly error?: { readonly code: number; readonly message: string; readonly data?: string }
}

const lines: readonly StateCall[] = recordedLines('evm/state').map((line) => JSON.parse(line) as StateCall)

/** The recorded calls of a method, in order. */
export function stateCalls(method: string, config?: string): StateCall[] {
  return lines.filter((line) => line.method === method && line.config === config)
}

/** The header of a recorded block by its number as hex text. */
export function recordedHeader(number: string): Readonly<Record<string, any>> {
  return stateCalls('eth_getBlockByNumber').find(({ params }) => params[0] === number)!.result
}

/** The accounts with recorded state at each of these blocks. */
export const recordedAccounts = [...new Set(stateCalls('eth_getCode').map(({ params }) => params[0] as string))]

/** Numbers of the blocks at which the state of every account was recorded. */
export const recordedBlocks = [...new Set(stateCalls('eth_getCode').map(({ params }) => Number(params[1])))]

export type StateNode = LocalServer & { requested(): readonly (readonly Call[])[] }

export type StateNodeOptions = {
  /** Replaces the recorded answer to a call. */
  readonly interfere?: (call: Call, recorded: Said) => Said | undefined
  /** Replaces the answer to a whole request. */
  readonly refuse?: (calls: readonly Call[]) => Reply | undefined
}

/** Serves the recorded calls of the archive node at any path. */
export async function startStateNode({ interfere, refuse }: StateNodeOptions = {}): Promise<StateNode> {
  const requested: Call[][] = []
  const known = new Map(lines.filter(({ config }) => config === undefined).map((line) => [keyOf(line), line] as const))
  const recorded = (call: Call): Said => {
    if (call.method === 'eth_chainId') return { result: '0xa868' }
    const line = known.get(keyOf(call))
    if (line === undefined) return { error: { code: -32000, message: `not recorded: ${keyOf(call)}` } }
    return line.error === undefined ? { result: line.result } : { error: line.error }
  }
  const answer = (call: Call): object => {
    const said = recorded(call)
    return { jsonrpc: '2.0', id: call.id, ...(interfere?.(call, said) ?? said) }
  }
  const server = await startServer(({ body }) => {
    const parsed = JSON.parse(body) as Call | Call[]
    const calls = Array.isArray(parsed) ? parsed : [parsed]
    requested.push(calls)
    return refuse?.(calls) ?? { body: JSON.stringify(Array.isArray(parsed) ? calls.map(answer) : answer(parsed)) }
  })
  return { ...server, requested: () => requested }
}

function keyOf({ method, params }: Pick<Call, 'method' | 'params'>): string {
  const [first, ...rest] = params
  const head = recordedBlocks.at(-1)!
  const tags = ['latest', 'finalized', 'safe']
  if (method === 'eth_getBlockByNumber' && tags.includes(first))
    return JSON.stringify([method, `0x${head.toString(16)}`, ...rest])
  return JSON.stringify([method, ...params])
}
