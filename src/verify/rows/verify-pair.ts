import type { CoverageRow } from '../../catalog/catalog.ts'
import type { Table } from '../../define/index.ts'
import { countText } from '../../lib/text/count-text.ts'
import { sqlName, sqlText } from '../../lib/text/sql-quote.ts'
import { isWhole } from '../../model.ts'
import { evmChainId } from '../../sources/known-networks.ts'
import type { AnswerRow } from '../lake/engine.ts'
import type { Finding, Remark } from '../lake/finding.ts'
import type { Checked, LakeRows } from '../lake/lake-rows.ts'
import type { SourcePair } from '../lake/pair-values.ts'
import { placeAmong, type RowPart, rowParts } from '../lake/row-parts.ts'
import { chainId, placeOfRow } from '../lake/row-place.ts'

/** How many rows of both sides are compared at once. */
const rowsAtOnce = 1_000_000
const mostFindings = 100

/** Checks that rows from two sources are equal, and that both have the same rows where both cover a height. */
export async function verifyPair(rows: LakeRows, pair: SourcePair): Promise<Checked> {
  const { own, other } = pair
  const tables = [own.table, other.table]
  const place = placeAmong(
    own.key.filter((name) => other.key.includes(name)),
    tables,
  )
  const findings: Finding[] = []
  const counts = { alike: 0, own: 0, other: 0 }
  for (const part of await rowParts(rows, tables, { place, rowsAtOnce }))
    for (const row of await rows.engine.rows(await pairQuery(rows, pair, part))) {
      const kind = row['what'] as 'alike' | 'own' | 'other' | What
      if (kind === 'alike' || kind === 'own' || kind === 'other') counts[kind] += Number(row['n'])
      else findings.push(pairFinding(rows, pair, row))
    }
  return { findings: findings.slice(0, mostFindings), remarks: [pairRemark(pair, counts)] }
}

function pairRemark(
  { own, other, place }: SourcePair,
  { alike, ...only }: Record<'alike' | 'own' | 'other', number>,
): Remark {
  const names = { own: own.table.name, other: other.table.name }
  const left = (['own', 'other'] as const).filter((side) => only[side] > 0)
  const said = left.map((side) => `, ${countText(only[side])} are only in ${names[side]}`)
  const why = left.length === 0 ? '' : '. This is normal if one source covers less or omits such rows'
  return {
    table: names.other,
    // If the other table also holds unrelated rows, the number of rows that only it has means nothing.
    rows: { alike, only: { [names.own]: only.own, ...(place === undefined ? {} : { [names.other]: only.other }) } },
    message: `${names.own} and ${names.other}: ${countText(alike)} rows are equal${said.join('')}${why}.`,
  }
}

async function pairQuery(rows: LakeRows, pair: SourcePair, part: RowPart): Promise<string> {
  const names = Object.keys(pair.values)
  const side = async (which: 'own' | 'other') => {
    const { table, key, where = 'true' } = pair[which]
    const at = which === 'own' ? 0 : 1
    const keys = key.map((value) => `(${value})::VARCHAR`)
    const values = names.map((name, position) => `(${pair.values[name]?.[at]})::VARCHAR AS v${position}`)
    const place = placeColumn(table)
    const named = keys.map((value, position) => `${value} AS k${position}`)
    const columns = [...named, ...values, `${place === null ? 'NULL' : `${sqlName(place)}`}::BIGINT AS place`]
    const condition = where.replace('$chain', chainCondition(rows, table))
    const source = rows.relation(table, await part.filesOf(table))
    return `(SELECT DISTINCT ${columns.join(', ')} FROM ${source} WHERE ${condition} AND ${part.condition(keys.slice(0, 2))})`
  }
  const keys = pair.own.key.map((_, position) => `own.k${position} = other.k${position}`).join(' AND ')
  const shown = pair.own.key.map((_, position) => `coalesce(own.k${position}, other.k${position}) AS k${position}`)
  const differs = names.map((_, position) => `own.v${position} <> other.v${position}`).join(' OR ')
  const different = names.map(
    (name, position) => `CASE WHEN own.v${position} <> other.v${position} THEN ${sqlText(name)} END`,
  )
  const first = (which: string) =>
    `CASE ${names.map((_, position) => `WHEN own.v${position} <> other.v${position} THEN ${which}.v${position}`).join(' ')} END`
  const extra = pair.place === undefined ? 'false' : `own.k0 IS NULL AND ${covered(rows, pair.own.table, 'other')}`
  const missing = pair.bothCovered === true ? `other.k0 IS NULL AND ${covered(rows, pair.other.table, 'own')}` : 'false'
  return `WITH joined AS (
      SELECT ${shown.join(', ')}, coalesce(own.place, other.place) AS place, own.k0 IS NULL AS no_own, other.k0 IS NULL AS no_other,
        CASE WHEN ${extra} THEN 'extra' WHEN ${missing} THEN 'missing' WHEN ${differs} THEN 'different'
          WHEN other.k0 IS NULL THEN 'own' WHEN own.k0 IS NULL THEN ${pair.place === undefined ? 'NULL' : "'other'"} ELSE 'alike' END AS what,
        coalesce(${different.join(', ')}) AS name, ${first('own')} AS own_value, ${first('other')} AS other_value
      FROM ${await side('own')} own FULL JOIN ${await side('other')} other ON ${keys})
    SELECT *, 1 AS n FROM (SELECT * FROM joined WHERE what IN ('extra', 'missing', 'different') ORDER BY place, k1 LIMIT ${mostFindings})
    UNION ALL BY NAME SELECT what, count(*) AS n FROM joined WHERE what IN ('alike', 'own', 'other') GROUP BY what`
}

