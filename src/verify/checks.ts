import { tables } from '../../schemas/index.ts'
import { chains, observations } from '../../schemas/lake.ts'
import type { InventoryFile } from '../catalog/catalog.ts'
import type { Table } from '../define/index.ts'
import { sqlName, sqlText } from '../lib/text.ts'
import {
  type Checked,
  type LakeRows,
  loadTables,
  mostFindings,
  placeAmong,
  placeOfRow,
  type Row,
  rowParts,
} from './lake.ts'
import type { Finding, FindingKind, Remark } from './report.ts'

/** How many rows of all tables are joined at once, and how many hashes of keys are in memory at once. */
const rowsAtOnce = 1_000_000
const hashesAtOnce = 3_000_000

/**
 * One SQL text that returns offending rows. It names the tables of the lake as users do; the executor puts the rows of one part in their
 * place. Columns of the answer become a finding: the key and the place of the row, `kind`, `name`, `columns`, `expected`, `found`, `file_index` or `file`, `table_name`,
 * `n`, the number of rows, `stream`, and its slice (`first`, included, and `last`, excluded). Rows with `what` are no findings: remarks say how many (`n`) there were.
 */
export type Check = {
  /** A name for progress. */
  readonly what: string
  /** The tables that it reads. Findings are about the first, and the second contradicts it. None: it reads what the catalog says. */
  readonly tables: readonly Table[]
  /** The tables that must have files (default: all), and those that a stream must cover. Otherwise the check is left out. */
  readonly files?: readonly Table[]
  readonly covered?: readonly Table[]
  /** Whether no table may have lost rows for good. */
  readonly isWhole?: true
  /** How to cut the rows into parts: by a place, or by the hash of values that are equal in rows that belong together. Default: not at all. */
  readonly parts?: {
    readonly place: string | null
    readonly keys: readonly (readonly string[])[]
    readonly atOnce?: number
    /** How many places before and after a part are read, too. `$from` (included) and `$to` (excluded) are the ends of the part itself. */
    readonly margin?: number
  }
  /**
   * SQL that returns hashes of rows that may be wrong (`h`), with their `place`, or with `what` to count them. `sql` then reads only rows with a
   * hash in `$suspects`: texts of millions of keys do not fit into memory, and DuckDB cannot spill aggregates of texts and lists.
   */
  readonly suspects?: string
  readonly sql: string
  /** The message of each kind of finding; a row without a kind has the first one. `{name}` stands for the column `name` of the answer, and so on. */
  readonly says: Partial<Record<FindingKind, string>>
  /** The columns of the answer that are the key of a finding, none for a slice. Default: the key of the table. */
  readonly key?: readonly string[]
  /** Whether the second table does not contradict. */
  readonly isAlone?: true
  /** A remark about suspects that are no findings, because there are too many. */
  readonly more?: (count: string) => string
  readonly remarks?: (counts: ReadonlyMap<string, number>) => readonly Remark[]
}

export function tableNamed(name: string): Table {
  const found = (tables as readonly Table[]).find((table) => table.name === name)
  if (found === undefined) throw new TypeError(`No table ${name} is declared.`)
  return found
}

/** SQL of the same value on two sides. */
export type Both = readonly [own: string, other: string]

export const words = (text: string): string[] => text.match(/\S+/g) ?? []
/** Columns of two tables: those of the same name, and others such as `tx_id=staked_tx_id`. */
export const bothOf = (text: string): Both[] =>
  words(text).map((word) => {
    const [own = '', other = own] = word.split('=')
    return [own, other]
  })

/** SQL that joins rows of two tables, `own` and `other`, by values that identify them, and compares other values of them. */
export function joining(keys: readonly Both[], values: readonly Both[]) {
  const differs = values.map((_, at) => `own.v${at} <> other.v${at}`)
  const named = (name: string, all: readonly Both[], side: 0 | 1) =>
    all.map((both, at) => `${both[side]} AS ${name}${at}`)
  return {
    columns: (side: 0 | 1): string => [...named('k', keys, side), ...named('v', values, side)].join(', '),
    on: keys.map((_, at) => `own.k${at} = other.k${at}`).join(' AND '),
    isDifferent: differs.join(' OR '),
    /** Something of the first value that differs. */
    first: (of: (at: number) => string): string =>
      `CASE ${differs.map((differ, at) => `WHEN ${differ} THEN ${of(at)}`).join(' ')} END`,
  }
}

