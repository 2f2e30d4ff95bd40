import { jsonAnswer } from '../../http/answer.ts'
import type { Route } from '../../http/router.ts'
import type { Limits } from './limits.ts'

/** `POST /devnet/limits?units=…` changes the compute units per minute while the network runs. */
export function limitControl(limits: Limits): Route {
  return {
    path: '/devnet/limits',
    handle: ({ method, query }) => {
      const units = Number(query.get('units') ?? '')
      if (method !== 'POST' || !Number.isSafeInteger(units) || units <= 0) return null
      limits.setUnitsPerMinute(units)
      return jsonAnswer(200, [JSON.stringify({ unitsPerMinute: units })])
    },
  }
}
