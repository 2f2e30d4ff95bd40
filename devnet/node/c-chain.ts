import { jsonAnswer, textAnswer } from '../http/answer.ts'
import { contentType } from '../http/request.ts'
import type { Handler } from '../http/router.ts'
import type { EvmRpc } from './evm/rpc.ts'

/** Answers `/ext/bc/C/rpc` over HTTP: single calls and batches. */
export function cChainHandler(rpc: EvmRpc): Handler {
  return async (request) => {
    const { method, body } = request
    if (method !== 'POST') return textAnswer(method === 'GET' ? 200 : 405, '')
    const type = (contentType(request).split(';')[0] ?? '').trim().toLowerCase()
    if (type !== '' && type !== 'application/json')
      return textAnswer(415, 'invalid content type, only application/json is supported\n')
    return jsonAnswer(200, [`${await rpc(body.toString('utf8'))}\n`])
  }
}
