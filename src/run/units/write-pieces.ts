import type { Filling, UnitSink } from './read-units.ts'
import type { ReadingProgress, UnitPiece } from './unit-message.ts'
import { newRows, type WritingRun } from './unit-rows.ts'

/** Receives the written pieces. */
export type PieceListener = {
  readonly piece: (unit: Filling, piece: UnitPiece) => Promise<void>
  readonly read: (progress: ReadingProgress) => void
}

/** Makes the files of units durable and passes them to the listener, which commits them. */
export function writingPieces(run: WritingRun, { piece, read }: PieceListener): UnitSink {
  return {
    read,
    rowsOf: (_, options, after) => newRows({ ...options, run }, after),
    async deliver(unit) {
      const [{ from, to, ends, blockEnds }] = unit.shares
      const parts = await unit.rows.finish()
      const rows = unit.rows.rows()
      await piece(unit, { slice: { from, to }, ends, blockEnds, parts, rows, isDue: unit.isDue })
    },
  }
}
