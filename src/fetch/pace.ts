/**
 * How fast to send, learnt from what a service accepts and refuses. Rates are in units a millisecond.
 *
 * What a limit is, is measured over a cycle: units accepted since the service opened, divided by the time until it opened
 * again. That is right for fixed and sliding windows and for token buckets alike, without knowing their length.
 */
export type Pace = {
  /** Infinity: as fast as answers come. */
  rate(): number
  /** The limit that the configuration or a header states; it is never exceeded. */
  setCeiling(rate: number): void
  accepted(units: number, now: number): void
  /** The service accepts again. */
  reopened(closure: Closure, now: number): void
}

/** A time in which the service refused. */
export type Closure = {
  readonly since: number
  /** When it refused last. */
  refusedAt: number
  /** Refusals, those of requests that were under way included. */
  refusals: number
  /** Requests under way at the first refusal that were accepted. */
  accepted: number
  /** The service did not say how long to wait. */
  readonly blind: boolean
}

/** Part of a limit that is used: the rest is for the jitter of the network and for the burst of a full bucket. */
const used = 0.95

/** Growth of the n-th quiet step: cautious around the measured limit, bolder once that is left behind. */
function growth(step: number): number {
  return step <= 12 ? 0.005 : Math.min(0.25, 0.01 * 2 ** (step - 13))
}

export function createPace(windowMs: number, ceiling: number, startedAt: number): Pace {
  /** Learnt limit; Infinity while there is none below the ceiling. */
  let learnt = Number.POSITIVE_INFINITY
  let openedAt = startedAt
  /** The limit that was believed when the service refused last: far below it, growth is quicker. */
  let believed = 0
  let largest = 0
  /** Units accepted since the service opened, by time; at least those of the last window. */
  const log: { at: number; units: number }[] = []
  /** How much refusals look like a limit: one alone says little, since services also refuse by chance. */
  let suspicion = 0
  let patience = 3
  /** Refusals in short succession in spite of a learnt limit. */
  let inVain = 0
  let step = { since: startedAt, number: 0, answers: 0, units: 0 }

  const limit = () => Math.min(learnt, ceiling)

  /** Never less than one request a window. */
  function learn(rate: number): void {
    learnt = Math.max(rate, largest / windowMs)
    step = { since: openedAt, number: 0, answers: 0, units: 0 }
  }

  function grow(units: number, now: number): void {
    step.answers += 1
    step.units += units
    const time = now - step.since
    if (time < windowMs || (step.answers < 50 && time < 3 * windowMs)) return
    // Who sends less than allowed learns nothing of the limit.
    const busy = step.units >= 0.8 * used * limit() * time
    const deep = learnt < 0.85 * believed
    const number = step.number + (busy && !deep ? 1 : 0)
    if (busy) learnt *= deep ? 1.05 : 1 + growth(number)
    if (learnt >= ceiling) learnt = Number.POSITIVE_INFINITY
    step = { since: now, number, answers: 0, units: 0 }
  }

  return {
    rate: () => used * limit(),
    setCeiling(rate) {
      ceiling = rate
      if (learnt >= ceiling) learnt = Number.POSITIVE_INFINITY
    },
    accepted(units, now) {
      largest = Math.max(largest, units)
      const last = log.at(-1)
      if (last !== undefined && now - last.at < windowMs / 100) last.units += units
      else log.push({ at: now, units })
      while ((log[0]?.at ?? now) < now - 1.1 * windowMs) log.shift()
      if (Number.isFinite(learnt)) grow(units, now)
      else suspicion = Math.max(0, suspicion - 1 / 120)
    },
    reopened(closure, now) {
      const { since, refusedAt, refusals, accepted, blind } = closure
      const span = Math.min(since - openedAt, windowMs)
      const units = log.reduce((sum, { at, units }) => (at >= since - span ? sum + units : sum), 0)
      const slowest = units / (span + now - since)
      // Between the last refusal and now the service opened; when it said nothing of it, the middle is taken.
      const measured = blind ? Math.sqrt((slowest * units) / (span + refusedAt - since)) : slowest
      const long = now - since >= windowMs / 8
      suspicion += refusals > 1 && refusals > accepted ? 3 : 1
      inVain = Number.isFinite(learnt) && !long && since - openedAt < 3 * windowMs ? inVain + 1 : 0
      openedAt = now
      log.length = 0
      believed = Number.isFinite(limit()) ? limit() : measured
      const least = Number.isFinite(limit()) ? limit() / 2 : 0
      if ((long || suspicion >= patience) && units > 0) learn(Math.max(Math.min(measured, limit()), least))
      else if (Number.isFinite(learnt)) learn(Math.min(0.97 * learnt, Math.max(measured, 0.85 * learnt)))
      if (inVain < 6) return
      // Refusals that go on however slowly we ask have nothing to do with a limit: it takes more to believe them again.
      inVain = 0
      suspicion = 0
      patience *= 2
      learnt = Number.POSITIVE_INFINITY
    },
  }
}