function placeColumn(table: Table): 'height' | 'block_number' | null {
  if ('block_number' in table.columns) return 'block_number'
  return 'height' in table.columns ? 'height' : null
}

/** An SQL condition that selects rows of the other side at heights that the table covers. */
function covered({ inventory }: LakeRows, table: Table, side: 'own' | 'other'): string {
  const own = inventory.coverage.filter(
    (row) => row.table === table.name && isBlocks(row) && (!('chain_id' in table.columns) || isOfC(inventory, row)),
  )
  const slices = own.map(
    ({ network, slice }) =>
      `(${side}.k0 = ${sqlText(network)} AND ${side}.place BETWEEN ${slice.from} AND ${slice.to - 1})`,
  )
  return `(${slices.join(' OR ') || 'false'})`
}

/** Whether a stream reads the C-Chain. A node also has other EVM chains; the C-Chain of an unknown network is not recognized. */
function isOfC({ networks }: LakeRows['inventory'], { network, origin }: CoverageRow): boolean {
  const known = networks.find((each) => each.network === network)
  const id = known === undefined ? null : evmChainId(known.networkId)
  return id !== null && origin.chain === String(id)
}

/** Whether every block, transaction and log of the slice was read, unlike logs of some contracts or every hundredth block. */
function isBlocks({ origin }: CoverageRow): boolean {
  return ['block', 'evm-blocks'].includes(origin.kind ?? '') && isWhole(origin)
}

/** An SQL condition that selects the C-Chain of each network, by its EVM chain id or its blockchain id. */
function chainCondition({ inventory }: LakeRows, table: Table): string {
  if (!('chain_id' in table.columns)) return 'true'
  const networks = inventory.networks.flatMap(({ network, networkId }) => {
    const ids = [evmChainId(networkId), chainId(inventory, network, 'C')]
      .filter((id) => id !== null)
      .map((id) => sqlText(String(id)))
    return [`(network = ${sqlText(network)} AND chain_id IN (${ids.join(', ')}))`]
  })
  return `(${networks.join(' OR ') || 'false'})`
}

type What = 'different' | 'missing' | 'extra'

function pairFinding({ inventory }: LakeRows, { own, other }: SourcePair, row: AnswerRow): Finding {
  const kind = ({ different: 'source.different', missing: 'source.missing', extra: 'source.extra' } as const)[
    row['what'] as What
  ]
  const messages = {
    different: `${row['name']} of a row differs between ${own.table.name} and ${other.table.name}.`,
    missing: `${other.table.name} does not have a row that ${own.table.name} has, although both cover the height.`,
    extra: `${other.table.name} has a row that ${own.table.name} does not have, although ${own.table.name} covers the height.`,
  }
  const place = row['place'] === null ? {} : { height: row['place'] }
  const chain = chainId(inventory, row['k0'], own.table.name.startsWith('c_') ? 'C' : 'X')
  return {
    message: messages[row['what'] as What],
    ...placeOfRow(inventory, own.table, { network: row['k0'], blockchain_id: chain, ...place }),
    kind,
    otherTable: other.table.name,
    ...(kind === 'source.different' ? { columns: [row['name']] } : {}),
    key: Object.fromEntries(own.key.map((name, position) => [name, String(row[`k${position}`])])),
    ...(kind === 'source.different'
      ? { expected: `${row['own_value']}`, found: `${row['other_value']} in ${other.table.name}` }
      : {}),
  }
}
