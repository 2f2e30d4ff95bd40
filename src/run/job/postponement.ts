import type { PostponedError } from '../../errors.ts'

/** What keeps a job from going on now; what was whole is committed. */
export type Postponement = {
  /** RFC 3339, UTC: not before this. */
  readonly resumeAt: string
  readonly reason: string
  /** What to do, as one sentence. */
  readonly hint: string | null
}

export function postponementOf({ message, resumeAt, hint }: PostponedError): Postponement {
  return { resumeAt: resumeAt.toISOString(), reason: message, hint: hint ?? null }
}

/** When the first of several can go on; null without any. */
export function earliest(postponements: readonly Postponement[]): Postponement | null {
  return [...postponements].sort((a, b) => Date.parse(a.resumeAt) - Date.parse(b.resumeAt))[0] ?? null
}
