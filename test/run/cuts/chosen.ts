/** A sequence of numbers from 0 to 1, the same for the same seed (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** `CHAINLAKE_CUTS`: `all`, or a number `n` for every n-th cut. Without it, `few` cuts of each walk are tried. */
const requested = process.env['CHAINLAKE_CUTS'] ?? ''
const seed = Number(process.env['CHAINLAKE_CUTS_SEED'] ?? 1)

/** The walks to disturb with one kind of catalog: in a sample every sixth one, others for each kind. */
export function chosenWalks<T>(walks: Readonly<Record<string, T>>, catalog: 'embedded' | 'postgres'): [string, T][] {
  const entries = Object.entries(walks)
  if (requested !== '') return entries
  return entries.filter((_, position) => (position + seed) % 6 === (catalog === 'embedded' ? 0 : 3))
}

/**
 * Chooses the cuts of a walk to try, the same ones for the same seed. `first` are the most important cuts, and half of the chosen ones are
 * of these.
 */
export function chosen<T>(name: string, first: readonly T[], all: readonly T[], few: number): readonly T[] {
  if (requested === 'all') return all
  if (requested !== '') return all.filter((_, position) => (position + seed) % Number(requested) === 0)
  const next = numbers([...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), seed))
  const half = pick(first, Math.ceil(few / 2), next)
  const rest = pick(
    all.filter((each) => !half.includes(each)),
    few - half.length,
    next,
  )
  const picked = new Set([...half, ...rest])
  return all.filter((each) => picked.has(each))
}

function pick<T>(from: readonly T[], most: number, next: () => number): T[] {
  const left = [...from]
  const picked: T[] = []
  while (picked.length < most && left.length > 0) picked.push(...left.splice(Math.floor(next() * left.length), 1))
  return picked
}
