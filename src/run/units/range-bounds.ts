import type { Range } from '../../define/index.ts'
import { ConfigError } from '../../errors.ts'

type Bounds = Pick<Range, 'from' | 'to'>

/**
 * Bounds of walks that count from the end, by the first head that the run has seen. Later rounds of the run keep them: they would otherwise
 * leave out what was added while a source could not be reached.
 */
const counted = new WeakMap<object, Bounds>()

/** The bounds of a walk as coordinates: a negative one counts from the end of the source. `head` is its last coordinate, null for none. */
export function boundsOf(walk: Bounds, head: number | null): Bounds {
  const { from, to } = walk
  if (from >= 0 && (to === null || to >= 0)) return { from, to }
  const known = counted.get(walk)
  if (known !== undefined) return known
  const end = (head ?? -1) + 1
  const at = (bound: number) => (bound < 0 ? Math.max(0, end + bound) : bound)
  const bounds = { from: at(from), to: to === null ? null : at(to) }
  if (head !== null) counted.set(walk, bounds)
  return bounds
}

/** Refuses a source that begins after a coordinate that the job names. Throws `ConfigError`. */
export function mustBegin(
  { needs }: Pick<Range, 'needs'>,
  begins: { readonly at: number; readonly notice: string } | null,
): void {
  if (needs === undefined || begins === null || begins.at <= needs) return
  throw new ConfigError(`The job begins at height ${needs + 1}, which the index of the node does not have.`, {
    code: 'config.range',
    details: { index: begins.notice },
    hint: `Begin at height ${begins.at + 1}, or read the blocks before it with --source rpc where the pipeline has it.`,
  })
}
