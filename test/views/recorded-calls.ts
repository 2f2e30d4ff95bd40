import { encodeCb58 } from '../../codec/ids.ts'
import { parseNodeJson, recordedLines } from '../recorded.ts'

export type Call = { readonly method: string; readonly params: any; readonly result: any }

/** Recorded calls of one API with their results, for example of `platform` or `avm`. */
export function recordedCalls(recording: string, api: string): Call[] {
  return recordedLines(`${recording}/calls`).flatMap((line) => {
    const { name, request, answer } = JSON.parse(line)
    if (!name.startsWith(`${api}.`) || request.body === undefined || answer.status !== 200) return []
    try {
      const { method, params } = JSON.parse(request.body)
      return [{ method, params, result: parseNodeJson(answer.body).result }]
    } catch {
      return []
    }
  })
}

/** `<transaction id>:<index>` of a UTXO in hex: codec version, transaction id, index. */
export function utxoName(hex: string): string {
  const bytes = Buffer.from(hex.slice(2), 'hex')
  return `${encodeCb58(bytes.subarray(2, 34))}:${bytes.readUInt32BE(34)}`
}
