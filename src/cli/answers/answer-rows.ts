import type { Cell } from '../../views/cell.ts'

type Row = readonly Cell[]

/** The beginning and the end of an answer. */
type EndsOfAnswer = {
  readonly first: readonly Row[]
  /** The last rows, after those that are left out. */
  readonly last: readonly Row[]
  /** All rows of the answer; null if there are more than were counted. */
  readonly count: number | null
}

/** Rows that are shown at each end of a longer answer. */
const rowsAtEnd = 20
/** An answer of more rows is not read to its end. */
const mostRead = 100_000

/** Reads the first and the last rows of an answer. Of a very long one only the first rows, so that a large table is not read whole. */
export async function endsOfAnswer(chunks: AsyncIterable<readonly Row[]>): Promise<EndsOfAnswer> {
  const first: Row[] = []
  let last: Row[] = []
  let count = 0
  for await (const chunk of chunks) {
    const taken = Math.max(0, Math.min(chunk.length, 2 * rowsAtEnd - first.length))
    first.push(...chunk.slice(0, taken))
    last = [...last, ...chunk.slice(taken)].slice(-rowsAtEnd)
    count += chunk.length
    if (count > mostRead) return { first, last: [], count: null }
  }
  if (count <= 2 * rowsAtEnd) return { first, last: [], count }
  // The first rows may hold some of the last ones, where few follow them.
  const end = [...first.slice(rowsAtEnd), ...last].slice(-rowsAtEnd)
  return { first: first.slice(0, rowsAtEnd), last: end, count }
}
