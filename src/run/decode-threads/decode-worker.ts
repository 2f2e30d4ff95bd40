import { parentPort } from 'node:worker_threads'
import { DecodeError } from '../../errors.ts'
import { createDecoders } from './decode-here.ts'
import type { DecodeAnswer, DecodeRequest } from './decode-messages.ts'

/** A thread that decodes outputs that are too expensive for the main thread. */
const port = parentPort
if (port === null) throw new Error('decode-worker.ts runs in a worker thread only.')

const decoderOf = createDecoders()

port.on('message', async ({ id, output, records, context }: DecodeRequest) => {
  let answer: DecodeAnswer
  try {
    const decode = await decoderOf(output)
    answer = { id, rows: records.map((record) => decode(record, context)) }
  } catch (error) {
    // Any other error is a bug and ends the thread.
    if (!(error instanceof DecodeError)) throw error
    const { message, code, details, hint } = error
    answer = { id, failure: { message, code, details, hint } }
  }
  port.postMessage(answer)
})
