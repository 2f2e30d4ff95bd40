import { hash } from 'node:crypto'

export type SeenTexts = {
  /** What a text is to those that came before it; of very many only a share is looked at. */
  see(text: string): 'new' | 'known' | 'not looked at'
  /** That share, of 1. */
  share(): number
}

/** By default texts that are remembered: some megabytes. */
const usualCapacity = 32_768
const digits = 2 ** 32

/**
 * Remembers any number of texts in bounded memory. All of them while they are few; beyond that the half whose digest is smallest, then a
 * quarter of all and so on: a text that comes again is looked at again or was never looked at, so that none is ever called known that is
 * not, and what repeats itself is found however late it does.
 */
export function createSeenTexts(capacity = usualCapacity): SeenTexts {
  let known = new Set<string>()
  let bound = digits
  const isLookedAt = (digest: string) => Number(`0x${digest.slice(0, 8)}`) < bound
  return {
    share: () => bound / digits,
    see(text) {
      const digest = hash('sha256', text, 'hex').slice(0, 32)
      if (!isLookedAt(digest)) return 'not looked at'
      if (known.has(digest)) return 'known'
      known.add(digest)
      while (known.size > capacity && bound > 1) {
        bound /= 2
        known = new Set([...known].filter(isLookedAt))
      }
      return 'new'
    },
  }
}
