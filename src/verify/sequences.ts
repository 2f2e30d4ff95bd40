import type { CoverageRow, Inventory, StreamFacts } from '../catalog/catalog.ts'
import type { Table } from '../define/index.ts'
import { countText, sqlName, sqlText } from '../lib/text.ts'
import { isCChain } from '../sources/known-networks.ts'
import { type Check, tableNamed, words } from './checks.ts'
import { type Checked, chainNames, type LakeRows, loadTables, mostFindings, rowCount, tablesWithFiles } from './lake.ts'
import type { Remark } from './report.ts'

/** A table with one row at each coordinate that a stream covers, or at each multiple of its step. */
export type Sequence = {
  readonly table: Table
  /** The kinds of its streams, and which chain they are of: P, C, or X and others of its kind; null: any. */
  readonly kinds: readonly string[]
  readonly of: 'P' | 'X' | 'C' | null
  /** The column that selects the rows of a chain: by its id, or by its name in streams and raw containers. Absent if there is only one. */
  readonly chain?: { readonly column: string; readonly value: 'name' | 'blockchainId' | 'raw' }
  /** The column that counts up. */
  readonly place: string
  /** SQL: the coordinate of a row, at most one above its place. Default: its place. */
  readonly at?: string
  /** An SQL condition that selects the rows of the sequence, if the table holds other rows too. */
  readonly only?: string
  /** Whether the chain may leave out numbers (null rounds): the next block then names the last one before as its parent. */
  readonly mayLeaveOut?: true
  /** The columns of the id and the parent id of blocks. */
  readonly link?: { readonly id: string; readonly parent: string }
}

/** The sequence that a stream has in a table. */
export function sequenceOf({ table, origin }: Pick<CoverageRow, 'table' | 'origin'>): Sequence | undefined {
  const { kind = '', chain } = origin
  const own = chain === 'P' || chain === 'C' ? chain : 'X'
  return sequences.find(
    (each) => each.table.name === table && each.kinds.includes(kind) && (each.of === null || each.of === own),
  )
}

const byId = { column: 'blockchain_id', value: 'blockchainId' } as const
const byBlockId = { id: 'block_id', parent: 'parent_id' }
const byHash = { id: 'block_hash', parent: 'parent_hash' }

const sequence = (
  table: string,
  kinds: string,
  of: Sequence['of'],
  place: string,
  more: Pick<Sequence, 'chain' | 'at' | 'only' | 'mayLeaveOut' | 'link'>,
): Sequence => ({ table: tableNamed(table), kinds: words(kinds), of, place, ...more })

/** All tables with consecutive rows. */
export const sequences: readonly Sequence[] = [
  sequence('p_blocks', 'block', 'P', 'height', { link: byBlockId }),
  sequence('x_blocks', 'block', 'X', 'height', { chain: byId, link: byBlockId }),
  sequence('c_blocks', 'block', 'C', 'block_number', { chain: byId, link: byHash }),
  // Transactions of blocks have the index of the block's container.
  sequence('x_transactions', 'tx', 'X', 'container_index', { chain: byId, only: "timestamp_source = 'accepted'" }),
  sequence('x_vertices', 'vtx', 'X', 'container_index', { chain: byId }),
  sequence('containers', 'block tx vtx', null, 'container_index', {
    chain: { column: 'chain', value: 'raw' },
    // The index does not count the genesis block, which has height 0.
    at: "(container_index + CASE WHEN chain LIKE '%/%' THEN 0 ELSE 1 END)",
  }),
  sequence('evm_blocks', 'evm-blocks', null, 'block_number', {
    chain: { column: 'chain_id', value: 'name' },
    mayLeaveOut: true,
    link: byHash,
  }),
]

/**
 * The covered slices of sequences, with SQL conditions that select the rows of their chains: each multiple of `step` from `from` (included) to
 * `to` (excluded) has a row.
 */
