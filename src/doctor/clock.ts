import type { Answer } from '../define/connection.ts'
import { durationText } from '../lib/text/duration-text.ts'
import { type Check, good, notice } from './check.ts'

/** Accepted clock difference: the header has whole seconds, and an answer takes time. */
const tolerableMs = 30_000

/** Compares the clock of this machine with the `date` header of an answer; no check without the header. */
export function checkClock(about: string, { headers }: Pick<Answer, 'headers'>, nowMs = Date.now()): Check[] {
  const there = Date.parse(headers['date'] ?? '')
  if (Number.isNaN(there)) return []
  const ahead = nowMs - there
  if (Math.abs(ahead) <= tolerableMs) return [good(about, 'doctor.clock', 'Its clock and that of this machine agree.')]
  return [
    notice(
      about,
      'doctor.clock',
      `The clock of this machine is ${durationText(Math.abs(ahead) / 1000)} ${ahead > 0 ? 'ahead of' : 'behind'} its clock.`,
      'Set the wrong clock (NTP): waits of a service, daily budgets, ages of page tokens and times of observations depend on it.',
    ),
  ]
}
