import { distance } from 'fastest-levenshtein'

/** The known name that is most similar to a mistyped one, or undefined when none is similar. */
export function nearestName(typed: string, known: readonly string[]): string | undefined {
  // With two of three letters wrong any short name would be similar.
  const allowed = typed.length < 4 ? Math.min(1, typed.length - 1) : Math.max(2, Math.floor(typed.length / 2))
  let best: { name: string; steps: number } | undefined
  for (const name of known) {
    // The beginning or the last word of a name, or a name with one more word, such as from-block for from.
    const isPart = typed.length > 1 && (name.startsWith(typed) || name.endsWith(`-${typed}`))
    const steps = isPart || typed.startsWith(`${name}-`) ? 1 : stepsBetween(typed.toLowerCase(), name.toLowerCase())
    if (steps <= allowed && (best === undefined || steps < best.steps)) best = { name, steps }
  }
  return best?.name
}

/** Letters to insert, delete, replace, or swap once with the next one: `hlep` is one step from `help`. */
function stepsBetween(typed: string, name: string): number {
  const swapped = [...typed.slice(1)].map((letter, at) => typed.slice(0, at) + letter + typed[at] + typed.slice(at + 2))
  return Math.min(distance(typed, name), ...swapped.map((text) => 1 + distance(text, name)))
}

/** A hint with the most similar known name; `otherwise` (default: the known names) when none is similar. */
export function suggestion(typed: string, known: readonly string[], otherwise?: string): string {
  const nearest = nearestName(typed, known)
  return nearest === undefined ? (otherwise ?? `Known: ${namesLike(typed, known)}.`) : `Did you mean ${nearest}?`
}

/** More names than these are not listed. */
const mostListed = 12

/** The known names; of many the most similar ones, and how many others there are. */
export function namesLike(typed: string, known: readonly string[]): string {
  if (known.length <= mostListed) return known.join(', ')
  const byDistance = known.map((name) => ({ name, steps: stepsBetween(typed.toLowerCase(), name.toLowerCase()) }))
  const nearest = byDistance.toSorted((a, b) => a.steps - b.steps).slice(0, mostListed / 2)
  return `${nearest.map(({ name }) => name).join(', ')} and ${known.length - nearest.length} others`
}
