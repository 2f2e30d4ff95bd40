import { hash } from 'node:crypto'

type SeenTexts = {
  /** Whether a text was seen before. Only a sample of very many texts is remembered. */
  see(text: string): 'new' | 'known' | 'not sampled'
  /** The sampled share, from 0 to 1. */
  share(): number
}

/** Default number of remembered texts: some megabytes. */
const usualCapacity = 32_768
const allSpots = 2 ** 32
/** Longer texts are remembered by their hash: a token may have kilobytes. */
const longText = 128

/**
 * Detects repeated texts in bounded memory. It remembers all texts up to the capacity, then the half with the smallest hashes, then a
 * quarter, and so on. The sample depends on the text only: a text is never reported as known by mistake, and a list that repeats itself is
 * detected at any length.
 */
export function createSeenTexts(capacity = usualCapacity): SeenTexts {
  let known = new Set<string>()
  let bound = allSpots
  const isSampled = (text: string) => spotOf(text) < bound
  return {
    share: () => bound / allSpots,
    see(whole) {
      const text = whole.length > longText ? `sha256 ${hash('sha256', whole, 'hex')}` : whole
      if (bound < allSpots && !isSampled(text)) return 'not sampled'
      if (known.has(text)) return 'known'
      known.add(text)
      while (known.size > capacity && bound > 1) {
        bound /= 2
        known = new Set([...known].filter(isSampled))
      }
      return 'new'
    },
  }
}

/** An evenly distributed 32-bit hash: FNV-1a with the final mixing of MurmurHash3. SHA-256 would cost ten times as much. */
function spotOf(text: string): number {
  let spot = 0x811c9dc5
  for (let at = 0; at < text.length; at++) spot = Math.imul(spot ^ text.charCodeAt(at), 0x01000193)
  spot = Math.imul(spot ^ (spot >>> 16), 0x85ebca6b)
  spot = Math.imul(spot ^ (spot >>> 13), 0xc2b2ae35)
  return (spot ^ (spot >>> 16)) >>> 0
}
