import { distance } from 'fastest-levenshtein'

/** The known name nearest to a mistyped one, or undefined when none is near. */
export function nearestName(typed: string, known: readonly string[]): string | undefined {
  const allowed = Math.max(2, Math.floor(typed.length / 2))
  let best: { name: string; steps: number } | undefined
  for (const name of known) {
    const steps = name.startsWith(typed) && typed.length > 1 ? 1 : distance(typed.toLowerCase(), name.toLowerCase())
    if (steps <= allowed && (best === undefined || steps < best.steps)) best = { name, steps }
  }
  return best?.name
}

/** A hint that names the nearest known name, or all of them. */
export function suggestion(typed: string, known: readonly string[]): string {
  const nearest = nearestName(typed, known)
  return nearest === undefined ? `Known: ${known.join(', ')}.` : `Did you mean ${nearest}?`
}
