import { type Bound, type GivenRange, p, type Range } from '../../src/define/index.ts'
import { mayBeOrdered } from '../../src/lib/text/bound.ts'
import { givenTimeNs } from '../../src/lib/text/time.ts'
import { parameterError } from './parameter-error.ts'
import { emptyRange } from './service-job.ts'

/**
 * The parameters of a part of a range: `record` names its coordinates, `end` the default end. With `timeless` they cannot be times, for the reason
 * that it gives.
 */
export function rangeParameters(record: string, end: string, rules: { readonly timeless?: string } = {}) {
  return {
    from: p.bound(`First ${record}, inclusive (default: 0).`, rules),
    to: p.bound(`End of the range: a ${record}, exclusive (default: after ${end}).`, { least: 1, ...rules }),
    range: p.range('Both in one: A:B is the same as from A and to B.', rules),
  }
}

/** The part of an index of blocks by height. */
export const heights = p.range(
  'The same by height: the block at height h has index h - 1. Refused if the index of the node begins after height A.',
  { timeless: 'times need no heights: give them with from and to, or with range' },
)

type Given = {
  readonly from?: Bound | undefined
  readonly to?: Bound | undefined
  readonly range?: GivenRange | undefined
  readonly heights?: GivenRange | undefined
}

/** The bounds of a job. Throws `ConfigError` if they are empty, or given in several ways. */
export function requestedBounds(given: Given): Pick<Range, 'from' | 'to' | 'needs'> {
  const { range, heights: named } = given
  const ways = [
    ...(given.from === undefined && given.to === undefined ? [] : ['from and to']),
    ...(range === undefined ? [] : ['range']),
    ...(named === undefined ? [] : ['heights']),
  ]
  if (ways.length > 1)
    throw parameterError(`The job has its range in ${ways.length} ways: ${ways.join(', ')}.`, 'Give one of them.')
  if (named !== undefined) return heightBounds(named)
  const { from = 0, to } = range ?? given
  mustBeOrdered(from, to)
  return { from, to: to ?? null }
}

function heightBounds({ from = 1, to }: GivenRange): Pick<Range, 'from' | 'to' | 'needs'> {
  if (typeof from === 'string' || typeof to === 'string')
    throw parameterError('heights takes heights, and no times.', 'Give times with from and to, or with range.')
  if (from === 0)
    throw parameterError('The block at height 0 is the genesis, which is in no index.', 'Begin at height 1.')
  mustBeOrdered(from, to)
  const at = (height: number) => (height < 0 ? height : height - 1)
  return { from: at(from), to: to === undefined ? null : at(to), ...(from > 1 ? { needs: from - 1 } : {}) }
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
