import { parse, stringify } from 'lossless-json'
import { evmChainId } from '../c/state.ts'
import { jsonAnswer, textAnswer } from '../http/answer.ts'
import type { Handler } from '../http/router.ts'
import type { ContainerStore } from '../index/store.ts'

/** What `/ext/bc/C/rpc` answers: which chain it is and how far. Other methods of the EVM are not simulated. */
export function cChainRpc(blocks: ContainerStore): Handler {
  const results: Readonly<Record<string, () => string>> = {
    eth_blockNumber: () => `"0x${blocks.count().toString(16)}"`,
    eth_chainId: () => `"0x${evmChainId.toString(16)}"`,
    net_version: () => `"${evmChainId}"`,
  }
  const one = (call: unknown): string => {
    const { id = null, method } = (call ?? {}) as { id?: unknown; method?: unknown }
    const head = `{"jsonrpc":"2.0","id":${stringify(id) ?? 'null'}`
    const result = results[String(method)]
    if (result !== undefined) return `${head},"result":${result()}}`
    const message = `the method ${String(method)} does not exist/is not available`
    return `${head},"error":{"code":-32601,"message":${JSON.stringify(message)}}}`
  }
  return ({ method, body }) => {
    if (method !== 'POST') return textAnswer(method === 'GET' ? 200 : 405, '')
    const calls = parseOrNull(body.toString('utf8'))
    if (calls === null) {
      return jsonAnswer(200, ['{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}\n'])
    }
    return jsonAnswer(200, [Array.isArray(calls) ? `[${calls.map(one).join(',')}]\n` : `${one(calls)}\n`])
  }
}

function parseOrNull(text: string): unknown {
  try {
    return parse(text)
  } catch {
    return null
  }
}
