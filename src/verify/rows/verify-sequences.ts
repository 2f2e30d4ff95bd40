import { countText } from '../../lib/text/count-text.ts'
import { sqlName } from '../../lib/text/sql-quote.ts'
import { isCChain } from '../../sources/known-networks.ts'
import { type CoveredSequence, coveredSequences } from '../lake/covered-sequences.ts'
import type { AnswerRow } from '../lake/engine.ts'
import type { Finding, Remark } from '../lake/finding.ts'
import { type Checked, type LakeRows, rowCount } from '../lake/lake-rows.ts'
import { numberOf } from '../lake/row-place.ts'
import { type Sequence, sequences } from '../lake/sequences.ts'

/** How many coordinates are checked at once. */
const atOnce = 400_000
const mostFindings = 100

/**
 * Checks that each covered height has a row, unless the next row proves that the chain left it out, that each row names its predecessor, and that
 * no row is outside of the coverage.
 */
export async function verifySequences(rows: LakeRows): Promise<Checked> {
  const findings: Finding[] = []
  const leftOut = new Map<string, number>()
  const all = coveredSequences(rows.inventory).filter(({ sequence }) => !rows.torn(sequence.table))
  for (const covered of all) {
    const own: Finding[] = []
    const { stream } = covered.row
    for (let from = covered.from; from < covered.to && own.length < mostFindings; from += atOnce * covered.step) {
      const segment = await verifySegment(rows, covered, from, Math.min(covered.to, from + atOnce * covered.step))
      own.push(...segment.findings)
      if (segment.leftOut > 0) leftOut.set(stream, (leftOut.get(stream) ?? 0) + segment.leftOut)
    }
    own.push(...(await verifyEnds(rows, covered)))
    findings.push(...own.slice(0, mostFindings))
  }
  for (const sequence of sequences)
    if (!rows.torn(sequence.table)) findings.push(...(await verifyBeyond(rows, sequence, all)))
  return { findings, remarks: [...leftOut].map(leftOutRemark) }
}

/** `leftOut`: how many heights have no row, where the chain may have left them out and nothing in the lake shows whether it did. */
type Segment = { readonly findings: readonly Finding[]; readonly leftOut: number }

