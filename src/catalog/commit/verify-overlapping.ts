import { CatalogError } from '../../errors.ts'
import { type Slice, type Stream, streamId } from '../../model.ts'
import type { Session } from '../session/session.ts'
import { type CoverageRow, overlappingRows, readCoverage } from './coverage.ts'

/** Slices of other streams that may hold the same rows. */
export type Overlapping = {
  /** Paths of such streams of the same network, whatever their parameters. */
  readonly paths: readonly string[]
  /** Their coverage when the run planned what to read. */
  readonly seen: readonly Pick<CoverageRow, 'stream' | 'table' | 'slice'>[]
}

/**
 * Refuses a slice if overlapping streams have covered more of it since it was planned: its rows may already be in the lake.
 *
 * @throws CatalogError `catalog.conflict`, retryable: plan again.
 */
export async function verifyOverlapping(
  session: Session,
  { stream, slice, tables }: { stream: Stream; slice: Slice; tables: readonly string[] },
  { paths, seen }: Overlapping,
): Promise<void> {
  for (const row of overlappingRows(await readCoverage(session), stream, paths)) {
    const [from, to] = [Math.max(row.slice.from, slice.from), Math.min(row.slice.to, slice.to)]
    if (!tables.includes(row.table) || from >= to) continue
    const isSeen = seen.some(
      (known) =>
        known.stream === row.stream && known.table === row.table && known.slice.from <= from && known.slice.to >= to,
    )
    if (isSeen) continue
    throw new CatalogError('Another stream with the same rows has covered the slice meanwhile.', {
      code: 'catalog.conflict',
      details: { stream: streamId(stream), other: row.stream, table: row.table, from, to },
      hint: 'Nothing was written. Start again: the run skips what is committed.',
      retryable: true,
    })
  }
}
