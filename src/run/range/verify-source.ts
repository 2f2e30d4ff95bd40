import type { Range, RangeSource } from '../../define/index.ts'
import { OtherSourceError } from '../../errors.ts'
import type { Slice, SliceEnds } from '../../model.ts'

type CoveredSlice = { readonly slice: Slice; readonly ends: SliceEnds | null }

/**
 * Reads committed records again: another id there means another chain, or an index in another order, behind the URL;
 * it is refused before anything is written. Where records name no parent and their order is the node's own, every
 * end of a slice is read, else the first and the last one. Ends that lie beyond the head of the node are left out: a
 * node may be behind.
 */
export async function verifySource<R>(
  { record: noun, what, order, place }: Pick<Range, 'record' | 'what' | 'order'> & Partial<Pick<Range, 'place'>>,
  source: RangeSource<R>,
  covered: readonly CoveredSlice[],
  head: number,
  signal?: AbortSignal,
): Promise<void> {
  const { link } = source
  if (link === undefined) return
  const known = covered.flatMap(({ slice, ends }) =>
    ends === null
      ? []
      : [
          { index: slice.from, id: ends.firstId },
          { index: slice.to - 1, id: ends.lastId },
        ],
  )
  const readable = known.filter(({ index }) => index <= head).sort((a, b) => a.index - b.index)
  const chosen = order === 'node' ? readable : [readable[0], readable.at(-1)]
  const ids = new Map(chosen.filter((end) => end !== undefined).map(({ index, id }) => [index, id]))
  for (const [index, id] of ids) {
    const record = await (source.one?.(index, signal) ?? source.window(index, index + 1, signal).then(([one]) => one!))
    const found = link(record).id
    if (found === id) continue
    throw new OtherSourceError(`${capitalised(what)} is not the one that the lake was written from.`, {
      details: {
        [`${noun} ${noun === 'container' ? 'index' : 'number'}`]: index,
        'in the lake': id,
        'at the node': found,
      },
      hint:
        order === 'node'
          ? `The order of ${what} is each node's own: go on with the node that the lake was written from, or give another --lake. Nothing was written.`
          : `Point ${(place?.url ?? null) === null ? '--node-url' : 'the URL'} at a node of the same network and chain, or give another --lake. Nothing was written.`,
    })
  }
}

function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
