import type { Connection } from '../define/connection.ts'
import { DecodeError, RpcError } from '../errors.ts'
import { callRpc } from '../fetch/json-rpc.ts'
import { parseExactJson } from '../lib/text/json.ts'
import { blockCall, hex, isObject } from './evm-answers.ts'
import { createEvmCalls } from './evm-calls.ts'
import { networkName, networkOfCChain } from './known-networks.ts'

/** Identifies an EVM chain, whatever its URL. */
type EvmChain = {
  readonly chainId: bigint
  /** Hash of block 0, `0x` and lower-case hex; null if the node does not have it. */
  readonly genesisHash: string | null
}

/** Identifies the chain that the path serves (eth_chainId, block 0). Throws `DecodeError` for unusable answers. */
export async function identifyEvmChain(connection: Connection, route: string, signal?: AbortSignal): Promise<EvmChain> {
  const options = { parse: parseExactJson, ...(signal === undefined ? {} : { signal }) }
  const chainId = await callRpc(connection, route, 'eth_chainId', [], options)
  if (typeof chainId !== 'string' || !/^0x[0-9a-f]+$/i.test(chainId)) throw unusable('eth_chainId', 'not a quantity')
  return { chainId: BigInt(chainId), genesisHash: await readBlockHash(connection, route, 0, signal) }
}

/** The hash of a block, `0x` and lower-case hex; null if the node does not have the block. */
export async function readBlockHash(
  connection: Connection,
  route: string,
  number: number,
  signal?: AbortSignal,
): Promise<string | null> {
  const { outcomes } = await createEvmCalls(connection, route).ask([blockCall(hex(number), false)], { signal })
  const [outcome] = outcomes
  if (outcome === undefined || 'error' in outcome) {
    // Nodes say in many words and codes that they have pruned a block, or do not have it yet.
    if (outcome?.error instanceof RpcError && !outcome.error.retryable) return null
    throw outcome?.error ?? unusable('eth_getBlockByNumber', 'empty')
  }
  if (outcome.result === null) return null
  const hash = isObject(outcome.result) ? outcome.result['hash'] : null
  if (typeof hash === 'string' && /^0x[0-9a-f]{64}$/i.test(hash)) return hash.toLowerCase()
  throw unusable('eth_getBlockByNumber', 'not a block with a hash')
}

/** Value of the column `network` for a chain that is only known by its RPC: the C-Chains of known networks have theirs. */
export function evmNetworkName(chainId: bigint): string {
  const networkId = networkOfCChain(chainId)
  return networkId === null ? `evm-${chainId}` : networkName(networkId)
}

function unusable(method: string, what: string): DecodeError {
  return new DecodeError(`The answer to ${method} is ${what}.`, {
    code: 'decode.field',
    details: { method },
    hint: 'Check that the URL is the JSON-RPC of an EVM chain, such as http://127.0.0.1:9650/ext/bc/C/rpc.',
  })
}
