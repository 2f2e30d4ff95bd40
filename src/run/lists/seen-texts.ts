import { hash } from 'node:crypto'

export type SeenTexts = {
  /** What a text is to those that came before it; of very many only a share is looked at. */
  see(text: string): 'new' | 'known' | 'not looked at'
  /** That share, of 1. */
  share(): number
}

/** By default texts that are remembered: some megabytes. */
const usualCapacity = 32_768
const allSpots = 2 ** 32
/** Longer texts are remembered by their digest: a token may have kilobytes. */
const longText = 128

/**
 * Remembers any number of texts in bounded memory. All of them while they are few; beyond that the half whose spot is smallest, then a
 * quarter of all and so on: a text that comes again is looked at again or was never looked at, so that none is ever called known that is
 * not, and what repeats itself is found however late it does.
 */
export function createSeenTexts(capacity = usualCapacity): SeenTexts {
  let known = new Set<string>()
  let bound = allSpots
  const isLookedAt = (text: string) => spotOf(text) < bound
  return {
    share: () => bound / allSpots,
    see(whole) {
      const text = whole.length > longText ? `sha256 ${hash('sha256', whole, 'hex')}` : whole
      if (bound < allSpots && !isLookedAt(text)) return 'not looked at'
      if (known.has(text)) return 'known'
      known.add(text)
      while (known.size > capacity && bound > 1) {
        bound /= 2
        known = new Set([...known].filter(isLookedAt))
      }
      return 'new'
    },
  }
}

/** Where a text lies among 2^32 spots, evenly spread: FNV-1a, its bits mixed as MurmurHash3 ends. A sha256 costs ten times as much. */
function spotOf(text: string): number {
  let spot = 0x811c9dc5
  for (let at = 0; at < text.length; at++) spot = Math.imul(spot ^ text.charCodeAt(at), 0x01000193)
  spot = Math.imul(spot ^ (spot >>> 16), 0x85ebca6b)
  spot = Math.imul(spot ^ (spot >>> 13), 0xc2b2ae35)
  return (spot ^ (spot >>> 16)) >>> 0
}