/** Runs a check on all parts of its tables. */
export async function runCheck(rows: LakeRows, check: Check): Promise<Checked> {
  const { tables, parts, more, remarks } = check
  const counts = new Map<string, number>()
  let [findings, suspected]: [readonly Finding[], number] = [[], 0]
  const limit = tables.length === 0 ? Infinity : mostFindings
  const { place = null, margin = 0, atOnce = parts === undefined ? Infinity : rowsAtOnce } = parts ?? {}
  for (const part of await rowParts(rows, tables, { place, margin, rowsAtOnce: atOnce })) {
    const most = Math.max(0, limit - findings.length)
    if (most === 0 && more === undefined && remarks === undefined) break
    const found = await runPart(rows, check, part, most)
    findings = mostOfEach([...findings, ...found.findings], limit)
    suspected += found.suspected
    for (const { what, n } of found.counts) counts.set(what, (counts.get(what) ?? 0) + Number(n))
  }
  const left = suspected - findings.length
  const said = left > 0 && more !== undefined ? [{ table: tables[0]!.name, message: more(`${left} more`) }] : []
  return { findings, remarks: [...said, ...(remarks?.(counts) ?? [])] }
}

/** The first findings of each stream, so that no stream hides those of another one. */
function mostOfEach(findings: readonly Finding[], limit: number): readonly Finding[] {
  if (findings.length <= limit) return findings
  const ranks = new Map<string | undefined, number>()
  const ranked = findings.map((finding) => {
    const rank = ranks.get(finding.stream) ?? 0
    ranks.set(finding.stream, rank + 1)
    return { finding, rank }
  })
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, limit)
    .map(({ finding }) => finding)
}

type RowPart = Awaited<ReturnType<typeof rowParts>>[number]

/** Gives the SQL of a check the rows of a part under the names of their tables. */
async function runPart(rows: LakeRows, check: Check, part: RowPart, most: number) {
  const { tables, parts, suspects, sql } = check
  const files = await Promise.all(tables.map(part.filesOf))
  const sources = tables.map((table, at) => {
    const condition = part.condition(parts?.keys[at] ?? [])
    return `${sqlName(table.name)} AS NOT MATERIALIZED (FROM ${rows.relation(table, files[at] ?? [])} WHERE ${condition})`
  })
  const inPart = (query: string) => query.replaceAll('$from', String(part.from)).replaceAll('$to', String(part.to))
  const within = (query: string) => `${sources.length === 0 ? '' : `WITH ${sources.join(', ')}`} FROM (${query})`
  const none = { count: 0, first: '', counts: [] }
  const found = suspects === undefined ? none : await findSuspects(rows, within(suspects), most)
  const { first } = found
  const ordered = tables.length === 0 ? ' ORDER BY ALL' : ''
  const answer =
    first === null ? [] : await rows.engine.rows(within(inPart(sql.replaceAll('$suspects', first))) + ordered)
  const isCount = ({ what }: Row) => typeof what === 'string'
  return {
    findings: answer.filter((row) => !isCount(row)).map((row) => findingOf(rows, check, files[0] ?? [], row)),
    counts: [...answer.filter(isCount), ...found.counts],
    suspected: found.count,
  }
}

