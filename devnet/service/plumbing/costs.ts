import type { Host } from './error.ts'

/** Cost class of a route. */
export type Cost = 'free' | 'small' | 'medium' | 'large' | 'xl' | 'xxl'

/** Compute units of a request by host and cost class (real-service.md, Rate limits). */
const units: Readonly<Record<Host, Readonly<Record<Cost, number>>>> = {
  data: { free: 1, small: 10, medium: 20, large: 50, xl: 100, xxl: 200 },
  metrics: { free: 1, small: 20, medium: 100, large: 500, xl: 1000, xxl: 3000 },
}

export function unitsOf(host: Host, cost: Cost): number {
  return units[host][cost]
}
