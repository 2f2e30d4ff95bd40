import type { Check } from '../../../doctor/check.ts'

const marks = { good: 'ok   ', notice: 'note ', bad: 'BAD  ' } as const

/** A check for people: one line, and what to do below it. */
export function checkText({ about, verdict, says, todo }: Check): string {
  const line = `${marks[verdict]} ${about}: ${says}`
  return todo === null ? line : `${line}\n       → ${todo}`
}

/** The conclusion from all checks. */
export function conclusionText(checks: readonly Check[]): string {
  const bad = checks.filter(({ verdict }) => verdict === 'bad')
  const notes = checks.filter(({ verdict }) => verdict === 'notice').length
  const more = notes === 0 ? '' : ` ${notes === 1 ? 'See the note' : `See the ${notes} notes`}.`
  const [first] = bad
  if (first === undefined) return `A run would work.${more}`
  const problems = bad.length === 1 ? 'one problem' : `${bad.length} problems`
  return `A run would fail with exit code ${first.exitCode}: ${problems}.${more}`
}
