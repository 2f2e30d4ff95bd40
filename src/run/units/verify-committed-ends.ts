import type { Range, RangeSource } from '../../define/index.ts'
import { OtherSourceError } from '../../errors.ts'
import type { Slice, SliceEnds } from '../../model.ts'
import { recordAt } from './record-at.ts'

type CoveredSlice = { readonly slice: Slice; readonly ends: SliceEnds | null; readonly blockEnds: SliceEnds | null }
/** The id of a record in the lake, and that of the block in it; null where the lake has none. */
type Known = {
  readonly index: number
  /** The coordinate at which the slice ends in the direction of its inside. */
  readonly until: number
  readonly id: string | null
  readonly blockId: string | null
}

type VerifiedRange<R = any> = Pick<Range<R>, 'record' | 'what' | 'order' | 'linkOf' | 'outputs' | 'context'> &
  Partial<Pick<Range<R>, 'endpoint'>>

/**
 * Reads committed records again. Another id there means that another chain, or an index in another order, is behind the URL: this is refused
 * before anything is written. Where records name no parent and the order is the node's own, every end of a slice is read, otherwise the
 * first and the last one. Ends beyond the head of the node are skipped, because a node may be behind.
 */
export async function verifyCommittedEnds<R>(
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
  const first = source.begins?.().at ?? 0
  for (const known of new Map(chosen.map((end) => [end.index, end])).values()) {
    if (known.index < first) continue
    const record = await recordFrom(source, known, signal)
    if (record !== null) verifyRecord(walk, source, known, record)
  }
}

/** The record at an end of a slice: coordinates at the end may have none, such as null rounds. Null if the slice has none. */
async function recordFrom<R>(
  source: RangeSource<R>,
  { index, until }: Known,
  signal: AbortSignal | undefined,
): Promise<R | null> {
  const step = until < index ? -1 : 1
  for (let at = index; at !== until + step; at += step) {
    const record = await recordAt(source, at, signal)
    if (record !== null) return record
  }
  return null
}

/** Compares the id of a record with the one in the lake, or else the ids of their blocks. */
function verifyRecord<R>(walk: VerifiedRange<R>, source: RangeSource<R>, known: Known, record: R): void {
  const { index, id: knownId, blockId } = known
  const id = source.link?.(record).id ?? null
  if (knownId !== null && id !== null) {
    if (id !== knownId) throw otherSource(walk, index, knownId, id)
    return
  }
  if (blockId === null || walk.linkOf === null) return
  const block = walk.linkOf(walk.outputs[0].read(record, walk.context)).id
  if (block !== blockId) throw otherSource(walk, index, blockId, block)
}

function endsOf({ slice, ends, blockEnds }: CoveredSlice): Known[] {
  return [
    { index: slice.from, until: slice.to - 1, id: ends?.firstId ?? null, blockId: blockEnds?.firstId ?? null },
    { index: slice.to - 1, until: slice.from, id: ends?.lastId ?? null, blockId: blockEnds?.lastId ?? null },
  ]
}

function otherSource(walk: VerifiedRange, index: number, known: string, found: string): OtherSourceError {
  const { record, what, order, endpoint } = walk
  return new OtherSourceError(`${capitalised(what)} is not the source that the lake was written from.`, {
    details: {
      [`${record} ${record === 'container' ? 'index' : 'number'}`]: index,
      'in the lake': known,
      'at the node': found,
    },
    hint:
      order === 'node'
        ? `Each node has its own order of ${what}. Use the node that the lake was written from, or another --lake. Nothing was written.`
        : `Point ${(endpoint?.url ?? null) === null ? '--node-url' : 'the URL'} at a node of the same network and chain, or use another --lake. Nothing was written.`,
  })
}

function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
