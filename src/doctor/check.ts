import { ChainlakeError } from '../errors.ts'

/** The result of one check. */
export type Check = {
  /** What was looked at: `Node.js`, `disk`, `node http://…`, the name of a job. */
  readonly about: string
  /** `good`; `notice`: a run would work, but there is something to know; `bad`: it would not work. */
  readonly verdict: 'good' | 'notice' | 'bad'
  /** A stable, dotted name for scripts; for an error its code. */
  readonly code: string
  readonly says: string
  /** What to do about it; null where there is nothing to do. */
  readonly todo: string | null
  /** The exit code that a run would have because of this; 0 when it would work. */
  readonly exitCode: number
}

export function good(about: string, code: string, says: string): Check {
  return { about, verdict: 'good', code, says, todo: null, exitCode: 0 }
}

export function notice(about: string, code: string, says: string, todo: string): Check {
  return { about, verdict: 'notice', code, says, todo, exitCode: 0 }
}

export function bad(about: string, code: string, says: string, todo: string, exitCode: number): Check {
  return { about, verdict: 'bad', code, says, todo, exitCode }
}

/** The check for an error that a run would have, too. An unexpected error is thrown again. */
export function checkOfError(about: string, error: unknown): Check {
  if (!(error instanceof ChainlakeError)) throw error
  const facts = ['answer', 'reason', 'cause'].flatMap((name) => {
    const fact = error.details[name]
    return fact === undefined || fact === '' || error.message.includes(String(fact)) ? [] : [`${fact}`]
  })
  const says = [error.message, ...facts.slice(0, 1)].join(' ')
  return bad(about, error.code, says, error.hint ?? 'Fix the problem, then run chainlake doctor again.', error.exitCode)
}
