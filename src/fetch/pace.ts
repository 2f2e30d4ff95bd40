/**
 * How fast to send, learnt from what a service accepts and refuses. Rates are in units per millisecond.
 *
 * The limit is measured over a cycle: units accepted since the service began to accept, divided by the time until it accepts again after
 * a refusal. This works for fixed windows, sliding windows and token buckets, without knowing their length.
 */
export type Pace = {
  /** Infinity: no limit. */
  rate(): number
  /** The limit that the configuration or a header states; it is never exceeded. */
  setCeiling(rate: number): void
  accepted(units: number, now: number): void
  /** The service accepts requests again. */
  reopened(closure: Closure, now: number): void
}

/** A period in which the service refused requests. */
export type Closure = {
  readonly since: number
  /** Time of the last refusal. */
  refusedAt: number
  /** Refusals, including those of requests that were already sent. */
  refusals: number
  /** Requests under way at the first refusal that were accepted. */
  accepted: number
  /** The service did not say how long to wait. */
  readonly blind: boolean
}

/** Fraction of a limit that is used: the rest covers network jitter and the burst of a full bucket. */
const usedShare = 0.95

/** Growth of the n-th step without a refusal: cautious around the measured limit, faster once the rate is well above it. */
function growth(step: number): number {
  return step <= 12 ? 0.005 : Math.min(0.25, 0.01 * 2 ** (step - 13))
}

/** What is known about a limit: plain values, so that processes can share it. All times are of one clock. */
export type PaceState = {
  ceiling: number
  /** Learnt limit; Infinity while no limit below the ceiling is known. */
  learnt: number
  openedAt: number
  /** The limit assumed at the last refusal: far below it, the rate grows faster. */
  believed: number
  largest: number
  /** Units accepted since the service opened, by time; at least those of the last window. */
  log: { at: number; units: number }[]
  /** How likely refusals mean a limit: a single one says little, since services also refuse at random. */
  suspicion: number
  patience: number
  /** Refusals in quick succession despite a learnt limit. */
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

/** A pace that resumes from `state` and keeps what it learns there. */
export function createPace(windowMs: number, state: PaceState): Pace {
  const limit = () => Math.min(state.learnt, state.ceiling)
  const hasLearnt = () => Number.isFinite(state.learnt)

  /** Never less than one request per window. */
  function learn(rate: number): void {
    state.learnt = Math.max(rate, state.largest / windowMs)
    state.step = { since: state.openedAt, number: 0, answers: 0, units: 0 }
  }

  function grow(units: number, now: number): void {
    state.step.answers += 1
    state.step.units += units
    const time = now - state.step.since
    if (time < windowMs || (state.step.answers < 50 && time < 3 * windowMs)) return
    // A client that sends less than it may learns nothing about the limit.
    const busy = state.step.units >= 0.8 * usedShare * limit() * time
    const deep = state.learnt < 0.85 * state.believed
    const number = state.step.number + (busy && !deep ? 1 : 0)
    if (busy) state.learnt *= deep ? 1.05 : 1 + growth(number)
    if (state.learnt >= state.ceiling) state.learnt = Number.POSITIVE_INFINITY
    state.step = { since: now, number, answers: 0, units: 0 }
  }

  function learnFrom({ rate, units }: Measurement, wasLong: boolean): void {
    const known = limit()
    const least = Number.isFinite(known) ? known / 2 : 0
    if ((wasLong || state.suspicion >= state.patience) && units > 0) learn(Math.max(Math.min(rate, known), least))
    else if (hasLearnt()) learn(Math.min(0.97 * state.learnt, Math.max(rate, 0.85 * state.learnt)))
  }

  /** Refusals that continue however slowly we send are no sign of a limit: from here on it takes more of them to believe in one. */
  function forgetLimit(): void {
    state.inVain = 0
    state.suspicion = 0
    state.patience *= 2
    state.learnt = Number.POSITIVE_INFINITY
  }

  return {
    rate: () => usedShare * limit(),
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
      if (hasLearnt()) grow(units, now)
      else state.suspicion = Math.max(0, state.suspicion - 1 / 120)
    },
    reopened(closure, now) {
      const openMs = closure.since - state.openedAt
      const measurement = measure(state.log, closure, Math.min(openMs, windowMs), now)
      const wasLong = now - closure.since >= windowMs / 8
      state.suspicion += closure.refusals > 1 && closure.refusals > closure.accepted ? 3 : 1
      state.inVain = hasLearnt() && !wasLong && openMs < 3 * windowMs ? state.inVain + 1 : 0
      state.openedAt = now
      state.log.length = 0
      state.believed = Number.isFinite(limit()) ? limit() : measurement.rate
      learnFrom(measurement, wasLong)
      if (state.inVain >= 6) forgetLimit()
    },
  }
}

/** What a cycle shows of the limit: units accepted within the last `spanMs` before the closure, and the rate that follows from them. */
type Measurement = { readonly units: number; readonly rate: number }

function measure(
  log: PaceState['log'],
  { since, refusedAt, blind }: Closure,
  spanMs: number,
  now: number,
): Measurement {
  const units = log.reduce((sum, { at, units }) => (at >= since - spanMs ? sum + units : sum), 0)
  const slowest = units / (spanMs + now - since)
  if (!blind) return { units, rate: slowest }
  // The service did not say when it accepts again. It did so between its last refusal and now: take the middle.
  return { units, rate: Math.sqrt((slowest * units) / (spanMs + refusedAt - since)) }
}
