import type { EvmTransfer } from '../state.ts'
import type { TransferTexts } from './transfer-text.ts'

/** The JSON texts of lists of transfers, newest first. They are cached, because the same pages are requested repeatedly. */
export type TextStore = {
  /** Texts of the transfers `[from, to)` of a list that only grows, last transfer first, separated by commas, in pieces. */
  newestFirst(transfers: readonly EvmTransfer[], from: number, to: number): Buffer[]
}

/** The number of transfers of a segment. Texts of full segments are cached. */
const segment = 128
/** Maximum size of the cached texts in bytes. Beyond it, the cache is cleared. */
const mostBytes = 256 << 20

/** Concatenated texts, each followed by a comma, the last transfer first. */
type Segment = { readonly bytes: Buffer; readonly starts: Uint32Array }

const comma = Buffer.from(',')

export function createTextStore(textOf: TransferTexts): TextStore {
  let kept = new Map<readonly EvmTransfer[], Map<number, Segment>>()
  let bytes = 0
  const segmentOf = (transfers: readonly EvmTransfer[], number: number): Segment => {
    const known = kept.get(transfers)?.get(number)
    if (known !== undefined) return known
    const members = transfers.slice(number * segment, (number + 1) * segment)
    const made = makeSegment(members.reverse().map(textOf))
    if (members.length === segment) keep(transfers, number, made)
    return made
  }
  const keep = (transfers: readonly EvmTransfer[], number: number, made: Segment): void => {
    if (bytes + made.bytes.length > mostBytes) {
      kept = new Map()
      bytes = 0
    }
    const segments = kept.get(transfers) ?? new Map<number, Segment>()
    kept.set(transfers, segments.set(number, made))
    bytes += made.bytes.length
  }
  return {
    newestFirst: (transfers, from, to) => {
      const pieces: Buffer[] = []
      for (let end = to; end > from; ) {
        const number = Math.floor((end - 1) / segment)
        const low = Math.max(from, number * segment)
        const { bytes, starts } = segmentOf(transfers, number)
        // The last transfer of the segment is its first text.
        const last = number * segment + starts.length - 1
        if (pieces.length > 0) pieces.push(comma)
        pieces.push(bytes.subarray(starts[last - end], starts[last - low]! - 1))
        end = low
      }
      return pieces
    },
  }
}

function makeSegment(texts: readonly string[]): Segment {
  const starts = new Uint32Array(texts.length + 1)
  const bytes = Buffer.from(texts.map((text) => `${text},`).join(''))
  texts.forEach((text, at) => {
    starts[at + 1] = starts[at]! + Buffer.byteLength(text) + 1
  })
  return { bytes, starts }
}
