import { parentPort } from 'node:worker_threads'
import { containerPipelines } from '../../pipelines/index.ts'
import type { Decode } from '../define/index.ts'
import { DecodeError } from '../errors.ts'
import type { DecodeAnswer, DecodeRequest, PartName } from './decode-messages.ts'

/** A thread that decodes parts which cost too much for the main one. */
const port = parentPort
if (port === null) throw new Error('decode-worker.ts runs in a worker thread only.')

const loaded = new Map<string, Promise<Decode>>()

function decoderOf({ pipeline, option }: PartName): Promise<Decode> {
  const key = `${pipeline} ${option}`
  const part = containerPipelines.find(({ name }) => name === pipeline)?.options[option]
  if (part === undefined || !('loadDecode' in part)) throw new Error(`Nothing to decode in threads: ${key}.`)
  const decoder = loaded.get(key) ?? part.loadDecode()
  loaded.set(key, decoder)
  return decoder
}

port.on('message', async ({ id, part, containers, context }: DecodeRequest) => {
  let answer: DecodeAnswer
  try {
    const decode = await decoderOf(part)
    answer = { id, rows: containers.map((container) => decode(container, context)) }
  } catch (error) {
    // Anything else is a mistake in the program: it ends the thread.
    if (!(error instanceof DecodeError)) throw error
    const { message, code, details, hint } = error
    answer = { id, failure: { message, code, details, hint } }
  }
  port.postMessage(answer)
})
