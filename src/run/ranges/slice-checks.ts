import type { BlockLink, Range, RangeSource, RecordLink, RowsOf, Tables } from '../../define/index.ts'
import { DecodeError, OtherSourceError } from '../../errors.ts'
import type { Slice, SliceEnds } from '../../model.ts'
import type { RangeMember } from '../rows/lake-run.ts'

type CoveredEnds = { readonly slice: Slice; readonly ends: SliceEnds | null; readonly blockEnds: SliceEnds | null }
/** The id of a record in the lake, and that of the block in it; null where the lake has none. */
type Known = {
  readonly index: number
  /** The coordinate at which the slice ends in the direction of its inside. */
  readonly until: number
  readonly id: string | null
  readonly blockId: string | null
}

/**
 * Reads committed records again. Another id there means that another chain, or an index in another order, is behind the URL: this is refused
 * before anything is written. Where records name no parent and the order is the node's own, every end of a slice is read, otherwise the
 * first and the last one. Ends beyond the head of the node are skipped, because a node may be behind.
 */
export async function verifyCommittedEnds<R>(
  member: RangeMember<R>,
  covered: readonly CoveredEnds[],
  head: number,
  signal?: AbortSignal,
): Promise<void> {
  const { walk, source } = member
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
    if (record !== null) verifyRecord(member, known, record)
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
function verifyRecord<R>({ walk, source }: RangeMember<R>, known: Known, record: R): void {
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

function endsOf({ slice, ends, blockEnds }: CoveredEnds): Known[] {
  return [
    { index: slice.from, until: slice.to - 1, id: ends?.firstId ?? null, blockId: blockEnds?.firstId ?? null },
    { index: slice.to - 1, until: slice.from, id: ends?.lastId ?? null, blockId: blockEnds?.lastId ?? null },
  ]
}

function otherSource(walk: RangeMember['walk'], index: number, known: string, found: string): OtherSourceError {
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

/** One record of a source, null if the coordinate has none: with its own request where the source has one, otherwise as a window. */
export async function recordAt<R>(
  source: Pick<RangeSource<R>, 'one' | 'window'>,
  index: number,
  signal?: AbortSignal,
): Promise<R | null> {
  if (source.one !== undefined) return source.one(index, signal)
  const [record] = await source.window(index, index + 1, signal)
  return record ?? null
}

export type BlockLinks = ReturnType<typeof createBlockLinks>

/**
 * Checks that each block names the one before it by the id that was derived from its bytes. Containers also have parents, and their ids depend on all of their bytes. The blocks on both sides of a commit are therefore compared only
 * once, when the later one is decoded. When an earlier slice is filled in later, the catalog compares the containers.
 */
export function createBlockLinks<R>(
  walk: Pick<Range<R>, 'linkOf' | 'outputs' | 'context'>,
  source: Pick<RangeSource<R>, 'window' | 'at' | 'begins'>,
) {
  const { linkOf, outputs, context } = walk
  let last: { index: number; link: BlockLink } | null = null
  return {
    /** Prepares for the block at `index`: reads the previous block from the source unless it was the last one seen. */
    async startAt(index: number, signal: AbortSignal): Promise<void> {
      if (linkOf === null || index === (source.begins?.().at ?? 0) || last?.index === index - 1) return
      const [before] = await source.window(index - 1, index, signal)
      last = { index: index - 1, link: linkOf(outputs[0].read(before!, context)) }
    },
    /**
     * Takes the rows of the next record and returns the link of its block; null where blocks have no links. Throws `DecodeError` when the block
     * does not follow the last one.
     */
    follow(record: R, rows: RowsOf<Tables>): BlockLink | null {
      if (linkOf === null) return null
      const link = linkOf(rows)
      const index = source.at(record)
      if (last !== null && last.index === index - 1 && link.parentId !== last.link.id)
        throw brokenBlocks(index, link, last.link.id)
      last = { index, link }
      return link
    },
  }
}

function brokenBlocks(at: number, { id, parentId }: BlockLink, before: string): DecodeError {
  return new DecodeError(`Block ${at} does not name the previous block as its parent.`, {
    code: 'decode.block-parent',
    details: { block: id, 'names as parent': parentId, 'before it': before },
    hint: 'The bytes of one of the two blocks are damaged. Compare with another node. Nothing of this unit was written.',
  })
}

/** The ends of a slice with one more record. Throws `OtherSourceError` when it does not follow the previous one. */
export function joinEnds<R>(ends: SliceEnds | null, record: R, member: RangeMember<R>): SliceEnds | null {
  const link = member.source.link?.(record)
  if (link === undefined) return ends
  const { parentId } = link
  if (ends !== null && parentId !== null && parentId !== ends.lastId)
    throw brokenChain(ends.lastId, record, link, member)
  return extend(ends, link)
}

/** The ends after one more record or block. */
export function extend(ends: SliceEnds | null, { id, parentId }: RecordLink): SliceEnds {
  return ends === null
    ? { firstId: id, firstParentId: parentId, lastId: id }
    : { firstId: ends.firstId, firstParentId: ends.firstParentId, lastId: id }
}

function brokenChain<R>(
  lastId: string | null,
  record: R,
  { id, parentId }: RecordLink,
  { walk, stream, source }: RangeMember<R>,
): OtherSourceError {
  return new OtherSourceError(
    `${capitalised(walk.record)} ${source.at(record)} of ${stream.path} does not follow the previous one.`,
    {
      details: { [walk.record]: id, 'names as parent': parentId, 'before it': lastId },
      hint: 'The URL serves two chains, for example a load balancer over different nodes. Use the URL of one node. Nothing of this unit was written.',
    },
  )
}
