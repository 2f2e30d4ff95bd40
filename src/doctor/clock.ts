import type { Answer } from '../fetch/transport.ts'
import { durationText } from '../lib/text/duration-text.ts'
import { type Check, good, notice } from './check.ts'

/** Headers name whole seconds, and an answer takes some time. */
const tolerableMs = 30_000

/** The clock of this machine beside that of one that answered just now; nothing where the answer names no time. */
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
      'Set the clock that is wrong (NTP): waits that a service dictates, budgets of a day, ages of page tokens and times of observations go by it.',
    ),
  ]
}
