import type { Source } from '../define/index.ts'
import { OtherSourceError } from '../errors.ts'
import type { Container, Slice, SliceEnds } from '../model.ts'

type CoveredSlice = { readonly slice: Slice; readonly ends: SliceEnds | null }

/**
 * Reads committed containers again: another id there means another chain, or an index in another order, behind the URL;
 * it is refused before anything is written. Where containers name no parent and their order is the node's own, every
 * end of a slice is read, else the first and the last one. Ends that lie beyond the head of the node are left out: a
 * node may be behind.
 */
export async function verifySource(
  path: string,
  source: Pick<Source, 'order'>,
  covered: readonly CoveredSlice[],
  head: number,
  read: (index: number) => Promise<Container>,
): Promise<void> {
  const known = covered.flatMap(({ slice, ends }) =>
    ends === null
      ? []
      : [
          { index: slice.from, id: ends.firstId },
          { index: slice.to - 1, id: ends.lastId },
        ],
  )
  const readable = known.filter(({ index }) => index <= head).sort((a, b) => a.index - b.index)
  const chosen = source.order === 'node' ? readable : [readable[0], readable.at(-1)]
  const ids = new Map(chosen.filter((end) => end !== undefined).map(({ index, id }) => [index, id]))
  for (const [index, id] of ids) {
    const container = await read(index)
    if (container.id === id) continue
    throw new OtherSourceError(`The node's index ${path} is not the one that the lake was written from.`, {
      details: { 'container index': index, 'in the lake': id, 'at the node': container.id },
      hint:
        source.order === 'node'
          ? `The order of ${path} is each node's own: go on with the node that the lake was written from, or give another --lake. Nothing was written.`
          : 'Point --node-url at a node of the same network and chain, or give another --lake. Nothing was written.',
    })
  }
}
