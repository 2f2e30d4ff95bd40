import type { ReadRecord, RowsOf, Tables } from '../../define/index.ts'
import { findPipeline } from '../../pipeline-modules/find-pipeline.ts'
import type { OutputName } from './decode-messages.ts'
import type { DecodeThreads } from './decode-threads.ts'

/** Finds the decoder of an output by its name, and loads it once. */
export function createDecoders(): (output: OutputName) => Promise<ReadRecord<any>> {
  const loaded = new Map<string, Promise<ReadRecord<any>>>()
  return (output) => {
    const key = JSON.stringify(output)
    const decoder = loaded.get(key) ?? loadDecoder(output)
    loaded.set(key, decoder)
    return decoder
  }
}

async function loadDecoder({ thread, ...name }: OutputName): Promise<ReadRecord<any>> {
  const load = (await findPipeline(name)).threads[thread]
  if (load === undefined) throw new Error(`The pipeline has no decoder of this name: ${name.pipeline} ${thread}.`)
  return load()
}

/** Records to decode before other work gets a turn, such as reading responses. */
const recordsAtOnce = 32

/** Decodes in the calling thread: for one of several threads that already keep all processors busy. */
export function decodeHere(): DecodeThreads {
  const decoderOf = createDecoders()
  return {
    async decode(output, records, context) {
      const decode = await decoderOf(output)
      const rows: RowsOf<Tables>[] = []
      for (const record of records) {
        rows.push(decode(record, context))
        if (rows.length % recordsAtOnce === 0) await new Promise((resolve) => setImmediate(resolve))
      }
      return rows
    },
    close: async () => undefined,
  }
}
