import type { SliceEnds } from '../../model.ts'
import { brokenBlocks } from './block-links.ts'
import type { RangeMember } from './range-plan.ts'
import { brokenChain } from './slice-ends.ts'
import type { UnitChunk } from './unit-message.ts'

type Ends = Pick<UnitChunk, 'slice' | 'ends' | 'blockEnds'>

/** Compares the ends of adjacent units that were read separately. Within a unit, records are compared while they are read. */
type UnitJoins = {
  /** Throws `OtherSourceError` or `DecodeError` when adjacent units do not join. */
  readonly add: (chunk: Ends) => void
}

export function createUnitJoins(member: Pick<RangeMember, 'walk' | 'stream'>): UnitJoins {
  /** Ends by the coordinates where they begin, and where they end. */
  const [starts, stops] = [new Map<number, Ends>(), new Map<number, Ends>()]

  const compare = (before: Ends | undefined, after: Ends | undefined): void => {
    if (before === undefined || after === undefined) return
    const at = after.slice.from
    const [lastId, link] = meeting(before.ends, after.ends)
    if (lastId !== null && link !== null && link.parentId !== lastId) throw brokenChain(lastId, at, link, member)
    const [lastBlock, block] = meeting(before.blockEnds, after.blockEnds)
    if (lastBlock !== null && block !== null && block.parentId !== lastBlock) throw brokenBlocks(at, block, lastBlock)
  }
  return {
    add({ slice, ends, blockEnds }) {
      const chunk = { slice, ends, blockEnds }
      compare(stops.get(slice.from), chunk)
      compare(chunk, starts.get(slice.to))
      // Only unjoined ends are needed later.
      if (!stops.delete(slice.from)) starts.set(slice.from, chunk)
      if (!starts.delete(slice.to)) stops.set(slice.to, chunk)
    },
  }
}

type Link = { readonly id: string; readonly parentId: string }

/** The last id before, and the first record after; null where they are unknown. */
function meeting(before: SliceEnds | null, after: SliceEnds | null): [string | null, Link | null] {
  const { firstId, firstParentId: parentId } = after ?? { firstId: null, firstParentId: null }
  return [before?.lastId ?? null, firstId === null || parentId === null ? null : { id: firstId, parentId }]
}