/** `first`: the first hashes by place, as an SQL list for IN; null if there are none. */
async function findSuspects({ engine }: LakeRows, query: string, most: number) {
  await engine.rows(
    `CREATE OR REPLACE TEMP TABLE suspects AS FROM (${query}) UNION ALL BY NAME SELECT NULL::VARCHAR AS what WHERE false`,
  )
  const counts = await engine.rows('SELECT what, count(*)::INTEGER AS n FROM suspects GROUP BY what')
  const first = await engine.rows(
    `SELECT DISTINCT place, h::VARCHAR AS h FROM suspects WHERE what IS NULL ORDER BY place, h LIMIT ${most}`,
  )
  await engine.rows('DROP TABLE suspects')
  return {
    count: Number(counts.find(({ what }) => what === null)?.['n'] ?? 0),
    first: first.length === 0 ? null : `(${first.map(({ h }) => `${h}::UBIGINT`).join(', ')})`,
    counts: counts.filter(({ what }) => what !== null),
  }
}

function findingOf(
  { inventory }: LakeRows,
  { tables: [about, other], says, key = about?.key ?? [], isAlone }: Check,
  files: readonly InventoryFile[],
  row: Row,
): Finding {
  const kind: FindingKind = row['kind'] ?? Object.keys(says)[0]
  const keys = row['key'] ?? Object.fromEntries(key.map((name) => [name, String(row[name])]))
  const facts = {
    stream: row['stream'],
    slice: row['first'] == null ? null : { from: Number(row['first']), to: Number(row['last']) },
    file: row['file'] ?? files[Number(row['file_index'] ?? Number.NaN)]?.path,
    otherTable: isAlone === true ? null : other?.name,
    columns: row['columns'],
    key: key.length === 0 ? null : keys,
    expected: row['expected']?.toString(),
    found: row['found']?.toString(),
    rows: row['n'] == null ? null : Number(row['n']),
  }
  return {
    kind,
    message: row['message'] ?? says[kind]?.replace(/\{(\w+)\}/g, (_, name) => row[name]),
    ...placeOfRow(inventory, about ?? { name: row['table_name'] }, row),
    ...Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact != null)),
  }
}

export const text = (sql: string): string => `${sql}::VARCHAR`
export const textList = (texts: readonly string[]): string => `[${texts.map(sqlText).join(', ')}]`

/** The columns that locate a row, as SQL texts, and its key. Own tables may name the columns of their keys like those of an answer. */
export function shown({ columns, key }: Table, among: readonly string[] = Object.keys(columns)): string {
  const places = ['network', 'blockchain_id', 'chain_id', 'height', 'block_number'].filter((name) =>
    among.includes(name),
  )
  const keys = key.map((name) => `${sqlName(name)}: coalesce(${text(sqlName(name))}, 'null')`)
  return [...places.map((name) => `${text(name)} AS ${name}`), `{${keys.join(', ')}} AS key`].join(', ')
}

/** Checks that no two rows of a table have the same key. Keys are counted by hash. */
export function keyCheck(table: Table): Check {
  const columns = table.key.map(sqlName)
  const key = columns.join(', ')
  return {
    what: `keys of ${table.name}`,
    tables: [table],
    parts: { place: placeAmong(table.key, [table]), keys: [columns], atOnce: hashesAtOnce },
    // A column of an own table may be called h.
    suspects: `SELECT h, 0 AS place FROM (SELECT hash(${key}) AS h FROM ${sqlName(table.name)}) GROUP BY h HAVING count(*) > 1`,
    sql: `SELECT ${shown(table, table.key)}, count(*) AS n, min(file_index)::INTEGER AS file_index FROM ${sqlName(table.name)} own
      WHERE hash(${key}) IN $suspects GROUP BY ${columns.map((name) => `own.${name}`).join(', ')} HAVING count(*) > 1`,
    says: { 'rows.key': `Rows of ${table.name} have the same key.` },
    more: (count) => `${count} keys of ${table.name} have duplicates.`,
  }
}

/** Loads what the catalog knows of observations and chains as tables, so that checks can join them. */
export async function loadCatalog({ engine, inventory }: LakeRows): Promise<void> {
  const { observations: observed, streams, coverage, networks } = inventory
  const covered = new Set(coverage.flatMap(({ table, network }) => (table === chains.name ? [network] : [])))
  await loadTables(engine, {
    'catalog_observations, observation_id, network, pipeline, stream': [...observed].flatMap(([id, name]) => {
      const stream = streams.get(name)
      return stream === undefined ? [] : [[id, stream.network, stream.pipeline ?? null, stream.stream]]
    }),
    'catalog_chains, network, alias, blockchain_id, vm_id, subnet_id, native_asset_id, is_covered BOOLEAN':
      networks.flatMap(({ network, nativeAssetId, chains: known }) =>
        known.map(({ alias, blockchainId, vmId, subnetId }) => {
          return [network, alias, blockchainId, vmId, subnetId, nativeAssetId, covered.has(network)]
        }),
      ),
  })
}

