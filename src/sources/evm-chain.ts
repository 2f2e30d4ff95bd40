import type { Connection } from '../define/connection.ts'
import { DecodeError, TransportError } from '../errors.ts'
import { callRpc } from '../fetch/json-rpc.ts'
import { parseExactJson } from '../lib/text/json.ts'

/** Identifies an EVM chain, whatever its URL. */
export type EvmChain = {
  readonly chainId: bigint
  /** Hash of block 0, `0x` and lower-case hex. */
  readonly genesisHash: string
}

/** Identifies the chain that the path serves (eth_chainId, block 0). Throws `DecodeError` for unusable answers. */
export async function identifyEvmChain(connection: Connection, route: string, signal?: AbortSignal): Promise<EvmChain> {
  const options = { parse: parseExactJson, ...(signal === undefined ? {} : { signal }) }
  const chainId = await callRpc(connection, route, 'eth_chainId', [], options)
  if (typeof chainId !== 'string' || !/^0x[0-9a-f]+$/i.test(chainId)) throw unusable('eth_chainId', 'not a quantity')
  const genesis = await callRpc(connection, route, 'eth_getBlockByNumber', ['0x0', false], options)
  if (genesis === null)
    throw new TransportError('The node has no block 0. Its hash identifies the chain.', {
      code: 'evm.no-genesis',
      details: { 'chain id': BigInt(chainId).toString() },
      hint: 'Use a node that has the whole chain: this one seems to have pruned old blocks, or it is not ready yet.',
    })
  const hash = typeof genesis === 'object' && 'hash' in genesis ? genesis.hash : null
  if (typeof hash !== 'string' || !/^0x[0-9a-f]{64}$/i.test(hash))
    throw unusable('eth_getBlockByNumber', 'not a block with a hash')
  return { chainId: BigInt(chainId), genesisHash: hash.toLowerCase() }
}

const names: ReadonlyMap<bigint, string> = new Map([
  [43_114n, 'mainnet'],
  [43_113n, 'fuji'],
])

/** Value of the column `network` for a chain that is only known by its RPC. */
export function evmNetworkName(chainId: bigint): string {
  return names.get(chainId) ?? `evm-${chainId}`
}

function unusable(method: string, what: string): DecodeError {
  return new DecodeError(`The answer to ${method} is ${what}.`, {
    code: 'decode.field',
    details: { method },
    hint: 'Check that the URL is the JSON-RPC of an EVM chain, such as http://127.0.0.1:9650/ext/bc/C/rpc.',
  })
}