export function coveredSequences(inventory: Inventory) {
  return inventory.coverage.flatMap((row) => {
    const sequence = sequenceOf(row)
    if (sequence === undefined) return []
    const condition = rowsOfSequence(inventory, sequence, row.origin)
    const step = Number(row.origin.parameters['step'] ?? 1)
    return [{ sequence, row, condition, step, ...row.slice }]
  })
}

/** An SQL condition that selects the rows that a stream has in its sequence. */
export function rowsOfSequence(
  inventory: Pick<Inventory, 'networks'>,
  sequence: Sequence,
  origin: StreamFacts,
): string {
  const { chain, only } = sequence
  const conditions = [
    `network = ${sqlText(origin.network)}`,
    ...(chain === undefined ? [] : [`${sqlName(chain.column)} = ${sqlText(chainOf(inventory, sequence, origin))}`]),
    ...(only === undefined ? [] : [only]),
  ]
  return conditions.join(' AND ')
}

function chainOf(networks: Pick<Inventory, 'networks'>, { chain }: Sequence, origin: StreamFacts): string {
  return chainNames(networks, origin)[chain?.value ?? 'name']
}

/** How many rows are put in order at once. */
const rowsAtOnce = 100_000

/** How many numbers a chain leaves out at most, one after another. */
const mostLeftOut = 64

/** The slices of sequences as a table, so that checks can join them. */
export async function loadSlices({ engine, inventory }: LakeRows): Promise<void> {
  const names =
    'table_name, network, chain, stream, first BIGINT, last BIGINT, step BIGINT, is_linked BOOLEAN, may_leave_out BOOLEAN, first_id, last_id'
  const slices = coveredSequences(inventory).map(({ sequence, row, step, from, to }) => {
    const { table, link, mayLeaveOut } = sequence
    const { network, origin, stream, blockEnds, ends: recordEnds } = row
    const mayLack = mayLeaveOut === true && !isCChain(network, origin.chain ?? '')
    // Records of RPC are blocks. Records of an index are containers that hold blocks.
    const ends = link === undefined ? null : origin.kind === 'block' ? blockEnds : recordEnds
    const place = [table.name, network, chainOf(inventory, sequence, origin), stream, from, to, step]
    return [...place, link !== undefined && step === 1, mayLack, ends?.firstId ?? null, ends?.lastId ?? null]
  })
  await loadTables(engine, { [`catalog_slices, ${names}`]: slices })
}

/**
 * Checks that each covered height has a row, unless the next row proves that the chain left it out, that each row names its predecessor, and that
 * the first and the last block of a slice are those of the catalog, which runs use to join slices. With a step, the predecessor is not in the lake:
 * then a chain may have left out numbers without a trace, which is a remark.
 */
