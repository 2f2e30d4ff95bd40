/** A period in which the service refused requests. */
export type Closure = {
  readonly since: number
  /** Time of the last refusal. */
  readonly refusedAt: number
  /** Refusals, including those of requests that were already sent. */
  readonly refusals: number
  /** Requests under way at the first refusal that were accepted. */
  readonly accepted: number
  /** The service did not say how long to wait. */
  readonly blind: boolean
}

/** Fraction of a limit that is used: the rest covers network jitter and the burst of a full bucket. */
const usedShare = 0.95

/** Growth of the n-th step without a refusal: cautious around the measured limit, faster once the rate is well above it. */
function growth(step: number): number {
  return step <= 12 ? 0.005 : Math.min(0.25, 0.01 * 2 ** (step - 13))
}

/**
 * What is known about a limit: how fast to send, learnt from what a service accepts and refuses. Plain values, so that processes can share
 * it. Rates are in units per millisecond, and all times are of one clock.
 *
 * The limit is measured over a cycle: units accepted since the service began to accept, divided by the time until it accepts again after
 * a refusal. This works for fixed windows, sliding windows and token buckets, without knowing their length.
 */
export type PaceState = {
  readonly ceiling: number
  /** Learnt limit; Infinity while no limit below the ceiling is known. */
  readonly learnt: number
  readonly openedAt: number
  /** The limit assumed at the last refusal: far below it, the rate grows faster. */
  readonly believed: number
  readonly largest: number
  /** Units accepted since the service opened, by time; at least those of the last window. */
  readonly log: readonly { readonly at: number; readonly units: number }[]
  /** How likely refusals mean a limit: a single one says little, since services also refuse at random. */
  readonly suspicion: number
  readonly patience: number
  /** Refusals in quick succession despite a learnt limit. */
  readonly inVain: number
  readonly step: {
    readonly since: number
    readonly number: number
    readonly answers: number
    readonly units: number
  }
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

/** The rate at which to send; infinity: no limit. */
export function rateOf(state: PaceState): number {
  return usedShare * limitOf(state)
}

/** After the configuration or a header stated a limit; it is never exceeded. */
export function withCeiling(state: PaceState, ceiling: number): PaceState {
  return { ...state, ceiling, learnt: state.learnt >= ceiling ? Number.POSITIVE_INFINITY : state.learnt }
}

/** After the service accepted a request. */
export function afterAccepted(state: PaceState, units: number, now: number, windowMs: number): PaceState {
  const counted = {
    ...state,
    largest: Math.max(state.largest, units),
    log: added(state.log, units, now, windowMs),
  }
  if (hasLearnt(state)) return grown(counted, units, now, windowMs)
  return { ...counted, suspicion: Math.max(0, state.suspicion - 1 / 120) }
}

/** After a closure, when the service accepts requests again. */
export function afterClosure(state: PaceState, closure: Closure, now: number, windowMs: number): PaceState {
  const openMs = closure.since - state.openedAt
  const measurement = measure(state.log, closure, Math.min(openMs, windowMs), now)
  const wasLong = now - closure.since >= windowMs / 8
  const isSuspect = closure.refusals > 1 && closure.refusals > closure.accepted
  const inVain = hasLearnt(state) && !wasLong && openMs < 3 * windowMs ? state.inVain + 1 : 0
  const limit = limitOf(state)
  const opened: PaceState = {
    ...state,
    suspicion: state.suspicion + (isSuspect ? 3 : 1),
    inVain,
    openedAt: now,
    log: [],
    believed: Number.isFinite(limit) ? limit : measurement.rate,
  }
  const learnt = learntFrom(opened, measurement, wasLong, windowMs)
  return inVain >= 6 ? withoutLimit(learnt) : learnt
}

function limitOf({ learnt, ceiling }: PaceState): number {
  return Math.min(learnt, ceiling)
}

function hasLearnt({ learnt }: PaceState): boolean {
  return Number.isFinite(learnt)
}

function added(log: PaceState['log'], units: number, now: number, windowMs: number): PaceState['log'] {
  const last = log.at(-1)
  const isNear = last !== undefined && now - last.at < windowMs / 100
  const next = isNear ? [...log.slice(0, -1), { at: last.at, units: last.units + units }] : [...log, { at: now, units }]
  const first = next.findIndex(({ at }) => at >= now - 1.1 * windowMs)
  return first > 0 ? next.slice(first) : next
}

/** Never less than one request per window. */
function learn(state: PaceState, rate: number, windowMs: number): PaceState {
  const step = { since: state.openedAt, number: 0, answers: 0, units: 0 }
  return { ...state, learnt: Math.max(rate, state.largest / windowMs), step }
}

function grown(state: PaceState, units: number, now: number, windowMs: number): PaceState {
  const step = { ...state.step, answers: state.step.answers + 1, units: state.step.units + units }
  const time = now - step.since
  if (time < windowMs || (step.answers < 50 && time < 3 * windowMs)) return { ...state, step }
  // A client that sends less than it may learns nothing about the limit.
  const busy = step.units >= 0.8 * usedShare * limitOf(state) * time
  const deep = state.learnt < 0.85 * state.believed
  const number = step.number + (busy && !deep ? 1 : 0)
  const learnt = busy ? state.learnt * (deep ? 1.05 : 1 + growth(number)) : state.learnt
  return {
    ...state,
    learnt: learnt >= state.ceiling ? Number.POSITIVE_INFINITY : learnt,
    step: { since: now, number, answers: 0, units: 0 },
  }
}

function learntFrom(state: PaceState, { rate, units }: Measurement, wasLong: boolean, windowMs: number): PaceState {
  const known = limitOf(state)
  const least = Number.isFinite(known) ? known / 2 : 0
  if ((wasLong || state.suspicion >= state.patience) && units > 0)
    return learn(state, Math.max(Math.min(rate, known), least), windowMs)
  if (!hasLearnt(state)) return state
  return learn(state, Math.min(0.97 * state.learnt, Math.max(rate, 0.85 * state.learnt)), windowMs)
}

/** Refusals that continue however slowly we send are no sign of a limit: from here on it takes more of them to believe in one. */
function withoutLimit(state: PaceState): PaceState {
  return { ...state, inVain: 0, suspicion: 0, patience: state.patience * 2, learnt: Number.POSITIVE_INFINITY }
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
