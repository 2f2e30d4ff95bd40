import { encodedBytes, jsonText } from '../../http/encoding.ts'
import type { RpcMethod } from '../../http/json-rpc.ts'
import { encodingOf, idOf, MethodError, type Parameters, uint64Of } from '../../http/parameters.ts'
import type { Json } from '../json/transaction-json.ts'
import type { BlocksView } from './view.ts'

type BlockMethods = Readonly<Record<'getHeight' | 'getBlock' | 'getBlockByHeight', RpcMethod>>

/**
 * The methods that return blocks, the same on the P-Chain and the X-Chain (specification 4.1, 4.3). `json` formats a block for `encoding:
 * json`.
 */
export function blockMethods(view: BlocksView, json: (bytes: Uint8Array) => Json): BlockMethods {
  const answer = (parameters: Parameters, bytes: Uint8Array): string[] => {
    const encoding = encodingOf(parameters)
    const block = encoding === 'json' ? jsonText(json(bytes)) : `"${encodedBytes(bytes, encoding)}"`
    return [`{"block":${block},"encoding":"${encoding}"}`]
  }
  return {
    getHeight: async (_, request) => [`{"height":"${(await view(request)).height()}"}`],
    getBlock: async (parameters, request) => {
      const id = idOf(parameters, 'blockid')
      encodingOf(parameters)
      const block = await (await view(request)).withId(id)
      if (block === null) throw new MethodError(`couldn't get block with id ${id}: not found`)
      return answer(parameters, block)
    },
    getBlockByHeight: async (parameters, request) => {
      const height = uint64Of(parameters, 'height')
      encodingOf(parameters)
      const block = await (await view(request)).at(height)
      if (block === null) throw new MethodError(`couldn't get block at height ${height}: not found`)
      return answer(parameters, block)
    },
  }
}
