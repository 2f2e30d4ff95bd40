import type { Filling, UnitSink } from './read-units.ts'
import type { ReadingProgress, UnitChunk } from './unit-message.ts'
import { newRows, type WritingRun } from './unit-rows.ts'

/** Receives the written chunks. */
type ChunkListener = {
  readonly chunk: (unit: Filling, chunk: UnitChunk) => Promise<void>
  readonly read: (progress: ReadingProgress) => void
}

/** Makes the files of units durable and passes them to the listener, which commits them. */
export function writingChunks(run: WritingRun, { chunk, read }: ChunkListener): UnitSink {
  return {
    read,
    rowsOf: (_, options, after) => newRows({ ...options, run }, after),
    async deliver(unit) {
      const [{ from, to, ends, blockEnds }] = unit.streamParts
      const parts = await unit.rows.finish()
      const rows = unit.rows.rows()
      await chunk(unit, { slice: { from, to }, ends, blockEnds, parts, rows, isDue: unit.isDue })
    },
  }
}
