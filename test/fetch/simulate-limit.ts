import { newBucket, settle, take } from '../../src/fetch/limits.ts'
import type { LimitedService } from './limited-service.ts'

export type Simulation = {
  readonly service: LimitedService
  readonly unitsPerWindow: number | null
  readonly windowMs: number
  readonly concurrency: number
  readonly untilMs: number
  /** Units of the next request. */
  readonly units: () => number
  /** Milliseconds from the request to the answer. */
  readonly latencyMs: () => number
  /** Called before a request is sent. */
  readonly before?: (now: number) => void
  /** Refuses a request, whatever the limit allows. */
  readonly refuse?: () => boolean
}

export type Outcome = {
  readonly accepted: number
  readonly refused: number
  unitsBetween(from: number, to: number): number
}

type Event = { at: number; readonly run: (now: number) => void }

/**
 * Runs a bucket against a service on a simulated clock, with `concurrency` senders that always have another request.
 */
export function simulate(simulation: Simulation): Outcome {
  const { service, unitsPerWindow, windowMs, concurrency, untilMs, units, latencyMs } = simulation
  const options = { unitsPerWindow, windowMs, refusals: [429] }
  let bucket = newBucket(options, 0)
  const events: Event[] = []
  const log: { at: number; units: number }[] = []
  let refused = 0
  const queue: number[] = []
  let wake = Number.POSITIVE_INFINITY
  const serve = (now: number): void => {
    while (queue.length > 0) {
      const cost = queue[0]!
      const taken = take(options, bucket, { least: cost, most: cost }, now)
      bucket = taken.bucket
      if (taken.grant === null) {
        wake = now + Math.max(1, Math.ceil(taken.wait.ms))
        return
      }
      const { grant } = taken
      queue.shift()
      const latency = latencyMs()
      events.push({
        at: now + latency / 2,
        run: (there) => {
          simulation.before?.(there)
          const answer = simulation.refuse?.() ? { status: 429, headers: {} } : service.answer(cost, there)
          events.push({
            at: there + latency / 2,
            run: (back) => {
              if (answer.status === 200) log.push({ at: there, units: cost })
              else refused += 1
              bucket = settle(options, bucket, grant, answer, { now: back, date: back })
              queue.push(answer.status === 200 ? units() : cost)
            },
          })
        },
      })
    }
    wake = Number.POSITIVE_INFINITY
  }
  for (let sender = 0; sender < concurrency; sender++) queue.push(units())
  serve(0)
  for (let now = 0; now < untilMs; ) {
    let next = 0
    for (let index = 1; index < events.length; index++) if (events[index]!.at < events[next]!.at) next = index
    const event = events[next]
    if (event !== undefined && event.at <= wake) {
      events.splice(next, 1)
      now = event.at
      event.run(now)
    } else now = wake
    serve(now)
  }
  return {
    accepted: log.length,
    refused,
    unitsBetween: (from, to) => log.reduce((sum, { at, units }) => (at >= from && at < to ? sum + units : sum), 0),
  }
}
