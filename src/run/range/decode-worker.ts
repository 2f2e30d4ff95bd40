import { parentPort } from 'node:worker_threads'
import { pipelines } from '../../../pipelines/index.ts'
import type { ReadRecord } from '../../define/index.ts'
import { DecodeError } from '../../errors.ts'
import type { DecodeAnswer, DecodeRequest, OutputName } from './decode-messages.ts'

/** A thread that reads outputs which cost too much for the main one. */
const port = parentPort
if (port === null) throw new Error('decode-worker.ts runs in a worker thread only.')

const loaded = new Map<string, Promise<ReadRecord<any>>>()

function decoderOf({ pipeline, thread }: OutputName): Promise<ReadRecord<any>> {
  const key = `${pipeline} ${thread}`
  const load = pipelines.find(({ name }) => name === pipeline)?.threads[thread]
  if (load === undefined) throw new Error(`Nothing to decode in threads: ${key}.`)
  const decoder = loaded.get(key) ?? load()
  loaded.set(key, decoder)
  return decoder
}

port.on('message', async ({ id, output, records, context }: DecodeRequest) => {
  let answer: DecodeAnswer
  try {
    const decode = await decoderOf(output)
    answer = { id, rows: records.map((record) => decode(record, context)) }
  } catch (error) {
    // Anything else is a mistake in the program: it ends the thread.
    if (!(error instanceof DecodeError)) throw error
    const { message, code, details, hint } = error
    answer = { id, failure: { message, code, details, hint } }
  }
  port.postMessage(answer)
})
