import type { RecordLink } from '../../define/index.ts'
import { OtherSourceError } from '../../errors.ts'
import type { SliceEnds } from '../../model.ts'
import type { RangeReading } from './range-plan.ts'

/**
 * Adds a record to the chain of a slice. `ends` are the ends of the records so far; null before the first record, and where records have no
 * links. Throws `OtherSourceError` when the record does not follow the previous one.
 */
export function joinEnds<R>(ends: SliceEnds | null, record: R, { member }: RangeReading<R>): SliceEnds | null {
  const link = member.source.link?.(record)
  if (link === undefined) return ends
  const { parentId } = link
  if (ends !== null && parentId !== null && parentId !== ends.lastId)
    throw brokenChain(ends.lastId, member.source.at(record), link, member)
  return extend(ends, link)
}

/** The ends after one more record or block. */
export function extend(ends: SliceEnds | null, { id, parentId }: RecordLink): SliceEnds {
  return ends === null
    ? { firstId: id, firstParentId: parentId, lastId: id }
    : { firstId: ends.firstId, firstParentId: ends.firstParentId, lastId: id }
}

/** The error for a record that does not follow the previous one. */
export function brokenChain(
  lastId: string | null,
  at: number,
  { id, parentId }: RecordLink,
  { walk, stream }: Pick<RangeReading['member'], 'walk' | 'stream'>,
): OtherSourceError {
  const { record } = walk
  return new OtherSourceError(
    `${record.slice(0, 1).toUpperCase()}${record.slice(1)} ${at} of ${stream.path} does not follow the previous one.`,
    {
      details: { [record]: id, 'names as parent': parentId, 'before it': lastId },
      hint: 'The URL serves two chains, for example a load balancer over different nodes. Use the URL of one node. Nothing of this unit was written.',
    },
  )
}