/** Checks that rows have the id of an observation of the catalog, and belong to its network and pipeline. */
export function observationCheck(table: Table): Check {
  const named = table === observations ? ['network', 'pipeline'] : ['network']
  const differs = named.map((name) => `of.${name} IS DISTINCT FROM own.${name}`).join(' OR ')
  return {
    what: `observations of ${table.name}`,
    tables: [table],
    sql: `SELECT own.network, observation_id, CASE WHEN of.stream IS NULL THEN 'rows.orphan' ELSE 'rows.value' END AS kind,
        CASE WHEN of.stream IS NULL THEN ['observation_id'] ELSE ${textList(named)} END AS columns, of.stream AS expected,
        CASE WHEN of.stream IS NOT NULL THEN concat_ws('/', ${named.map((name) => `own.${name}`).join(', ')}) END AS found
      FROM (SELECT DISTINCT observation_id, ${named.join(', ')} FROM ${sqlName(table.name)}) own
        LEFT JOIN catalog_observations of USING (observation_id)
      WHERE of.stream IS NULL OR ${differs} LIMIT ${mostFindings}`,
    says: {
      'rows.orphan': `Rows of ${table.name} belong to no observation of the catalog.`,
      'rows.value': `The network or pipeline of rows of ${table.name} differs from their observation.`,
    },
    key: ['observation_id'],
  }
}

/** Checks that every row of an observation belongs to a subject that this observation has read completely. */
export function subjectCheck(table: Table): Check {
  return {
    what: `subjects of ${table.name}`,
    tables: [table, observations],
    sql: `SELECT network, subject, observation_id, ['subject', 'observation_id'] AS columns, count(*) AS n FROM ${sqlName(table.name)}
      ANTI JOIN observations o USING (network, subject, observation_id) GROUP BY ALL ORDER BY ALL LIMIT ${mostFindings}`,
    says: {
      'rows.orphan': `Rows of ${table.name} belong to a subject that ${observations.name} does not list for their observation.`,
    },
    key: ['subject', 'observation_id'],
  }
}

/** Checks that the table of chains has a row with the same ids for each chain of the catalog. */
export function chainCheck(): Check {
  const values = (of: string) =>
    ['alias', 'vm_id', 'subnet_id', 'native_asset_id'].map((name) => `coalesce(${of}.${name}, '')`).join(` || ', ' || `)
  return {
    what: 'the chains of networks',
    tables: [chains],
    files: [],
    sql: `SELECT known.network, known.blockchain_id, known.alias AS name, CASE WHEN own.network IS NULL THEN 'rows.missing' ELSE 'rows.count' END AS kind,
        CASE WHEN own.network IS NULL THEN 1 END AS n, CASE WHEN own.network IS NOT NULL THEN ${values('known')} END AS expected,
        CASE WHEN own.network IS NOT NULL THEN ${values('own')} END AS found
      FROM catalog_chains known LEFT JOIN chains own USING (network, blockchain_id)
      WHERE (own.network IS NULL AND (known.is_covered OR known.network IN (SELECT network FROM chains)))
        OR own.alias IS DISTINCT FROM known.alias AND own.network IS NOT NULL OR own.subnet_id <> known.subnet_id OR own.vm_id <> known.vm_id
        OR own.native_asset_id <> known.native_asset_id`,
    says: {
      'rows.missing': 'The table chains does not have the {name}-Chain.',
      'rows.count': 'The ids of the {name}-Chain in the table chains differ from the catalog.',
    },
    key: ['network', 'blockchain_id'],
  }
}