/** Finds missing heights and wrong parents from `from` (included) to `to` (excluded). The row before `from` is read too. */
async function verifySegment(rows: LakeRows, covered: CoveredSequence, from: number, to: number): Promise<Segment> {
  const { sequence, row, condition, step, from: start } = covered
  const isOpen = mayHaveLeftOut(covered)
  const { table, link } = sequence
  const place = placeOf(sequence)
  const files = await rows.filesBetween(table, sequence.place, { from: from - step, to: to - 1 })
  const source = rows.relation(table, files)
  const multiples = step === 1 ? '' : ` AND ${place} % ${step} = 0`
  const isLinked = link !== undefined && step === 1
  const ids = isLinked
    ? `, ${sqlName(link.parent)} AS parent, lag(${sqlName(link.id)}) OVER (ORDER BY ${place}) AS before_id`
    : ', NULL AS parent, NULL AS before_id'
  const wrong = await rows.engine.rows(
    `SELECT place::VARCHAR AS place, before::VARCHAR AS before, parent, before_id, file_index::INTEGER AS file_index FROM (
       SELECT ${place} AS place, file_index, lag(${place}) OVER (ORDER BY ${place}) AS before${ids} FROM ${source}
       WHERE ${condition} AND ${place} >= ${from - (from > start ? step : 0)} AND ${place} < ${to}${multiples})
     WHERE (place - before > ${isOpen ? step * (mostLeftOut + 1) : step}${sequence.mayLeaveOut === true && isLinked ? ' AND parent <> before_id' : ''})
        OR (place - before = ${step} AND parent <> before_id) ORDER BY place LIMIT ${mostFindings}`,
  )
  const [ends] = await rows.engine.rows(
    `SELECT min(${place})::VARCHAR AS first, max(${place})::VARCHAR AS last, count(*)::INTEGER AS n FROM ${source}
     WHERE ${condition} AND ${place} >= ${from} AND ${place} < ${to}${multiples}`,
  )
  const firstWanted = Math.ceil(from / step) * step
  const lastWanted = Math.floor((to - 1) / step) * step
  if (firstWanted > lastWanted) return { findings: [], leftOut: 0 }
  const first = numberOf(ends?.['first'])
  const last = numberOf(ends?.['last'])
  const missing = (a: number, b: number): Finding => missingFinding(sequence, row, step, a, b)
  const missingEnd = async (a: number, b: number): Promise<Finding[]> =>
    b < a || (isOpen && b - a < step * mostLeftOut) || (isLinked && (await isLeftOut(rows, covered, a, b)))
      ? []
      : [missing(a, b)]
  const isNone = first === null || last === null
  const findings = [
    ...(await missingEnd(firstWanted, isNone ? lastWanted : first - step)),
    ...(isNone ? [] : await missingEnd(last + step, lastWanted)),
    ...wrong.flatMap((each): Finding[] => {
      const [at, before] = [Number(each['place']), Number(each['before'])]
      // Gaps between two segments are reported by the ends of the segments.
      if (at - before > step) return before < from ? [] : [missing(before + step, at - step)]
      return [parentFinding(sequence, row, each, files[each['file_index']]?.path)]
    }),
  ]
  const wanted = (lastWanted - firstWanted) / step + 1 - Number(ends?.['n'])
  return { findings, leftOut: isOpen ? wanted - findings.reduce((sum, { rows: n = 0 }) => sum + n, 0) : 0 }
}

function placeOf({ place, at = sqlName(place) }: Sequence): string {
  return at
}

/** How many numbers a chain leaves out at most, one after another. */
const mostLeftOut = 64

/** Whether the chain may have left out heights without a trace in the lake: with a step, the parent of the next row is not in it. */
function mayHaveLeftOut({ sequence, row, chain, step }: CoveredSequence): boolean {
  return step > 1 && sequence.mayLeaveOut === true && !isCChain(row.network, chain)
}

function leftOutRemark([stream, count]: readonly [string, number]): Remark {
  return {
    stream,
    message: `${countText(count)} ${count === 1 ? 'number has' : 'numbers have'} no block. Some chains leave out numbers; in a stream with step nothing shows whether this one did.`,
  }
}

/**
 * Whether the chain left out all heights from `a` to `b`: the next row names the last one before as its parent, or the run that read them
 * recorded that the slice begins or ends with the row next to them.
 */
async function isLeftOut(
  rows: LakeRows,
  { sequence, row, condition, from, to }: CoveredSequence,
  a: number,
  b: number,
): Promise<boolean> {
  const { table, link, mayLeaveOut } = sequence
  if (link === undefined || mayLeaveOut === undefined) return false
  const place = sqlName(sequence.place)
  const nearest = async (low: number, high: number, order: string): Promise<AnswerRow | undefined> => {
    const files = await rows.filesBetween(table, sequence.place, { from: low, to: high })
    const [found] = await rows.engine.rows(
      `SELECT ${sqlName(link.id)} AS id, ${sqlName(link.parent)} AS parent FROM ${rows.relation(table, files)}
       WHERE ${condition} AND ${place} >= ${low} AND ${place} <= ${high} ORDER BY ${place} ${order} LIMIT 1`,
    )
    return found
  }
  const before = await nearest(Math.max(0, a - mostLeftOut), a - 1, 'DESC')
  const after = await nearest(b + 1, b + mostLeftOut, 'ASC')
  if (before !== undefined && after !== undefined) return after['parent'] === before['id']
  if (after !== undefined && a === from) return row.ends?.firstId === after['id']
  return before !== undefined && b === to - 1 && row.ends?.lastId === before['id']
}