export function sequenceCheck({ inventory }: Pick<LakeRows, 'inventory'>, sequence: Sequence): Check {
  const { table, link } = sequence
  const [id, parent] = link === undefined ? ['NULL', 'NULL'] : [sqlName(link.id), sqlName(link.parent)]
  const near = `${mostLeftOut + 1} * step`
  const steps = coveredSequences(inventory).flatMap((each) => (each.sequence === sequence ? [each.step] : []))
  return {
    what: `heights and parents of ${table.name}`,
    tables: [table],
    files: [],
    covered: [table],
    parts: { place: sequence.place, keys: [], atOnce: rowsAtOnce, margin: (mostLeftOut + 1) * Math.max(1, ...steps) },
    sql: `WITH slices AS (
        SELECT row_number() OVER () AS slice, *, greatest(first, $from) AS low, least(last, $to) AS high,
          (low + step - 1) // step * step AS wanted, (high - 1) // step * step AS final,
          (first + step - 1) // step * step AS first_wanted, (last - 1) // step * step AS last_wanted
        FROM (${slicesOf(table)}) WHERE first < $to AND last > $from),
      placed AS (
        SELECT slice, place, ${id} AS id, ${parent} AS parent, file_index
        FROM (SELECT *, ${placeOf(sequence)} AS place FROM ${sqlName(table.name)}) own
          JOIN slices ON ${isOfSlice(sequence)} AND place >= low - ${near} AND place < high + ${near} AND place % step = 0
        UNION ALL BY NAME SELECT slice FROM slices),
      -- The row without a place is the end of its slice.
      joined AS (
        SELECT *, lag(place) OVER own AS before, lag(id) OVER own AS before_id
        FROM placed WINDOW own AS (PARTITION BY slice ORDER BY place NULLS LAST)),
      compared AS (
        SELECT *, greatest(coalesce(before + step, wanted), wanted) AS gap, least(coalesce(place - step, final), final) AS gap_end,
          (gap_end - gap) // step + 1 AS n,
          least(coalesce(place - step, last_wanted), last_wanted)
            - greatest(coalesce(before + step, first_wanted), first_wanted) AS length,
          place >= low AND place < high AS is_within,
          CASE WHEN NOT may_leave_out THEN false WHEN NOT is_linked THEN length < ${mostLeftOut} * step
            WHEN before IS NOT NULL AND place IS NOT NULL THEN parent = before_id
            ELSE (gap = first AND id = first_id) OR (gap_end = last - 1 AND before_id = last_id) END IS TRUE AS is_left_out
        FROM joined JOIN slices USING (slice))
      SELECT * FROM (SELECT * FROM (
        SELECT 'rows.missing' AS kind, network, stream, gap AS height, gap AS first, gap_end + 1 AS last, n FROM compared
          WHERE gap <= gap_end AND NOT is_left_out
        UNION ALL BY NAME SELECT 'rows.parent' AS kind, network, stream, place AS height, before AS first, place + 1 AS last,
            file_index::INTEGER AS file_index, 'parent ' || before_id AS expected, 'parent ' || parent AS found FROM compared
          WHERE is_linked AND is_within AND before >= first AND before = place - 1 AND parent <> before_id
        UNION ALL BY NAME SELECT 'catalog.coverage' AS kind, network, stream, place AS height, place AS first, place + 1 AS last,
            CASE WHEN place = first_wanted AND id <> first_id THEN first_id ELSE last_id END AS expected, id AS found FROM compared
          WHERE is_within AND ((place = first_wanted AND id <> first_id) OR (place = last_wanted AND id <> last_id))
        ) ORDER BY row_number() OVER (PARTITION BY network, stream ORDER BY height), height LIMIT ${mostFindings})
      UNION ALL BY NAME SELECT stream AS what, sum(n)::BIGINT AS n FROM compared
        WHERE gap <= gap_end AND is_left_out AND NOT is_linked GROUP BY stream`,
    says: {
      'rows.missing': `Rows of ${table.name} are missing, although the catalog lists them as covered.`,
      'rows.parent': `The parent of a row of ${table.name} is not the row before it.`,
      'catalog.coverage': `The first or last block of a covered slice of ${table.name} differs from the catalog.`,
    },
    key: [],
    remarks: (counts) => [...counts].map(leftOutRemark),
  }
}

/** Checks that no row of a sequence is outside of the coverage. */
export function beyondCheck(sequence: Sequence): Check {
  const { table, only = 'true' } = sequence
  return {
    what: `coverage of ${table.name}`,
    tables: [table],
    sql: `SELECT own.network, count(*) AS n, min(own.place) AS height, min(own.place) AS first, max(own.place) + 1 AS last,
        min(own.file_index)::INTEGER AS file_index
      FROM (SELECT *, ${placeOf(sequence)} AS place FROM ${sqlName(table.name)} WHERE place IS NOT NULL AND ${only}) own
        ANTI JOIN (${slicesOf(table)}) slices ON ${isOfSlice(sequence)} AND own.place >= first AND own.place < last
      GROUP BY own.network`,
    says: { 'rows.beyond': `${table.name} has rows outside of its covered slices.` },
    key: [],
  }
}

