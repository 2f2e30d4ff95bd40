import { idText } from '../../../codec/cb58.ts'
import { txIdInBlock } from '../../../codec/ids.ts'
import { encodedBytes, jsonText } from '../../http/encoding.ts'
import type { RpcMethod } from '../../http/json-rpc.ts'
import { type Encoding, encodingOf, idOf, MethodError, type Parameters } from '../../http/parameters.ts'
import { zeroIdText } from '../../network/genesis.ts'
import type { Json } from '../json/transaction-json.ts'

/** A transaction on its own: its bytes with their codec version, and the node's JSON of it. */
export type FoundTx = { readonly bytes: Uint8Array; readonly json: () => { [name: string]: Json } }

/** The bytes of a transaction in a block, which have no codec version, as those of one on its own. */
export function alone(slice: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(slice.length + 2)
  bytes.set(slice, 2)
  return bytes
}

/** Ids of the transactions of a block, from the spans that its decoding gave, with their bytes. */
export function slicesOf(
  bytes: Uint8Array,
  spans: readonly number[],
): { readonly id: string; readonly slice: Uint8Array }[] {
  return Array.from({ length: spans.length / 2 }, (_, at) => {
    const slice = bytes.subarray(spans[2 * at]!, spans[2 * at + 1]!)
    return { id: idText(txIdInBlock(slice)), slice }
  })
}

/** The method that gives a transaction; `find` gives null where there is none, which `missing` puts into words. */
export function getTx(
  find: (id: string) => Promise<FoundTx | null>,
  { nil, missing }: { readonly nil: string; readonly missing: string },
): RpcMethod {
  return async (parameters) => {
    const id = idOf(parameters, 'txid')
    const encoding = encodingOf(parameters)
    if (id === zeroIdText && nil !== '') throw new MethodError(nil)
    const found = await find(id)
    if (found === null) throw new MethodError(missing)
    return [`{"tx":${textOf(found, id, encoding)},"encoding":"${encoding}"}`]
  }
}

/** An id of the X chain's and the atomic methods: the empty one is refused. */
export function givenId(parameters: Parameters): string {
  const id = idOf(parameters, 'txid')
  if (id === zeroIdText) throw new MethodError('nil transaction ID')
  return id
}

function textOf({ bytes, json }: FoundTx, id: string, encoding: Encoding): string {
  return encoding === 'json' ? jsonText({ ...json(), id }) : `"${encodedBytes(bytes, encoding)}"`
}