/** `from` and `to` are the first and the last missing height. */
function missingFinding(
  { table }: Sequence,
  row: CoveredSequence['row'],
  step: number,
  from: number,
  to: number,
): Finding {
  return {
    kind: 'rows.missing',
    message: `Rows of ${table.name} are missing, although the catalog lists them as covered.`,
    network: row.network,
    table: table.name,
    stream: row.stream,
    slice: { from, to: to + 1 },
    height: from,
    rows: Math.floor((to - from) / step) + 1,
  }
}

function parentFinding(
  { table }: Sequence,
  row: CoveredSequence['row'],
  each: AnswerRow,
  file: string | undefined,
): Finding {
  const height = Number(each['place'])
  return {
    kind: 'rows.parent',
    message: `The parent of a row of ${table.name} is not the row before it.`,
    network: row.network,
    table: table.name,
    stream: row.stream,
    slice: { from: height - 1, to: height + 1 },
    height,
    ...(file === undefined ? {} : { file }),
    expected: `parent ${each['before_id']}`,
    found: `parent ${each['parent']}`,
  }
}

/** Checks the ids in the catalog of the first and last block of a slice, which runs use to join slices. */
async function verifyEnds(
  rows: LakeRows,
  { sequence, row, condition, step, from, to }: CoveredSequence,
): Promise<Finding[]> {
  const { table, link } = sequence
  // Records of RPC are blocks. Records of an index are containers that hold blocks.
  const ends = row.origin.kind === 'block' ? row.blockEnds : row.ends
  if (link === undefined || ends === null) return []
  const place = sqlName(sequence.place)
  const findings: Finding[] = []
  for (const [at, known] of [
    [Math.ceil(from / step) * step, ends.firstId],
    [Math.floor((to - 1) / step) * step, ends.lastId],
  ] as const) {
    if (known === null) continue
    const files = await rows.filesBetween(table, sequence.place, { from: at, to: at })
    const [found] = await rows.engine.rows(
      `SELECT ${sqlName(link.id)} AS id FROM ${rows.relation(table, files)} WHERE ${condition} AND ${place} = ${at} LIMIT 1`,
    )
    if (found === undefined || found['id'] === known) continue
    findings.push({
      kind: 'catalog.coverage',
      message: `The first or last block of a covered slice of ${table.name} differs from the catalog.`,
      network: row.network,
      table: table.name,
      stream: row.stream,
      slice: { from: at, to: at + 1 },
      height: at,
      expected: known,
      found: found['id'],
    })
  }
  return findings
}

/** Finds rows outside of the coverage. */
async function verifyBeyond(rows: LakeRows, sequence: Sequence, all: readonly CoveredSequence[]): Promise<Finding[]> {
  const { table, only = 'true' } = sequence
  const files = rows.filesOf(table)
  if (rowCount(files) === 0) return []
  const place = placeOf(sequence)
  const own = all.filter((covered) => covered.sequence.table === table)
  const inside = own.map(({ condition, from, to }) => `(${condition} AND ${place} >= ${from} AND ${place} < ${to})`)
  const beyond = await rows.engine.rows(
    `SELECT network, count(*)::INTEGER AS n, min(${place})::VARCHAR AS low, max(${place})::VARCHAR AS high, min(file_index)::INTEGER AS file_index
     FROM ${rows.relation(table, files)} WHERE ${place} IS NOT NULL AND ${only} AND NOT (${inside.join(' OR ') || 'false'}) GROUP BY network`,
  )
  return beyond.map((each) => ({
    kind: 'rows.beyond',
    message: `${table.name} has rows outside of its covered slices.`,
    network: each['network'],
    table: table.name,
    slice: { from: Number(each['low']), to: Number(each['high']) + 1 },
    height: Number(each['low']),
    file: files[each['file_index']]?.path ?? '',
    rows: each['n'],
  }))
}
