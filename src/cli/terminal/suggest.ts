import { distance } from 'fastest-levenshtein'

/** The known name that is most similar to a mistyped one, or undefined when none is similar. */
export function nearestName(typed: string, known: readonly string[]): string | undefined {
  const allowed = Math.max(2, Math.floor(typed.length / 2))
  let best: { name: string; steps: number } | undefined
  for (const name of known) {
    const steps = name.startsWith(typed) && typed.length > 1 ? 1 : stepsBetween(typed.toLowerCase(), name.toLowerCase())
    if (steps <= allowed && (best === undefined || steps < best.steps)) best = { name, steps }
  }
  return best?.name
}

/** Letters to insert, delete, replace, or swap once with the next one: `hlep` is one step from `help`. */
function stepsBetween(typed: string, name: string): number {
  const swapped = [...typed.slice(1)].map((letter, at) => typed.slice(0, at) + letter + typed[at] + typed.slice(at + 2))
  return Math.min(distance(typed, name), ...swapped.map((text) => 1 + distance(text, name)))
}

/** A hint with the most similar known name; `otherwise` when none is similar. */
export function suggestion(typed: string, known: readonly string[], otherwise = `Known: ${known.join(', ')}.`): string {
  const nearest = nearestName(typed, known)
  return nearest === undefined ? otherwise : `Did you mean ${nearest}?`
}
