import { type Bound, type GivenRange, p, type Range } from '../../src/define/index.ts'
import { mayBeOrdered } from '../../src/lib/text/bound.ts'
import { givenTimeNs } from '../../src/lib/text/time.ts'
import { parameterError } from './parameter-error.ts'
import { emptyRange } from './service-job.ts'

/**
 * The parameters of a part of a range: `record` names its coordinates, `end` the default end. With `timeless` they cannot be times, for the reason
 * that it gives.
 */
export function rangeParameters(
  record: string,
  end: string,
  { first = 0, ...rules }: { readonly first?: number; readonly timeless?: string } = {},
) {
  return {
    from: p.bound(`First ${record}, inclusive (default: ${first}).`, rules),
    to: p.bound(`End of the range: a ${record}, exclusive (default: after ${end}).`, { least: 1, ...rules }),
    range: p.range('Both in one: A:B is the same as from A and to B.', rules),
  }
}

type Given = {
  readonly from?: Bound | undefined
  readonly to?: Bound | undefined
  readonly range?: GivenRange | undefined
}

/** The bounds of a job, from its first coordinate on. Throws `ConfigError` if they are empty, or given in two ways. */
export function requestedBounds(given: Given, first: 0 | 1 = 0): Pick<Range, 'from' | 'to'> {
  const { range } = given
  if (range !== undefined && (given.from !== undefined || given.to !== undefined))
    throw parameterError('The job has its range in two ways: from and to, and range.', 'Give one of them.')
  const { from: begin = first, to } = range ?? given
  // The genesis block, at height 0, is in no index.
  const from = begin === 0 ? first : begin
  mustBeOrdered(from, to)
  return { from, to: to ?? null }
}

/** Of bounds of two kinds only the source knows which one comes first. */
function mustBeOrdered(from: Bound, to: Bound | undefined): void {
  for (const bound of [from, to])
    if (typeof bound === 'string' && givenTimeNs(bound) === null)
      throw parameterError(
        `${JSON.stringify(bound)} is no time.`,
        'Write a date such as 2026-01-31, or a time such as 2026-01-31T12:00 (UTC).',
      )
  if (to === undefined || mayBeOrdered(from, to)) return
  throw emptyRange(['from', from], ['to', to])
}
