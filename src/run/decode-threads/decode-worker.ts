import { parentPort } from 'node:worker_threads'
import { errorParts } from '../job/error-parts.ts'
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
    answer = { id, failure: errorParts(error) }
  }
  port.postMessage(answer)
})
