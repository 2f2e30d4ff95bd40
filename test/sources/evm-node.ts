import type { Answers } from '../decode/evm/rpc-facts.ts'
import { type LocalServer, type Reply, startServer } from '../fetch/local-server.ts'

export type Call = { readonly id: number; readonly method: string; readonly params: readonly any[] }
export type Said =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }

export type EvmNode = LocalServer & {
  /** The received calls, one list per request. */
  requested(): readonly (readonly Call[])[]
}

/** A block with the answer of debug_traceBlockByNumber, if the node traces it. */
export type NodeBlock = Answers & { readonly traces?: readonly { readonly txHash: string; readonly result: unknown }[] }

export type EvmNodeOptions = {
  /** Replaces the honest answer to a call; `count` is the number of earlier calls with this method and parameters. */
  readonly interfere?: (call: Call, honest: Said, count: number) => Said | undefined
  /** Replaces the answer to a whole request. */
  readonly refuse?: (calls: readonly Call[], isBatch: boolean) => Reply | undefined
}

const missing = (method: string): Said => ({
  error: { code: -32601, message: `the method ${method} does not exist/is not available` },
})

const refused = (message: string): Said => ({ error: { code: -32000, message } })

/** Serves the JSON-RPC of an EVM chain with these blocks at any path. It answers batches in reverse order. */
export async function startEvmNode(chain: readonly NodeBlock[], options: EvmNodeOptions = {}): Promise<EvmNode> {
  const { interfere, refuse } = options
  const requested: Call[][] = []
  const counts = new Map<string, number>()
  const byNumber = new Map(chain.map((each) => [each.block.number as string, each]))
  const receipts = new Map(chain.flatMap((each) => each.receipts.map((receipt) => [receipt.transactionHash, receipt])))
  const traces = new Map(chain.flatMap((each) => (each.traces ?? []).map(({ txHash, result }) => [txHash, result])))
  const last = chain.at(-1)!.block.number as string
  const find = (tag: string) => byNumber.get(tag === 'latest' || tag === 'finalized' ? last : tag)

  const logs = chain.flatMap((each) => each.receipts.flatMap((receipt) => receipt.logs as any[]))
  /** Like a Helicon node, returns no logs beyond the head and no error. */
  const logsOf = ({ blockHash, fromBlock, toBlock, address, topics = [] }: any) =>
    logs.filter(
      (log) =>
        (blockHash === undefined
          ? Number(log.blockNumber) >= Number(fromBlock) && Number(log.blockNumber) <= Number(toBlock)
          : log.blockHash === blockHash) &&
        (address === undefined || address.includes(log.address)) &&
        topics.every((choices: string[] | null, at: number) => choices === null || choices.includes(log.topics[at])),
    )

  const blockOf = (tag: string, whole: boolean) => {
    const block = find(tag)?.block ?? null
    return whole || block === null ? block : { ...block, transactions: block.transactions.map(({ hash }: any) => hash) }
  }

  const honest = ({ method, params: [first, second] }: Call): Said => {
    switch (method) {
      case 'eth_chainId':
        return { result: '0xa868' }
      case 'eth_getBlockByNumber':
        return { result: blockOf(first, second) }
      case 'eth_getLogs':
        return { result: logsOf(first) }
      case 'eth_getBlockReceipts':
        return { result: find(first)?.receipts ?? null }
      case 'eth_getTransactionReceipt':
        return { result: receipts.get(first) ?? null }
      case 'debug_traceBlockByNumber':
        if (Number(first) === 0) return refused('genesis is not traceable')
        return find(first)?.traces === undefined ? missing(method) : { result: find(first)!.traces }
      case 'debug_traceTransaction':
        return traces.has(first) ? { result: traces.get(first) } : refused('transaction not found')
      default:
        return missing(method)
    }
  }
  const answer = (call: Call): object => {
    const key = `${call.method} ${JSON.stringify(call.params)}`
    const count = counts.get(key) ?? 0
    counts.set(key, count + 1)
    const said = honest(call)
    return { jsonrpc: '2.0', id: call.id, ...(interfere?.(call, said, count) ?? said) }
  }
  const server = await startServer(({ body }) => {
    if (body === '') return { status: 405 }
    const parsed = JSON.parse(body) as Call | Call[]
    const calls = Array.isArray(parsed) ? parsed : [parsed]
    requested.push(calls)
    const refusal = refuse?.(calls, Array.isArray(parsed))
    if (refusal !== undefined) return refusal
    return { body: JSON.stringify(Array.isArray(parsed) ? calls.map(answer).reverse() : answer(parsed)) }
  })
  return { ...server, requested: () => requested }
}

/** Answers calls of a method like a node that does not have the method. */
export function without(method: string) {
  return (call: Call): Said | undefined => (call.method === method ? missing(method) : undefined)
}
