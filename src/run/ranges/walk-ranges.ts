import type { Covered } from '../../catalog/catalog.ts'
import { shellText } from '../../lib/text/visible-text.ts'
import { streamId } from '../../model.ts'
import { countOf } from '../../plan/intervals.ts'
import { estimate } from '../../plan/units.ts'
import { coveredOf, planRange, type RangeMember, type RangePlan } from '../units/range-plan.ts'
import type { RangeRun } from '../units/range-run.ts'
import { timeBoundText } from '../units/time-bound-text.ts'
import { estimateBytes } from './estimated-bytes.ts'
import { withBlockEnds } from './known-block-ends.ts'

/**
 * Reads the slices that the lake is missing, up to the heads of the sources; the ranges fill the same tables. Resolves to true when there
 * was nothing to fetch. Throws `rowsTaken` when another run has stored the same rows: the caller then starts again.
 */
export async function walkRanges(members: readonly RangeMember[], run: RangeRun): Promise<boolean> {
  const plans = await planAll(members, run)
  if (plans.length < members.length || plans.some(({ isLast }) => !isLast)) run.continues()
  const total = plans.reduce((sum, { plan }) => sum + countOf(plan.missing.map(({ slice }) => slice)), 0)
  if (total === 0) return true
  // Loaded on demand: the code that writes rows takes long to load, and most scheduled runs have few rows or none.
  const { walkUnits } = await import('./walk-units.ts')
  await walkUnits(plans, total, run)
  for (const { walk } of members) {
    const message = walk.afterwards?.() ?? null
    if (message !== null) run.emit({ kind: 'notice', message })
  }
  return false
}

async function planAll(members: readonly RangeMember[], run: RangeRun): Promise<RangePlan[]> {
  const heads = new Map<RangeMember, number>()
  const requested = new Map<unknown, number | null>()
  for (const member of members) {
    const { source } = member
    const origin = source.shared ?? source
    const known = requested.get(origin)
    const head = known === undefined ? await source.head(run.stop) : known
    if (known === undefined) {
      requested.set(origin, head)
      run.atHead(head)
      reportRange(member, head, run)
    }
    if (head !== null) heads.set(member, head)
  }
  if (heads.size === 0) return []
  const covered = await coveredOf(run.catalog, [...heads.keys()])
  const plans: RangePlan[] = []
  const late: LateHead[] = []
  for (const [member, head] of heads) {
    const own = covered(member)
    plans.push(await planMember(member, own, head, run))
    const end = Math.max(0, ...[...own.own.values()].flat().map(({ slice }) => slice.to))
    if (end > head + (member.walk.beyond ?? 0) + 1) late.push({ member, head, end })
  }
  await reportLateHeads(late, run)
  return plans
}

/** Reports why a range is empty, or why it does not begin at the first record. */
function reportRange({ source, walk }: RangeMember, head: number | null, { emit }: RangeRun): void {
  if (head !== null) {
    for (const message of [source.begins?.().notice, source.remark?.()])
      if (typeof message === 'string') emit({ kind: 'warning', message, once: true })
    return
  }
  const why = source.whyEmpty === undefined ? `There is nothing in ${walk.what} yet.` : source.whyEmpty()
  if (why !== null) emit({ kind: 'notice', message: why, once: true })
}

/** A source may be late for this long, such as one that a load balancer has chosen. */
const usualLateMs = 3_600_000

/** A source with a head below the covered end of the lake. */
type LateHead = { readonly member: RangeMember; readonly head: number; readonly end: number }

/** There is nothing new below a head that the lake covers already. Warns when this lasts: the source is late, or a run believed a wrong head. */
async function reportLateHeads(late: readonly LateHead[], { behind, catalog, lakeDir, emit }: RangeRun): Promise<void> {
  if (late.length === 0) return
  const { streams } = await catalog.status()
  const reached = new Map(streams.map((each) => [each.stream, each.reached?.getTime() ?? 0]))
  for (const { member } of late) behind?.(member.stream)
  const lasting = late.filter(({ member }) => Date.now() - (reached.get(streamId(member.stream)) ?? 0) >= usualLateMs)
  const files = lasting.length === 0 ? [] : await catalog.fileFacts()
  for (const { member, head, end } of lasting) {
    const id = streamId(member.stream)
    // Above the last rows everything may have been believed empty. A file that reaches beyond the head is removed as a whole.
    const ends = files.flatMap(({ sources }) =>
      sources.flatMap(({ stream, slice }) => (stream === id && slice !== null ? [slice.to] : [])),
    )
    const from = ends.reduce((least, each) => Math.max(least, each), 0)
    emit({
      kind: 'warning',
      message: `Nothing is read of ${member.walk.what}: the lake covers more than the source has. The source is late, or an earlier answer of it was wrong. Run the command only if it was wrong: the next run then reads again.`,
      details: {
        'newest at the source': String(head),
        'covered end': String(end),
        command: `chainlake repair --stream ${shellText(id)} --from ${Math.min(head + 1, from)} --lake ${shellText(lakeDir)}`,
      },
      once: true,
    })
  }
}

async function planMember(member: RangeMember, covered: Covered, head: number, run: RangeRun): Promise<RangePlan> {
  const { walk, source } = member
  const { emit, stop, unitThreads } = run
  const own = await withBlockEnds(member, covered.own, run)
  const { threadsFor } = unitThreads
  const planned = await planRange(member, { ...covered, own }, head, { threadsFor, signal: stop })
  for (const time of planned.times) emit({ kind: 'notice', message: timeBoundText(walk, time), once: true })
  const { units, records } = estimate(planned.plan, source.windowSize())
  if (records === 0) return planned
  const { bytes, known } = estimateBytes(planned.plan, own, walk)
  if (known) await verifyRoom(planned, bytes, run)
  if (walk.notice !== null) emit({ kind: 'warning', message: walk.notice, once: true })
  // Where units are bounded by rows, their number is unknown.
  if (walk.unit !== null) emit({ kind: 'planned', pipeline: run.job, units, record: walk.record, records, head })
  return planned
}

/**
 * Throws when the disk does not have enough space. A source may report a head that it does not have; that is no reason to refuse, because
 * the run ends at the last record.
 */
async function verifyRoom({ member, plan }: RangePlan, bytes: number, run: RangeRun): Promise<void> {
  try {
    run.verifyRoom({ what: run.job, bytes })
  } catch (error) {
    const end = Math.max(...plan.missing.map(({ slice }) => slice.to))
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
