import { sqlName } from '../../lib/text/sql-quote.ts'
import { type CoveredSequence, coveredSequences } from '../lake/covered-sequences.ts'
import type { AnswerRow } from '../lake/engine.ts'
import type { Finding } from '../lake/finding.ts'
import { type Checked, type LakeRows, rowCount } from '../lake/lake-rows.ts'
import { numberOf } from '../lake/row-place.ts'
import { type Sequence, sequences } from '../lake/sequences.ts'

/** Coordinates that are looked at together. */
const atOnce = 400_000
const told = 100

/** Each height of what is covered has its row, each row names the one before it, and no row lies outside of what is covered. */
export async function verifySequences(rows: LakeRows): Promise<Checked> {
  const findings: Finding[] = []
  const all = coveredSequences(rows.inventory).filter(({ sequence }) => !rows.torn(sequence.table))
  for (const covered of all) {
    const own: Finding[] = []
    for (let from = covered.from; from < covered.to && own.length < told; from += atOnce * covered.step)
      own.push(...(await verifyStretch(rows, covered, from, Math.min(covered.to, from + atOnce * covered.step))))
    own.push(...(await verifyEnds(rows, covered)))
    findings.push(...own.slice(0, told))
  }
  for (const sequence of sequences)
    if (!rows.torn(sequence.table)) findings.push(...(await verifyBeyond(rows, sequence, all)))
  return { findings, remarks: [] }
}

/** Rows from `from` to before `to`, with the one before: heights that are missing and parents that are not. */
async function verifyStretch(
  rows: LakeRows,
  { sequence, row, condition, step, from: start }: CoveredSequence,
  from: number,
  to: number,
): Promise<Finding[]> {
  const { table, link } = sequence
  const place = sqlName(sequence.place)
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
     WHERE place - before > ${step} OR (place - before = ${step} AND parent <> before_id) ORDER BY place LIMIT ${told}`,
  )
  const [ends] = await rows.engine.rows(
    `SELECT min(${place})::VARCHAR AS first, max(${place})::VARCHAR AS last FROM ${source}
     WHERE ${condition} AND ${place} >= ${from} AND ${place} < ${to}${multiples}`,
  )
  const firstWanted = Math.ceil(from / step) * step
  const lastWanted = Math.floor((to - 1) / step) * step
  if (firstWanted > lastWanted) return []
  const first = numberOf(ends?.['first'])
  const last = numberOf(ends?.['last'])
  const missing = (a: number, b: number): Finding => missingFinding(sequence, row, step, a, b)
  if (first === null || last === null) return [missing(firstWanted, lastWanted)]
  return [
    ...(first > firstWanted ? [missing(firstWanted, first - step)] : []),
    ...(last < lastWanted ? [missing(last + step, lastWanted)] : []),
    ...wrong.flatMap((each): Finding[] => {
      const [at, before] = [Number(each['place']), Number(each['before'])]
      // What lies between two stretches is told by its ends.
      if (at - before > step) return before < from ? [] : [missing(before + step, at - step)]
      return [parentFinding(sequence, row, each, files[each['file_index']]?.path)]
    }),
  ]
}

/** `from` and `to` are the first and the last height that is missing. */
function missingFinding(
  { table, first }: Sequence,
  row: CoveredSequence['row'],
  step: number,
  from: number,
  to: number,
): Finding {
  return {
    kind: 'rows.missing',
    message: `${table.name} lacks rows of what is said to be covered.`,
    network: row.network,
    table: table.name,
    stream: row.stream,
    slice: { from: from - first, to: to - first + 1 },
    height: from,
    rows: Math.floor((to - from) / step) + 1,
  }
}

function parentFinding(
  { table, first }: Sequence,
  row: CoveredSequence['row'],
  each: AnswerRow,
  file: string | undefined,
): Finding {
  const height = Number(each['place'])
  return {
    kind: 'rows.parent',
    message: `A row of ${table.name} names another parent than the row before it.`,
    network: row.network,
    table: table.name,
    stream: row.stream,
    slice: { from: height - first - 1, to: height - first + 1 },
    height,
    ...(file === undefined ? {} : { file }),
    expected: `parent ${each['before_id']}`,
    found: `parent ${each['parent']}`,
  }
}

/** The ends that the catalog has of a slice, by which runs join it, are those of its rows. */
async function verifyEnds(
  rows: LakeRows,
  { sequence, row, condition, step, from, to }: CoveredSequence,
): Promise<Finding[]> {
  const { table, link, first } = sequence
  // Records of RPC are blocks themselves; those of an index are containers, with blocks in them.
  const ends = first === 0 ? row.ends : row.blockEnds
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
      message: `The block at an end of a covered slice of ${table.name} is another one than the catalog says.`,
      network: row.network,
      table: table.name,
      stream: row.stream,
      slice: { from: at - first, to: at - first + 1 },
      height: at,
      expected: known,
      found: found['id'],
    })
  }
  return findings
}

/** Rows of a table that no covered slice has. */
async function verifyBeyond(
  rows: LakeRows,
  { table, place, first, only = 'true' }: Sequence,
  all: readonly CoveredSequence[],
): Promise<Finding[]> {
  const files = rows.filesOf(table)
  if (rowCount(files) === 0) return []
  const own = all.filter(({ sequence }) => sequence.table === table)
  const inside = own.map(
    ({ condition, from, to }) => `(${condition} AND ${sqlName(place)} >= ${from} AND ${sqlName(place)} < ${to})`,
  )
  const beyond = await rows.engine.rows(
    `SELECT network, count(*)::INTEGER AS n, min(${sqlName(place)})::VARCHAR AS low, max(${sqlName(place)})::VARCHAR AS high, min(file_index)::INTEGER AS file_index
     FROM ${rows.relation(table, files)} WHERE ${sqlName(place)} IS NOT NULL AND ${only} AND NOT (${inside.join(' OR ') || 'false'}) GROUP BY network`,
  )
  return beyond.map((each) => ({
    kind: 'rows.beyond',
    message: `${table.name} has rows that no covered slice has.`,
    network: each['network'],
    table: table.name,
    slice: { from: Number(each['low']) - first, to: Number(each['high']) - first + 1 },
    height: Number(each['low']),
    file: files[each['file_index']]?.path ?? '',
    rows: each['n'],
  }))
}
