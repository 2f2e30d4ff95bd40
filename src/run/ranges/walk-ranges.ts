import { countOf } from '../../plan/intervals.ts'
import { estimate } from '../../plan/units.ts'
import { coveredOf, planRange, type RangeMember, type RangePlan } from '../units/range-plan.ts'
import type { RangeRun } from '../units/range-run.ts'
import { estimateBytes } from './estimated-bytes.ts'
import { withBlockEnds } from './known-block-ends.ts'

/**
 * Walks what streams that fill the same tables lack of their ranges, up to the heads of their sources. Resolves to true when there was
 * nothing to fetch. Throws `rowsTaken` when another run stored what was read: then it begins again.
 */
export async function walkRanges(members: readonly RangeMember[], run: RangeRun): Promise<boolean> {
  const plans = await planAll(members, run)
  const total = plans.reduce((sum, { plan }) => sum + countOf(plan.lacks.map(({ slice }) => slice)), 0)
  if (total === 0) return true
  // What writes rows takes long to load, and most runs of a schedule have few or none.
  const { walkUnits } = await import('./walk-units.ts')
  await walkUnits(plans, total, run)
  return false
}

async function planAll(members: readonly RangeMember[], run: RangeRun): Promise<RangePlan[]> {
  const { catalog, emit, stop } = run
  const heads = new Map<RangeMember, number>()
  for (const member of members) {
    const { source, walk } = member
    const head = await source.head(stop)
    run.atHead(head)
    if (head !== null) {
      heads.set(member, head)
      const beginning = source.begins?.()?.notice
      if (beginning !== undefined) emit({ kind: 'warning', message: beginning, once: true })
    } else {
      const why = source.whyEmpty === undefined ? `There is nothing in ${walk.what} yet.` : source.whyEmpty()
      if (why !== null) emit({ kind: 'notice', message: why, once: true })
    }
  }
  if (heads.size === 0) return []
  const covered = await coveredOf(catalog, [...heads.keys()])
  const plans: RangePlan[] = []
  for (const [member, head] of heads) {
    const { walk, source } = member
    const { own: stored, overlapping } = covered(member)
    const own = await withBlockEnds(member, stored, run)
    const { threadsFor } = run.unitThreads
    const planned = await planRange(member, { own, overlapping }, head, { threadsFor, signal: stop })
    plans.push(planned)
    const { units, containers } = estimate(planned.plan, source.windowSize())
    if (containers === 0) continue
    const { bytes, known } = estimateBytes(planned.plan, own)
    // Of containers a mean is known, whatever the network.
    if (known || walk.record === 'container') await verifyRoom(planned, bytes, run)
    if (walk.notice !== null) emit({ kind: 'warning', message: walk.notice, once: true })
    // Where rows cut the units nobody knows how many there will be.
    if (walk.unit !== null)
      emit({ kind: 'planned', pipeline: run.job, units, containers, head, byHeight: walk.byHeight })
  }
  return plans
}

/**
 * Refuses what the disk has no room for. A source may claim a head that is not there: that is no reason, as the run ends where its records
 * do.
 */
async function verifyRoom({ member, plan }: RangePlan, bytes: number, run: RangeRun): Promise<void> {
  try {
    run.verifyRoom({ what: run.job, bytes })
  } catch (error) {
    const end = Math.max(...plan.lacks.map(({ slice }) => slice.to))
    if (await isThere(member, end - 1, run)) throw error
  }
}

async function isThere({ source }: RangeMember, coordinate: number, { stop }: RangeRun): Promise<boolean> {
  try {
    await source.window(coordinate, coordinate + 1, stop)
    return true
  } catch {
    stop.throwIfAborted()
    return false
  }
}
