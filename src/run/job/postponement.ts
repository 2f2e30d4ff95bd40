import type { PostponedError } from '../../errors.ts'

/** Why and until when a job is postponed. Its complete prefix is committed. */
export type Postponement = {
  /** The earliest time to resume: RFC 3339, UTC. */
  readonly resumeAt: string
  readonly reason: string
  /** What the user can do, as one sentence. */
  readonly hint: string | null
}

export function postponementOf({ message, resumeAt, hint }: PostponedError): Postponement {
  return { resumeAt: resumeAt.toISOString(), reason: message, hint: hint ?? null }
}

/** The postponement that ends first; null when there is none. */
export function earliest(postponements: readonly Postponement[]): Postponement | null {
  return [...postponements].sort((a, b) => Date.parse(a.resumeAt) - Date.parse(b.resumeAt))[0] ?? null
}
