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

/** What is known of a limit: plain values, so that processes can hand it to one another. Times are of one clock. */
export type PaceState = {
  ceiling: number
  /** Learnt limit; Infinity while there is none below the ceiling. */
  learnt: number
  openedAt: number
  /** The limit that was believed when the service refused last: far below it, growth is quicker. */
  believed: number
  largest: number
  /** Units accepted since the service opened, by time; at least those of the last window. */
  log: { at: number; units: number }[]
  /** How much refusals look like a limit: one alone says little, since services also refuse by chance. */
  suspicion: number
  patience: number
  /** Refusals in short succession in spite of a learnt limit. */
  inVain: number
  step: { since: number; number: number; answers: number; units: number }
}

export function newPaceState(ceiling: number, startedAt: number): PaceState {
  return {
    ceiling,
    learnt: Number.POSITIVE_INFINITY,
    openedAt: startedAt,
    believed: 0,
    largest: 0,
    log: [],
    suspicion: 0,
    patience: 3,
    inVain: 0,
    step: { since: startedAt, number: 0, answers: 0, units: 0 },
  }
}

/** Goes on from `state`, and keeps what it learns there. */
export function createPace(windowMs: number, state: PaceState): Pace {
  const limit = () => Math.min(state.learnt, state.ceiling)

  /** Never less than one request a window. */
  function learn(rate: number): void {
    state.learnt = Math.max(rate, state.largest / windowMs)
    state.step = { since: state.openedAt, number: 0, answers: 0, units: 0 }
  }

  function grow(units: number, now: number): void {
    state.step.answers += 1
    state.step.units += units
    const time = now - state.step.since
    if (time < windowMs || (state.step.answers < 50 && time < 3 * windowMs)) return
    // Who sends less than allowed learns nothing of the limit.
    const busy = state.step.units >= 0.8 * used * limit() * time
    const deep = state.learnt < 0.85 * state.believed
    const number = state.step.number + (busy && !deep ? 1 : 0)
    if (busy) state.learnt *= deep ? 1.05 : 1 + growth(number)
    if (state.learnt >= state.ceiling) state.learnt = Number.POSITIVE_INFINITY
    state.step = { since: now, number, answers: 0, units: 0 }
  }

  return {
    rate: () => used * limit(),
    setCeiling(rate) {
      state.ceiling = rate
      if (state.learnt >= state.ceiling) state.learnt = Number.POSITIVE_INFINITY
    },
    accepted(units, now) {
      state.largest = Math.max(state.largest, units)
      const last = state.log.at(-1)
      if (last !== undefined && now - last.at < windowMs / 100) last.units += units
      else state.log.push({ at: now, units })
      while ((state.log[0]?.at ?? now) < now - 1.1 * windowMs) state.log.shift()
      if (Number.isFinite(state.learnt)) grow(units, now)
      else state.suspicion = Math.max(0, state.suspicion - 1 / 120)
    },
    reopened(closure, now) {
      const { since, refusedAt, refusals, accepted, blind } = closure
      const span = Math.min(since - state.openedAt, windowMs)
      const units = state.log.reduce((sum, { at, units }) => (at >= since - span ? sum + units : sum), 0)
      const slowest = units / (span + now - since)
      // Between the last refusal and now the service opened; when it said nothing of it, the middle is taken.
      const measured = blind ? Math.sqrt((slowest * units) / (span + refusedAt - since)) : slowest
      const long = now - since >= windowMs / 8
      state.suspicion += refusals > 1 && refusals > accepted ? 3 : 1
      state.inVain =
        Number.isFinite(state.learnt) && !long && since - state.openedAt < 3 * windowMs ? state.inVain + 1 : 0
      state.openedAt = now
      state.log.length = 0
      state.believed = Number.isFinite(limit()) ? limit() : measured
      const least = Number.isFinite(limit()) ? limit() / 2 : 0
      if ((long || state.suspicion >= state.patience) && units > 0) learn(Math.max(Math.min(measured, limit()), least))
      else if (Number.isFinite(state.learnt))
        learn(Math.min(0.97 * state.learnt, Math.max(measured, 0.85 * state.learnt)))
      if (state.inVain < 6) return
      // Refusals that go on however slowly we ask have nothing to do with a limit: it takes more to believe them again.
      state.inVain = 0
      state.suspicion = 0
      state.patience *= 2
      state.learnt = Number.POSITIVE_INFINITY
    },
  }
}
