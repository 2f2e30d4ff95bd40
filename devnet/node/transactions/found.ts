import { idText, txIdInBlock } from '../../../codec/ids.ts'
import { encodedBytes, jsonText } from '../../http/encoding.ts'
import type { RpcMethod } from '../../http/json-rpc.ts'
import { type Encoding, encodingOf, idOf, MethodError, type Parameters } from '../../http/parameters.ts'
import { zeroIdText } from '../../network/genesis.ts'
import type { Json } from '../json/transaction-json.ts'

/** A transaction outside of its block: its bytes with their codec version, and the node's JSON of it. */
export type FoundTx = { readonly bytes: Uint8Array; readonly json: () => { [name: string]: Json } }

/** Converts the bytes of a transaction in a block, which have no codec version, to the form with a codec version. */
export function alone(slice: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(slice.length + 2)
  bytes.set(slice, 2)
  return bytes
}

/** Ids and bytes of the transactions of a block, from the spans that the decoder returned. */
export function slicesOf(
  bytes: Uint8Array,
  spans: readonly number[],
): { readonly id: string; readonly slice: Uint8Array }[] {
  return Array.from({ length: spans.length / 2 }, (_, at) => {
    const slice = bytes.subarray(spans[2 * at]!, spans[2 * at + 1]!)
    return { id: idText(txIdInBlock(slice)), slice }
  })
}

/** Creates the method that returns a transaction. If `find` returns null, the error text is `missing`. */
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

/** The id argument of X-Chain and atomic methods. The empty id is refused. */
export function givenId(parameters: Parameters): string {
  const id = idOf(parameters, 'txid')
  if (id === zeroIdText) throw new MethodError('nil transaction ID')
  return id
}

function textOf({ bytes, json }: FoundTx, id: string, encoding: Encoding): string {
  return encoding === 'json' ? jsonText({ ...json(), id }) : `"${encodedBytes(bytes, encoding)}"`
}
