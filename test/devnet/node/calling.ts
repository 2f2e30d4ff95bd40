import { parse } from 'lossless-json'
import { request } from 'undici'
import type { Handler } from '../../../devnet/http/router.ts'
import { type RecordedCall, recordedCalls } from '../../../devnet/replay/recording.ts'
import type { Devnet } from '../../../devnet/serve.ts'
import { recordingFolder } from '../../recorded.ts'

/** The response of a handler to the body of a POST request, as text. */
export async function answerTo(handle: Handler, body: string): Promise<string> {
  const answer = await handle({
    method: 'POST',
    path: '/',
    query: new URLSearchParams(),
    url: '/',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(body),
    fault: null,
  })
  return Buffer.concat(answer!.body.map((piece) => Buffer.from(piece))).toString('utf8')
}

/** Recorded calls of a method with status 200, without the transport tests. */
export function recordedOf(recording: string, method: RegExp): RecordedCall[] {
  return recordedCalls(recordingFolder(recording)).filter(({ request: requested, answer }) => {
    const said = /^\{.*"method":"([^"]*)"/.exec(requested.body ?? '')
    return said !== null && method.test(said[1]!) && answer!.status === 200
  })
}

export type Reply = { readonly result?: any; readonly error?: { readonly code: bigint; readonly message: string } }

/** Calls a method of a network. Integers in the answer are bigints. */
export async function callNode(devnet: Devnet, path: string, method: string, params: unknown = {}): Promise<Reply> {
  const answer = await request(`${devnet.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return parseAnswer(await answer.body.text()) as Reply
}

/** Parses JSON with every integer as a bigint. Other numbers stay unchanged. */
export function parseAnswer(text: string): any {
  return parse(text, undefined, (number) => (/^-?\d+$/.test(number) ? BigInt(number) : Number(number)))
}

/** The result of a call that must succeed. */
export async function resultOf(devnet: Devnet, path: string, method: string, params: unknown = {}): Promise<any> {
  const { result, error } = await callNode(devnet, path, method, params)
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result
}
