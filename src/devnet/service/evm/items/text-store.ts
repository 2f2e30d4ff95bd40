import type { EvmTransfer } from '../state.ts'
import type { TransferTexts } from './transfer-text.ts'

/** The JSON texts of lists of transfers, newest first: made once, since the same pages are asked for again and again. */
export type TextStore = {
  /** Texts of the transfers `[from, to)` of a list that only grows, the last one first, commas between them, in pieces. */
  newestFirst(transfers: readonly EvmTransfer[], from: number, to: number): Buffer[]
}

/** Transfers of a stretch; full ones are kept. */
const stretch = 128
/** Bytes of texts that are kept; beyond them everything is made anew. */
const mostBytes = 256 << 20

/** Texts side by side, each with a comma behind it, the last transfer first. */
type Stretch = { readonly bytes: Buffer; readonly starts: Uint32Array }

const comma = Buffer.from(',')

export function createTextStore(textOf: TransferTexts): TextStore {
  let kept = new Map<readonly EvmTransfer[], Map<number, Stretch>>()
  let bytes = 0
  const stretchOf = (transfers: readonly EvmTransfer[], number: number): Stretch => {
    const known = kept.get(transfers)?.get(number)
    if (known !== undefined) return known
    const members = transfers.slice(number * stretch, (number + 1) * stretch)
    const made = makeStretch(members.reverse().map(textOf))
    if (members.length === stretch) keep(transfers, number, made)
    return made
  }
  const keep = (transfers: readonly EvmTransfer[], number: number, made: Stretch): void => {
    if (bytes + made.bytes.length > mostBytes) {
      kept = new Map()
      bytes = 0
    }
    const stretches = kept.get(transfers) ?? new Map<number, Stretch>()
    kept.set(transfers, stretches.set(number, made))
    bytes += made.bytes.length
  }
  return {
    newestFirst: (transfers, from, to) => {
      const pieces: Buffer[] = []
      for (let end = to; end > from; ) {
        const number = Math.floor((end - 1) / stretch)
        const low = Math.max(from, number * stretch)
        const { bytes, starts } = stretchOf(transfers, number)
        // The last transfer of the stretch is its first text.
        const last = number * stretch + starts.length - 1
        if (pieces.length > 0) pieces.push(comma)
        pieces.push(bytes.subarray(starts[last - end], starts[last - low]! - 1))
        end = low
      }
      return pieces
    },
  }
}

function makeStretch(texts: readonly string[]): Stretch {
  const starts = new Uint32Array(texts.length + 1)
  const bytes = Buffer.from(texts.map((text) => `${text},`).join(''))
  texts.forEach((text, at) => {
    starts[at + 1] = starts[at]! + Buffer.byteLength(text) + 1
  })
  return { bytes, starts }
}
