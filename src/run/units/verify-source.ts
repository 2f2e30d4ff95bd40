import type { Range, RangeSource } from '../../define/index.ts'
import { OtherSourceError } from '../../errors.ts'
import type { Slice, SliceEnds } from '../../model.ts'
import { recordAt } from './record-at.ts'
import { numberAt } from './record-name.ts'

type CoveredSlice = { readonly slice: Slice; readonly ends: SliceEnds | null; readonly blockEnds: SliceEnds | null }
/** What the lake says of a record: its id, and that of the block in it; null where it does not say. */
type Known = { readonly index: number; readonly id: string | null; readonly blockId: string | null }

type VerifiedRange<R = any> = Pick<
  Range<R>,
  'record' | 'byHeight' | 'what' | 'order' | 'linkOf' | 'outputs' | 'context'
> &
  Partial<Pick<Range<R>, 'place'>>

/**
 * Reads committed records again: another id there means another chain, or an index in another order, behind the URL;
 * it is refused before anything is written. Where records name no parent and their order is the node's own, every
 * end of a slice is read, else the first and the last one. Ends that lie beyond the head of the node are left out: a
 * node may be behind.
 */
export async function verifySource<R>(
  walk: VerifiedRange<R>,
  source: RangeSource<R>,
  covered: readonly CoveredSlice[],
  head: number,
  signal?: AbortSignal,
): Promise<void> {
  const comparable = ({ index, id, blockId }: Known): boolean =>
    index <= head && ((id !== null && source.link !== undefined) || (blockId !== null && walk.linkOf !== null))
  const readable = covered
    .flatMap(endsOf)
    .filter(comparable)
    .sort((a, b) => a.index - b.index)
  const chosen = walk.order === 'node' ? readable : [...readable.slice(0, 1), ...readable.slice(-1)]
  const first = source.begins?.()?.at ?? 0
  for (const [index, known] of new Map(chosen.map((end) => [end.index, end]))) {
    if (first > 0 && known.id !== null && (await source.formerlyAt?.(index, signal)) === known.id)
      throw misplacedLake(walk, index, first)
    if (index < first) continue
    const record = await recordAt(source, index, signal)
    const id = source.link?.(record).id ?? null
    if (known.id !== null && id !== null) {
      if (id !== known.id) throw otherSource(walk, index, known.id, id)
    } else if (known.blockId !== null && walk.linkOf !== null) {
      const block = walk.linkOf(walk.outputs[0].read(record, walk.context)).id
      if (block !== known.blockId) throw otherSource(walk, index, known.blockId, block)
    }
  }
}

function endsOf({ slice, ends, blockEnds }: CoveredSlice): Known[] {
  return [
    { index: slice.from, id: ends?.firstId ?? null, blockId: blockEnds?.firstId ?? null },
    { index: slice.to - 1, id: ends?.lastId ?? null, blockId: blockEnds?.lastId ?? null },
  ]
}

function otherSource(walk: VerifiedRange, index: number, known: string, found: string): OtherSourceError {
  const { record, what, order, place } = walk
  return new OtherSourceError(`${capitalised(what)} is not the one that the lake was written from.`, {
    details: {
      [walk.byHeight === true ? 'height' : `${record} ${record === 'container' ? 'index' : 'number'}`]: numberAt(
        walk,
        index,
      ),
      'in the lake': known,
      'at the node': found,
    },
    hint:
      order === 'node'
        ? `The order of ${what} is each node's own: go on with the node that the lake was written from, or give another --lake. Nothing was written.`
        : `Point ${(place?.url ?? null) === null ? '--node-url' : 'the URL'} at a node of the same network and chain, or give another --lake. Nothing was written.`,
  })
}

/** Versions before this one stored what an incomplete index has from coordinate 0 on. */
function misplacedLake({ what }: VerifiedRange, index: number, first: number): OtherSourceError {
  return new OtherSourceError(
    `The lake was written by an earlier version from ${what}, which is incomplete: its rows are at the wrong coordinates.`,
    {
      code: 'catalog.misplaced-index',
      details: {
        'container index in the lake': index,
        'its height': index + first + 1,
        'first height of the index': first + 1,
      },
      hint: 'Run `chainlake repair --stream` with this stream, such as P/block, and then this job again; or give another --lake. Nothing was written.',
    },
  )
}

function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