function slicesOf({ name }: Table): string {
  return `FROM catalog_slices WHERE table_name = ${sqlText(name)}`
}

/** SQL: whether a row (`own`) is of the chain of a slice (`slices`). */
function isOfSlice({ chain, only }: Sequence): string {
  const ofChain = chain === undefined ? '' : ` AND own.${sqlName(chain.column)} = slices.chain`
  return `own.network = slices.network${ofChain}${only === undefined ? '' : ` AND ${only}`}`
}

function placeOf({ place, at = sqlName(place) }: Sequence): string {
  return at
}

function leftOutRemark([stream, count]: readonly [string, number]): Remark {
  return {
    stream,
    message: `${countText(count)} ${count === 1 ? 'number has' : 'numbers have'} no block. Some chains leave out numbers; in a stream with step nothing shows whether this one did.`,
  }
}

/** Of a table with more rows, one block in this many is compared. */
const sampled = 64
const wholeRows = 1_000_000

/**
 * EVM chains that the lake has under two names: by two networks, or by a chain id and a blockchain id. Blocks of equal hashes show it, and
 * otherwise transactions of equal hashes in blocks of equal numbers.
 */
export async function secondNames(rows: LakeRows): Promise<Checked> {
  const found = new Map<string, Remark>()
  const add = (names: readonly string[], proof: string, table?: string): void => {
    const [first, ...others] = names
    for (const other of others)
      if (!found.has(`${first} ${other}`))
        found.set(`${first} ${other}`, {
          message: `${first} and ${other} are one EVM chain: ${proof}. Sums over both count its rows twice. \`chainlake repair --chain ${other}\` removes the rows of one of them.`,
          ...(table === undefined ? {} : { table }),
        })
  }
  for (const names of namesOfBlocks(rows.inventory)) add(names, 'the same block identifies both')
  for (const table of tablesWithFiles(rows)) {
    const proof = proofIn(table)
    if (proof === null || !rows.looksAt(table)) continue
    const relation = rows.relation(table, rows.filesOf(table))
    const [names] = await rows.engine.rows(`SELECT count(DISTINCT (network, chain_id))::INT AS n FROM ${relation}`)
    if (Number(names?.['n']) < 2) continue
    const sample = rowCount(rows.filesOf(table)) > wholeRows ? `AND block_number % ${sampled} = 0` : ''
    const same = await rows.engine.rows(
      `SELECT names, count(*)::BIGINT AS n FROM (SELECT list_sort(list(DISTINCT network || '/' || chain_id)) AS names FROM ${relation} WHERE block_number > 0 ${sample} GROUP BY ${proof.columns} HAVING count(DISTINCT (network, chain_id)) > 1) GROUP BY names ORDER BY names`,
    )
    for (const { names, n } of same)
      add(
        names as unknown as string[],
        `${table.name} has ${countText(Number(n))} ${proof.what} under both names`,
        table.name,
      )
  }
  return { findings: [], remarks: [...found.values()] }
}

/** Names of chains that the same block identifies. A genesis block may be that of several chains. */
function namesOfBlocks({ anchors }: Inventory): string[][] {
  const byHash = new Map<string, string[]>()
  for (const { network, chainId, number, hash } of anchors)
    if (number > 0) byHash.set(hash, [...(byHash.get(hash) ?? []), `${network}/${chainId}`])
  return [...byHash.values()].filter((names) => names.length > 1)
}

/** The columns with which a table shows that two rows are of one chain; null if it has none. */
function proofIn({ columns }: Table): { readonly columns: string; readonly what: string } | null {
  const has = (name: string) => Object.hasOwn(columns, name)
  if (!['network', 'chain_id', 'block_number'].every(has)) return null
  if (has('block_hash')) return { columns: 'block_number, block_hash', what: 'blocks' }
  return has('transaction_hash') ? { columns: 'block_number, transaction_hash', what: 'transactions' } : null
}
