/** Number of tries of a property: `times` in `npm test`, many times that in the long tests (vitest.config.ts). */
export function runs(times: number): number {
  return times * Number(process.env['PROPERTY_RUNS'] ?? 1)
}
