import type { Answer, ConnectionRequest } from '../define/connection.ts'
import { pause } from '../lib/pause.ts'
import type { Cooldown } from './cooldown.ts'
import type { Patience } from './patience.ts'
import type { RateLimit } from './rate-limit.ts'

/** Sends a request once and returns its answer, whatever the status. */
export type Send = (request: ConnectionRequest, signal: AbortSignal) => Promise<Answer>

type Admission = {
  readonly cooldown: Cooldown
  readonly patience: Patience
  readonly rateLimit: RateLimit | undefined
}

/** Sends a request only after the endpoint's cooldown has ended and the rate limit has granted its units. */
export function admitted(send: Send, { cooldown, patience, rateLimit }: Admission): Send {
  async function afterCooldown(signal: AbortSignal): Promise<void> {
    for (let leftMs = cooldown.leftMs(); leftMs > 0; leftMs = cooldown.leftMs()) {
      patience.allow(leftMs, 'Retry-After')
      await pause(leftMs, signal)
    }
  }

  if (rateLimit === undefined)
    return async (request, signal) => {
      await afterCooldown(signal)
      return send(request, signal)
    }
  return async (request, signal) => {
    await afterCooldown(signal)
    const grant = await rateLimit.acquire(request.cost ?? 0, signal, patience)
    let answer: Answer | null = null
    try {
      answer = await send(request, signal)
      return answer
    } finally {
      rateLimit.report(grant, answer)
    }
  }
}
