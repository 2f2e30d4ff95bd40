/** With `--max-lag 0`: the time between two rounds of a job while no WebSocket announces blocks, in milliseconds. */
const shortestMs = 1_000

/** The time between two rounds of a following run, and the longest age of uncommitted data, in milliseconds. */
export function roundInterval({ maxLagMs }: { readonly maxLagMs: number }): number {
  return maxLagMs === 0 ? shortestMs : maxLagMs
}
