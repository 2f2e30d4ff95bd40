import type { BlockLink, Range, RangeSource, RowsOf, Tables } from '../../define/index.ts'
import { DecodeError } from '../../errors.ts'

/** Checks that each block names the one before it by the id that was derived from its bytes. */
export type BlockLinks<R> = {
  /** Prepares for the block at `index`: reads the previous block from the source unless it was the last one seen. */
  reach(index: number, signal: AbortSignal): Promise<void>
  /**
   * Takes the rows of the next record and returns the link of its block; null where blocks have no links. Throws `DecodeError` when the block
   * does not follow the last one.
   */
  follow(record: R, rows: RowsOf<Tables>): BlockLink | null
}

/**
 * Containers also have parents, and their ids depend on all of their bytes. The blocks on both sides of a commit are therefore compared only
 * once, when the later one is decoded. When an earlier slice is filled in later, the catalog compares the containers.
 */
export function createBlockLinks<R>(
  walk: Pick<Range<R>, 'linkOf' | 'outputs' | 'context'>,
  source: Pick<RangeSource<R>, 'window' | 'at' | 'begins'>,
): BlockLinks<R> {
  const { linkOf, outputs, context } = walk
  let last: { index: number; link: BlockLink } | null = null
  if (linkOf === null) return { reach: async () => undefined, follow: () => null }
  return {
    async reach(index, signal) {
      if (index === (source.begins?.().at ?? 0) || last?.index === index - 1) return
      const [before] = await source.window(index - 1, index, signal)
      last = { index: index - 1, link: linkOf(outputs[0].read(before!, context)) }
    },
    follow(record, rows) {
      const link = linkOf(rows)
      const index = source.at(record)
      if (last !== null && last.index === index - 1 && link.parentId !== last.link.id)
        throw brokenBlocks(index, link, last.link.id)
      last = { index, link }
      return link
    },
  }
}

/** The error for a block that does not follow the previous one. */
export function brokenBlocks(at: number, { id, parentId }: BlockLink, before: string): DecodeError {
  return new DecodeError(`Block ${at} does not name the previous block as its parent.`, {
    code: 'decode.block-parent',
    details: { block: id, 'names as parent': parentId, 'before it': before },
    hint: 'The bytes of one of the two blocks are damaged. Compare with another node. Nothing of this unit was written.',
  })
}
