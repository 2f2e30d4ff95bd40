import { evmTransactions } from '../../schemas/evm-blocks.ts'
import { evmTraces } from '../../schemas/evm-contracts.ts'
import { chains, observations } from '../../schemas/lake.ts'
import type { Inventory, InventoryFile } from '../catalog/catalog.ts'
import type { Table } from '../define/index.ts'
import { groupBy } from '../lib/arrays.ts'
import { countText, sqlName, sqlText } from '../lib/text.ts'
import { isWhole, type Slice, type Stream } from '../model.ts'
import { intersect, normalise } from '../plan/intervals.ts'
import { evmChainId, isCChain } from '../sources/known-networks.ts'
import {
  type AnswerRow,
  type Checked,
  chainId,
  isCChainIn,
  type LakeRows,
  loadTexts,
  mostFindings,
  ofCChains,
  placeAmong,
  placeOfRow,
  type RowPart,
  rowParts,
} from './lake.ts'
import type { Finding, FindingKind, Remark } from './report.ts'
import { type Changes, type Copy, type Count, type OfTransactions, rulesOf, type SourcePair } from './same-facts.ts'
import { rowsBetween, waitingCondition, waitingFor } from './streams.ts'

/** How many rows of all tables are joined at once, and how many hashes of keys are in memory at once. */
const rowsAtOnce = 1_000_000
const hashesAtOnce = 3_000_000

/**
 * One SQL text that returns offending rows. It names the tables of the lake as users do; the executor puts the rows of one part in their
 * place. Columns of the answer become a finding: the key and the place of the row, `kind`, `name`, `columns`, `expected`, `found`, `file_index`,
 * `n`, the number of rows, `stream`, and its slice (`first`, included, and `last`, excluded). Rows with `what` are no findings: remarks say how many (`n`) there were.
 */
export type Check = {
  /** A name for progress. */
  readonly what: string
  /** The tables that it reads. Findings are about the first, and the second contradicts it. */
  readonly tables: readonly [Table, ...Table[]]
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
  /** The message of each kind of finding; a row without a kind has the first one. `{name}` stands for the column `name` of the answer. */
  readonly says: Partial<Record<FindingKind, string>>
  /** The columns of the answer that are the key of a finding, none for a slice. Default: the key of the table. */
  readonly key?: readonly string[]
  /** Whether the second table does not contradict. */
  readonly isAlone?: true
  /** A remark about suspects that are no findings, because there are too many. */
  readonly more?: (count: string) => string
  readonly remarks?: (counts: ReadonlyMap<string, number>) => readonly Remark[]
}

/** Runs a check on all parts of its tables. */
export async function runCheck(rows: LakeRows, check: Check): Promise<Checked> {
  const { tables, parts, more, remarks } = check
  const findings: Finding[] = []
  const counts = new Map<string, number>()
  let suspected = 0
  const { place = null, margin = 0, atOnce = parts === undefined ? Infinity : rowsAtOnce } = parts ?? {}
  for (const part of await rowParts(rows, tables, { place, margin, rowsAtOnce: atOnce })) {
    const most = Math.max(0, mostFindings - findings.length)
    if (most === 0 && more === undefined && remarks === undefined) break
    const found = await runPart(rows, check, part, most)
    findings.push(...found.findings)
    suspected += found.suspected
    for (const { what, n } of found.counts) counts.set(what, (counts.get(what) ?? 0) + Number(n))
  }
  const reported = findings.slice(0, mostFindings)
  const left = suspected - reported.length
  const said = left > 0 && more !== undefined ? [{ table: tables[0].name, message: more(`${left} more`) }] : []
  return { findings: reported, remarks: [...said, ...(remarks?.(counts) ?? [])] }
}

type PartFound = {
  readonly findings: readonly Finding[]
  readonly counts: readonly AnswerRow[]
  readonly suspected: number
}

/** Gives the SQL of a check the rows of a part under the names of their tables. */
async function runPart(rows: LakeRows, check: Check, part: RowPart, most: number): Promise<PartFound> {
  const { tables, parts, suspects, sql } = check
  const files = await Promise.all(tables.map(part.filesOf))
  const sources = tables.map((table, at) => {
    const condition = part.condition(parts?.keys[at] ?? [])
    return `${sqlName(table.name)} AS NOT MATERIALIZED (FROM ${rows.relation(table, files[at] ?? [])} WHERE ${condition})`
  })
  const inPart = (query: string) => query.replaceAll('$from', String(part.from)).replaceAll('$to', String(part.to))
  const within = (query: string) => `WITH ${sources.join(', ')} FROM (${query})`
  const none = { count: 0, first: '', counts: [] }
  const found = suspects === undefined ? none : await findSuspects(rows, within(suspects), most)
  const { first } = found
  const answer = first === null ? [] : await rows.engine.rows(within(inPart(sql.replaceAll('$suspects', first))))
  const isCount = ({ what }: AnswerRow) => typeof what === 'string'
  return {
    findings: answer.filter((row) => !isCount(row)).map((row) => findingOf(rows, check, files[0] ?? [], row)),
    counts: [...answer.filter(isCount), ...found.counts],
    suspected: found.count,
  }
}

type Suspects = {
  readonly count: number
  /** The first hashes by place, as an SQL list for IN; null if there are none. */
  readonly first: string | null
  readonly counts: readonly AnswerRow[]
}

async function findSuspects({ engine }: LakeRows, query: string, most: number): Promise<Suspects> {
  await engine.rows(
    `CREATE OR REPLACE TEMP TABLE suspects AS FROM (${query}) UNION ALL BY NAME SELECT NULL::VARCHAR AS what WHERE false`,
  )
  const counts = await engine.rows('SELECT what, count(*)::INTEGER AS n FROM suspects GROUP BY what')
  const first = await engine.rows(
    `SELECT DISTINCT place, h::VARCHAR AS h FROM suspects WHERE what IS NULL ORDER BY place, h LIMIT ${most}`,
  )
  await engine.rows('DROP TABLE suspects')
  return {
    count: counts.find(({ what }) => what === null)?.['n'] ?? 0,
    first: first.length === 0 ? null : `(${first.map(({ h }) => `${h}::UBIGINT`).join(', ')})`,
    counts: counts.filter(({ what }) => what !== null),
  }
}

function findingOf(
  { inventory }: LakeRows,
  { tables: [about, other], says, key = about.key, isAlone }: Check,
  files: readonly InventoryFile[],
  row: AnswerRow,
): Finding {
  const kind = (row['kind'] ?? Object.keys(says)[0]) as FindingKind
  const file = files[Number(row['file_index'] ?? Number.NaN)]?.path
  const has = (name: string) => row[name] !== undefined && row[name] !== null
  return {
    kind,
    message: String(row['message'] ?? says[kind]).replace('{name}', row['name']),
    ...placeOfRow(inventory, about, row),
    ...(has('stream') ? { stream: row['stream'] } : {}),
    ...(has('first') ? { slice: { from: Number(row['first']), to: Number(row['last']) } } : {}),
    ...(file === undefined ? {} : { file }),
    ...(other === undefined || isAlone === true ? {} : { otherTable: other.name }),
    ...(has('columns') ? { columns: row['columns'] } : {}),
    ...(key.length === 0
      ? {}
      : { key: row['key'] ?? Object.fromEntries(key.map((name) => [name, String(row[name])])) }),
    ...(has('expected') ? { expected: String(row['expected']) } : {}),
    ...(has('found') ? { found: String(row['found']) } : {}),
    ...(has('n') ? { rows: Number(row['n']) } : {}),
  }
}

const text = (sql: string): string => `${sql}::VARCHAR`
const textList = (texts: readonly string[]): string => `[${texts.map(sqlText).join(', ')}]`

/** The columns that locate a row, as SQL texts, and its key. Own tables may name the columns of their keys like those of an answer. */
function shown({ columns, key }: Table, among: readonly string[] = Object.keys(columns)): string {
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

/** Checks that values of a row agree with each other, and with the streams that the catalog lists for its file. */
export function valueCheck({ inventory, filesOf }: LakeRows, table: Table): Check | null {
  const rules = rulesOf(table)
  const certain = `(${ofCChains(inventory)})`
  const wrong = (isWrong: string, message: string, columns: readonly string[], expected: string, found: string) => ({
    isWrong,
    answer: `CASE WHEN ${isWrong} THEN {message: ${sqlText(message)}, columns: ${textList(columns)}, expected: ${expected}, found: ${found}} END`,
  })
  const all = [
    ...rules.map(({ columns, holds, mayBreak }) =>
      wrong(
        `(NOT (${holds})${mayBreak ? ` AND ${certain}` : ''})`,
        `Columns of a row of ${table.name} contradict each other.`,
        columns,
        'NULL::VARCHAR',
        columns
          .map((name) => `${sqlText(`${name} `)} || coalesce(${text(sqlName(name))}, 'null')`)
          .join(` || ', ' || `),
      ),
    ),
    ...factsOf(table).flatMap((fact) => {
      const values = allowedIn(inventory, fact, filesOf(table))
      return values === null
        ? []
        : [
            wrong(
              `NOT list_contains(${values}, ${sqlName(fact.column)})`,
              `${fact.column} of a row of ${table.name} differs from the stream that its file was read from.`,
              [fact.column],
              `array_to_string(${values}, ', ')`,
              text(sqlName(fact.column)),
            ),
          ]
    }),
  ]
  const broken = rules.filter(({ mayBreak }) => mayBreak)
  const others = broken.map(
    ({
      columns,
      holds,
    }) => `UNION ALL BY NAME SELECT ${sqlText(`${columns.join(' and ')} `)} || network || '/' || chain_id AS what, count(*) AS n
      FROM ${sqlName(table.name)} WHERE NOT (${holds}) AND NOT ${certain} GROUP BY what`,
  )
  if (all.length === 0) return null
  return {
    what: `values of ${table.name}`,
    tables: [table],
    sql: `SELECT * FROM (SELECT * FROM (SELECT * EXCLUDE (wrong), unnest(wrong) FROM (
        SELECT ${shown(table)}, file_index::INTEGER AS file_index,
          unnest(list_filter([${all.map(({ answer }) => answer).join(', ')}], lambda each : each IS NOT NULL)) AS wrong
        FROM ${sqlName(table.name)} WHERE ${all.map(({ isWrong }) => isWrong).join(' OR ')})
        ) QUALIFY row_number() OVER (PARTITION BY message, columns) <= ${mostFindings}) ${others.join(' ')}`,
    says: { 'rows.value': '' },
    remarks: (counts) =>
      [...counts].map(([what, count]) => {
        const [, columns, chain] = /^(.*) (\S+)$/.exec(what) ?? []
        return {
          table: table.name,
          message: `${columns} of ${countText(count)} rows of ${table.name} of chain ${chain} differ. Some chains state them differently.`,
        }
      }),
  }
}

/** A fact about streams: the value of a column in all rows of a stream; undefined if the stream does not have one. */
type StreamFact = {
  readonly column: string
  readonly valueIn: (stream: Stream, idOf: IdOf) => string | undefined
}

/** The id of a chain, by its alias or id; undefined for an alias that the lake does not know because it was read from services only. */
type IdOf = (network: string, name: string) => string | undefined

const isEvmId = (chain: string) => /^\d+$/.test(chain)

/** The facts that streams hold in columns of their own. Their parameters hold what a table declares (`streamValues`). */
const columnFacts: readonly StreamFact[] = [
  { column: 'network', valueIn: ({ network }) => network },
  { column: 'chain_id', valueIn: ({ chain }) => (chain !== undefined && isEvmId(chain) ? chain : undefined) },
  {
    column: 'blockchain_id',
    valueIn: ({ network, chain }, idOf) => (chain === undefined || isEvmId(chain) ? undefined : idOf(network, chain)),
  },
]

export function factsOf({ name, columns, streamValues }: Table): StreamFact[] {
  return [
    // The blockchain ids of tables of the P-Chain are those of other chains.
    ...columnFacts.filter(({ column }) => column in columns && !(column === 'blockchain_id' && name.startsWith('p_'))),
    ...streamValues.map(({ column, parameter }) => ({
      column,
      valueIn: ({ parameters }: Stream) => parameters[parameter]?.toString(),
    })),
  ]
}

/** The values that a column may have in the rows of a file; null if the streams of the file do not say it. */
export function allowedValues(
  { streams }: Pick<Inventory, 'streams'>,
  { sources, network }: InventoryFile,
  { column, valueIn }: StreamFact,
  idOf: IdOf,
): string[] | null {
  if (column === 'network' && network !== null) return [network]
  if (sources.length === 0) return null
  const values = sources.map(({ stream: id }) => {
    const stream = streams.get(id)
    return stream === undefined ? undefined : valueIn(stream, idOf)
  })
  return values.some((value) => value === undefined) ? null : [...new Set(values as string[])]
}

/** SQL of the values that a column may have in a row, by the index of its file; null if no file says it. Most files say the same. */
function allowedIn(inventory: Inventory, fact: StreamFact, files: readonly InventoryFile[]): string | null {
  const idOf = (network: string, name: string) => {
    const id = chainId(inventory, network, name)
    return ['P', 'X', 'C'].includes(id) ? undefined : id
  }
  const lists = files.map((file) => {
    const values = allowedValues(inventory, file, fact, idOf)
    return values === null ? 'NULL' : textList(values)
  })
  const each = [...new Set(lists)]
  if (each.every((list) => list === 'NULL')) return null
  if (each.length === 1) return each[0] ?? null
  return `([${each.join(', ')}])[([${lists.map((list) => each.indexOf(list) + 1).join(', ')}])[file_index::BIGINT + 1]]`
}

/** Loads what the catalog knows of observations and chains as tables, so that checks can join them. */
export async function loadCatalog({ engine, inventory }: LakeRows): Promise<void> {
  await loadTexts(
    engine,
    'catalog_observations',
    ['observation_id', 'network', 'pipeline', 'stream'],
    [...inventory.observations].flatMap(([id, name]) => {
      const stream = inventory.streams.get(name)
      return stream === undefined ? [] : [[id, stream.network, stream.pipeline ?? null, stream.stream]]
    }),
  )
  const covered = new Set(inventory.coverage.flatMap(({ table, network }) => (table === chains.name ? [network] : [])))
  await loadTexts(
    engine,
    'catalog_chains',
    ['network', 'alias', 'blockchain_id', 'vm_id', 'subnet_id', 'native_asset_id', 'is_covered'],
    inventory.networks.flatMap(({ network, nativeAssetId, chains: known }) =>
      known.map(({ alias, blockchainId, vmId, subnetId }) => {
        const ids = [network, alias, blockchainId, vmId, subnetId, nativeAssetId]
        return [...ids, covered.has(network) ? 'true' : null]
      }),
    ),
  )
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
    sql: `SELECT known.network, known.blockchain_id, known.alias AS name, CASE WHEN own.network IS NULL THEN 'rows.missing' ELSE 'rows.count' END AS kind,
        CASE WHEN own.network IS NULL THEN 1 END AS n, CASE WHEN own.network IS NOT NULL THEN ${values('known')} END AS expected,
        CASE WHEN own.network IS NOT NULL THEN ${values('own')} END AS found
      FROM catalog_chains known LEFT JOIN chains own USING (network, blockchain_id)
      WHERE (own.network IS NULL AND (known.is_covered IS NOT NULL OR known.network IN (SELECT network FROM chains)))
        OR own.alias IS DISTINCT FROM known.alias AND own.network IS NOT NULL OR own.subnet_id <> known.subnet_id OR own.vm_id <> known.vm_id
        OR own.native_asset_id <> known.native_asset_id`,
    says: {
      'rows.missing': 'The table chains does not have the {name}-Chain.',
      'rows.count': 'The ids of the {name}-Chain in the table chains differ from the catalog.',
    },
    key: ['network', 'blockchain_id'],
  }
}

/** The columns that rows of both tables are counted by. */
const keyNames = ({ by, place, as }: Count): string[] => [
  ...(place === null ? [] : [place]),
  ...by,
  ...(as === undefined ? [] : [as.of]),
]

/**
 * Checks that numbers in rows of `of` equal the numbers of rows of `rows`, and that each row of `rows` belongs to a row of `of`. An optional
 * table, such as senders, may cover less, and the next run reads again what a repair removed: such rows are marked as waiting. Rows that another
 * stream wrote without the rows they belong to, such as logs by filter, are not orphans. They are counted if the lake has the rows they belong to.
 */
export function countCheck({ inventory }: LakeRows, count: Count): Check {
  const { of, number, rows: counted, by, place, as, alone } = count
  const isPlaced = 'height' in counted.columns || 'block_number' in counted.columns
  const uncounted = waitingCondition(inventory, of, waitingFor(inventory, counted, of))
  const waiting = waitingFor(inventory, of, counted)
  const unclaimed = isPlaced ? waitingCondition(inventory, counted, waiting) : 'false'
  const shared = [...(place === null ? [] : [place]), ...by].map(sqlName)
  const isThere = place === null ? '' : ` WHERE ${sqlName(place)} IS NOT NULL`
  const each = (table: Table, named: string | undefined, more: string) =>
    `SELECT ${[...shared, ...(as === undefined ? [] : [`${sqlName(named ?? '')} AS ${sqlName(as.of)}`]), more].join(', ')} FROM ${sqlName(table.name)}${isThere}`
  const both = `${each(of, as?.of, `${number ?? '0'} AS said, 0 AS there, true AS is_of, ${uncounted} IS TRUE AS waits`)}
    UNION ALL ${each(counted, as?.rows, `0, 1, false, ${unclaimed} IS TRUE`)}`
  const isOther = '(max(is_of) AND NOT bool_or(is_of AND waits) AND sum(said) <> sum(there))'
  // It is unknown which rows without a height the next run reads again, so none of them is called an orphan.
  const mayBeAlone = alone === true || (!isPlaced && waiting.length > 0)
  const isOrphan = '(NOT max(is_of) AND NOT bool_or(waits))'
  const isWrong = `${number === null ? 'false' : isOther} OR ${mayBeAlone ? 'false' : isOrphan}`
  const names = keyNames(count)
  const key = names.map(sqlName).join(', ')
  const last = (named: string | undefined) => [named === undefined ? (shared.at(-1) ?? '') : sqlName(named)]
  const rowsText = (sum: string) => `CASE WHEN max(is_of) THEN sum(${sum})::BIGINT || ' rows' END`
  return {
    what: `rows of ${counted.name}`,
    tables: [counted, of],
    parts: { place, keys: [last(as?.rows), last(as?.of)] },
    suspects: `SELECT h, min(place) AS place FROM (SELECT hash(${key}) AS h, ${place === null ? '0' : sqlName(place)} AS place, * FROM (${both}))
      GROUP BY h HAVING ${isWrong}`,
    sql: `SELECT ${key}, CASE WHEN max(is_of) THEN 'rows.count' ELSE 'rows.orphan' END AS kind, ${rowsText('said')} AS expected,
        ${rowsText('there')} AS found, CASE WHEN NOT max(is_of) THEN sum(there)::BIGINT END AS n
      FROM (${both}) WHERE hash(${key}) IN $suspects GROUP BY ${key} HAVING ${isWrong} ORDER BY ALL`,
    says: {
      'rows.count': `The number of rows of ${counted.name} differs from the number that ${of.name} states.`,
      'rows.orphan': `Rows of ${counted.name} belong to no row of ${of.name}.`,
    },
    key: names,
    more: (more) => `${more} rows of ${of.name} state a wrong number of rows of ${counted.name}.`,
  }
}

/** Checks that values that a row repeats from another table are equal there. Rows without a matching row are left to other checks. */
export function copyCheck({ inventory }: LakeRows, { table, of, by, values, where, mayBreak }: Copy): Check {
  const shared = by.flatMap(([own, other]) => (own === other ? [own] : []))
  const keys = ([0, 1] as const).map((at) => by.map((both) => both[at]))
  const side = (named: Table, at: 0 | 1, more: string, condition: string) => {
    const columns = [
      ...by.map((both, position) => `${both[at]} AS k${position}`),
      ...values.map((both, position) => `${both[at]} AS v${position}`),
    ]
    return `(SELECT ${columns.join(', ')}${more} FROM ${sqlName(named.name)} WHERE ${where[at]} AND ${condition})`
  }
  const differs = values.map((_, at) => `own.v${at} <> other.v${at}`)
  const first = (texts: (own: string, at: number) => string) =>
    `CASE ${values.map(([own], at) => `WHEN ${differs[at]} THEN ${texts(own, at)}`).join(' ')} END`
  const columnsIn = (sql: string) => (sql.match(/\w+/g) ?? []).filter((name) => name in table.columns)
  const joined = [...by.map((_, at) => `k${at}`), ...values.map((_, at) => `v${at}`)].join(', ')
  const wrong = (condition: string) => `FROM ${side(table, 0, `, ${shown(table)}`, condition)} own
      JOIN ${side(of, 1, '', 'true')} other ON ${by.map((_, at) => `own.k${at} = other.k${at}`).join(' AND ')}
      WHERE ${differs.join(' OR ')}`
  const certain = mayBreak ? `(${ofCChains(inventory)})` : 'true'
  const others = `UNION ALL BY NAME SELECT network || '/' || chain_id AS what, count(*) AS n ${wrong(`NOT ${certain}`)} GROUP BY what`
  return {
    what: `columns of ${table.name} that ${of.name} has too`,
    tables: [table, of],
    parts: { place: placeAmong(shared, [table, of]), keys },
    sql: `SELECT * FROM (SELECT own.* EXCLUDE (${joined}), ${first((own) => sqlText(own))} AS name, ${first((own) => textList(columnsIn(own)))} AS columns,
        ${first((_, at) => `own.v${at}::VARCHAR`)} AS found, ${first((_, at) => `other.v${at}::VARCHAR`)} AS expected
      ${wrong(certain)} LIMIT ${mostFindings}) ${mayBreak ? others : ''}`,
    says: { 'rows.value': `{name} of a row of ${table.name} differs from its row of ${of.name}.` },
    remarks: (counts) =>
      [...counts].map(([chain, count]) => ({
        table: table.name,
        message: `${values.map(([own]) => own).join(' and ')} of ${countText(count)} rows of ${table.name} of chain ${chain} differ from their rows of ${of.name}. Some chains state them differently.`,
      })),
  }
}

/** Checks that rows from two sources are equal, and that both have the same rows where both cover a height. */
export function pairCheck({ inventory }: LakeRows, { own, other, values, place, bothCovered }: SourcePair): Check {
  const shared = own.key.filter((name) => other.key.includes(name))
  const texts = (key: readonly string[]) => key.map((value) => text(`(${value})`))
  const names = Object.keys(values)
  const side = (at: 0 | 1) => {
    const { table, key, where } = at === 0 ? own : other
    const height = ['block_number', 'height'].find((name) => name in table.columns) ?? 'NULL'
    const columns = [
      ...texts(key).map((value, position) => `${value} AS k${position}`),
      ...names.map((name, position) => `(${values[name]?.[at]})::VARCHAR AS v${position}`),
      `${height}::BIGINT AS place`,
    ]
    return `(SELECT DISTINCT ${columns.join(', ')} FROM ${sqlName(table.name)} WHERE ${where.replace('$chain', cChainCondition(inventory, table))})`
  }
  const differs = names.map((_, at) => `own.v${at} <> other.v${at}`)
  const first = (value: (at: number) => string) =>
    `CASE ${differs.map((differ, at) => `WHEN ${differ} THEN ${value(at)}`).join(' ')} END`
  const extra = place === undefined ? 'false' : `own.k0 IS NULL AND ${coversC(inventory, own.table, 'other')}`
  const missing = bothCovered === true ? `other.k0 IS NULL AND ${coversC(inventory, other.table, 'own')}` : 'false'
  const key = own.key.map((name, at) => `k${at} AS ${sqlName(name)}`)
  const chain = own.table.name.startsWith('c_') ? 'C' : 'X'
  const blockchain = inventory.networks.map(
    ({ network }) => `WHEN ${sqlText(network)} THEN ${sqlText(chainId(inventory, network, chain))}`,
  )
  const located = [
    ...(own.key.includes('blockchain_id')
      ? []
      : [`CASE k0 ${blockchain.join(' ')} ELSE ${sqlText(chain)} END AS blockchain_id`]),
    ...(own.key.some((name) => name === 'height' || name === 'block_number') ? [] : ['place AS height']),
  ]
  const isFinding = "what IN ('source.extra', 'source.missing', 'source.different')"
  return {
    what: `${own.table.name} against ${other.table.name}`,
    tables: [own.table, other.table],
    parts: {
      place: placeAmong(shared, [own.table, other.table]),
      keys: [texts(own.key).slice(0, 2), texts(other.key).slice(0, 2)],
    },
    sql: `WITH joined AS (
        SELECT ${own.key.map((_, at) => `coalesce(own.k${at}, other.k${at}) AS k${at}`).join(', ')}, coalesce(own.place, other.place) AS place,
          CASE WHEN ${extra} THEN 'source.extra' WHEN ${missing} THEN 'source.missing' WHEN ${differs.join(' OR ')} THEN 'source.different'
            WHEN other.k0 IS NULL THEN 'own' WHEN own.k0 IS NULL THEN ${place === undefined ? 'NULL' : "'other'"} ELSE 'alike' END AS what,
          CASE WHEN what = 'source.different' THEN ${first((at) => sqlText(names[at] ?? ''))} END AS name,
          ${first((at) => `own.v${at}`)} AS expected, ${first((at) => `other.v${at} || ${sqlText(` in ${other.table.name}`)}`)} AS found
        FROM ${side(0)} own FULL JOIN ${side(1)} other ON ${own.key.map((_, at) => `own.k${at} = other.k${at}`).join(' AND ')})
      SELECT * FROM (SELECT ${[...key, ...located].join(', ')}, what AS kind, name, CASE WHEN name IS NOT NULL THEN [name] END AS columns, expected, found
        FROM joined WHERE ${isFinding} ORDER BY place, k1 LIMIT ${mostFindings})
      UNION ALL BY NAME SELECT what, count(*) AS n FROM joined WHERE NOT ${isFinding} GROUP BY what`,
    says: {
      'source.different': `{name} of a row differs between ${own.table.name} and ${other.table.name}.`,
      'source.missing': `${other.table.name} does not have a row that ${own.table.name} has, although both cover the height.`,
      'source.extra': `${other.table.name} has a row that ${own.table.name} does not have, although ${own.table.name} covers the height.`,
    },
    key: own.key,
    remarks: (counts) => [pairRemark(own.table.name, other.table.name, place === undefined, counts)],
  }
}

function pairRemark(own: string, other: string, isUnplaced: boolean, counts: ReadonlyMap<string, number>): Remark {
  const [alike, ofOwn, ofOther] = ['alike', 'own', 'other'].map((what) => counts.get(what) ?? 0) as [
    number,
    number,
    number,
  ]
  const left = [
    [ofOwn, own],
    [ofOther, other],
  ].flatMap(([count, name]) => (Number(count) > 0 ? [`, ${countText(Number(count))} are only in ${name}`] : []))
  const why = left.length === 0 ? '' : '. This is normal if one source covers less or omits such rows'
  return {
    table: other,
    // If the other table also holds unrelated rows, the number of rows that only it has means nothing.
    rows: { alike, only: { [own]: ofOwn, ...(isUnplaced ? {} : { [other]: ofOther }) } },
    message: `${own} and ${other}: ${countText(alike)} rows are equal${left.join('')}${why}.`,
  }
}

/**
 * An SQL condition that selects rows of the other side at heights that the table covers with every block, transaction and log, unlike logs of
 * some contracts or every hundredth block. A node also has other EVM chains; the C-Chain of an unknown network is not recognized.
 */
function coversC(inventory: Inventory, table: Table, side: 'own' | 'other'): string {
  const slices = inventory.coverage.flatMap((row) => {
    const { network, slice, origin } = row
    const isOwn = row.table === table.name && ['block', 'evm-blocks'].includes(origin.kind ?? '') && isWhole(origin)
    if (!isOwn || ('chain_id' in table.columns && !isCChainIn(inventory, network, origin.chain))) return []
    return [`(${side}.k0 = ${sqlText(network)} AND ${side}.place BETWEEN ${slice.from} AND ${slice.to - 1})`]
  })
  return `(${slices.join(' OR ') || 'false'})`
}

/** An SQL condition that selects the C-Chain of each network, by its EVM chain id or its blockchain id. */
function cChainCondition(inventory: Inventory, table: Table): string {
  if (!('chain_id' in table.columns)) return 'true'
  const networks = inventory.networks.map(({ network, networkId }) => {
    const ids = [evmChainId(networkId), chainId(inventory, network, 'C')].filter((id) => id !== null)
    return `(network = ${sqlText(network)} AND chain_id IN (${ids.map((id) => sqlText(String(id))).join(', ')}))`
  })
  return `(${networks.join(' OR ') || 'false'})`
}

type CoveredChain = { readonly network: string; readonly chain: string; readonly slices: readonly Slice[] }

/** What streams over all blocks of a chain cover of a table, by chain. */
function coveredChains({ coverage }: Inventory, table: Table): CoveredChain[] {
  const own = coverage.filter((row) => row.table === table.name && isWhole(row.origin))
  return [...groupBy(own, ({ network, origin }) => `${network} ${origin.chain}`).values()].map((rows) => ({
    network: rows[0]?.network ?? '',
    chain: rows[0]?.origin.chain ?? '',
    slices: normalise(rows.map(({ slice }) => slice)),
  }))
}

/** Chains execute other types of transactions in their own ways, and those without gas not at all. */
const isExecuted = 'transaction_type <= 4 AND gas_used > 0'

/** Checks that rows belong to transactions, and transactions have rows, in the blocks that evm-blocks and their own pipeline both cover. */
export function tracedCheck({ inventory }: LakeRows, { table, have }: OfTransactions): Check {
  const others = coveredChains(inventory, evmTransactions)
  const both = coveredChains(inventory, table).map(({ network, chain, slices }) => {
    const other = others.find((each) => each.network === network && each.chain === chain)?.slices ?? []
    return { network, chain, slices: intersect(slices, other) }
  })
  const isCovered = rowsBetween(inventory, table, both)
  const lenient = have !== 'executed' ? [] : both.filter(({ network, chain }) => !isCChain(network, chain))
  const mayLack = `(${lenient.map(({ network, chain }) => `(network = ${sqlText(network)} AND chain_id = ${sqlText(chain)})`).join(' OR ') || 'false'})`
  const names = ['network', 'chain_id', 'block_number', 'transaction_index']
  const side = (of: Table, executed: string) =>
    `(SELECT DISTINCT ${names.join(', ')}, ${executed} AS is_executed FROM ${sqlName(of.name)} WHERE ${isCovered})`
  const isMissing = have === 'executed' ? 'own.is_executed' : 'own.block_number IS NOT NULL'
  return {
    what: `transactions of ${table.name}`,
    tables: [table, evmTransactions],
    parts: { place: 'block_number', keys: [] },
    sql: `WITH alone AS (
        SELECT ${names.map((name) => `coalesce(traced.${name}, own.${name}) AS ${name}`).join(', ')}, own.block_number IS NULL AS is_extra
        FROM ${side(table, 'true')} traced ${have === 'some' ? 'LEFT' : 'FULL'} JOIN ${side(evmTransactions, isExecuted)} own
          ON ${names.map((name) => `traced.${name} = own.${name}`).join(' AND ')}
        WHERE (traced.block_number IS NULL AND ${isMissing}) OR own.block_number IS NULL)
      SELECT * FROM (SELECT ${names.join(', ')}, CASE WHEN is_extra THEN 'rows.orphan' ELSE 'rows.missing' END AS kind
        FROM alone WHERE is_extra OR NOT ${mayLack} ORDER BY is_extra DESC, block_number, transaction_index LIMIT ${mostFindings})
      UNION ALL BY NAME SELECT network || '/' || chain_id AS what, count(*) AS n FROM alone WHERE NOT is_extra AND ${mayLack} GROUP BY what`,
    says: {
      'rows.orphan': `Rows of ${table.name} belong to no row of ${evmTransactions.name}, although both cover the block.`,
      'rows.missing': `A transaction of ${evmTransactions.name} has no rows in ${table.name}, although both cover the block.`,
    },
    key: names,
    remarks: (counts) =>
      [...counts].map(([chain, count]) => ({
        table: table.name,
        message: `${countText(count)} ${count === 1 ? 'transaction' : 'transactions'} of chain ${chain} used gas, but ${count === 1 ? 'has' : 'have'} no rows in ${table.name}. Some chains execute transactions like that.`,
      })),
  }
}

/** Checks that changes of the same value follow one another, in the blocks that evm-state-diffs covers completely. */
export function changeCheck(
  { inventory }: LakeRows,
  { table, before, after, contradicts, onlyOfCChain }: Changes,
): Check | null {
  const spans = coveredChains(inventory, table)
    .filter(({ network, chain }) => !onlyOfCChain || isCChainIn(inventory, network, chain))
    .flatMap(({ slices, ...chain }) => slices.map((slice) => ({ ...chain, slices: [slice] })))
  if (spans.length === 0) return null
  const span = spans.map((each, at) => `WHEN ${rowsBetween(inventory, table, [each])} THEN ${at}`).join(' ')
  const subject = 'slot' in table.columns ? 'address, slot' : 'address'
  return {
    what: `${before} of ${table.name}`,
    tables: [table],
    parts: { place: null, keys: [['address']] },
    sql: `WITH changed AS (
        SELECT *, lag(${after}) OVER own AS previous, lag(block_number) OVER own AS previous_block
        FROM (SELECT *, CASE ${span} END AS span FROM ${sqlName(table.name)}) WHERE span IS NOT NULL
        WINDOW own AS (PARTITION BY span, ${subject} ORDER BY block_number, transaction_index))
      SELECT ${shown(table)}, ${textList([before])} AS columns, ${before}::VARCHAR AS found, previous::VARCHAR AS expected
      FROM changed WHERE ${contradicts} LIMIT ${mostFindings}`,
    says: { 'rows.value': `${before} of a row of ${table.name} is not what ${after} of the change before it says.` },
  }
}

/**
 * Checks that the calls of each transaction are one tree: each call has the position, depth and number of calls that the paths of the others
 * say, and is reverted if a call around it is. Names the first column of a row that contradicts the tree.
 */
export function treeCheck(): Check {
  const names = ['network', 'chain_id', 'block_number', 'transaction_index']
  const transaction = names.join(', ')
  const same = (other: string, address: string) =>
    `(${[...names, address].map((name) => `own.${name}`).join(', ')}) = (${[...names, 'trace_address'].map((name) => `${other}.${name}`).join(', ')})`
  return {
    what: 'calls of transactions',
    tables: [evmTraces],
    parts: { place: 'block_number', keys: [] },
    sql: `WITH calls AS (
        SELECT ${transaction}, trace_index, trace_address, depth, reverted, error, child_count, file_index,
          trace_address = '' AS is_first,
          CASE WHEN trace_address = '' THEN NULL ELSE regexp_replace(trace_address, '\\.?[^.]*$', '') END AS parent,
          string_split(trace_address, '.')[-1] AS position,
          CASE WHEN trace_address = '' THEN 0 ELSE len(string_split(trace_address, '.')) END AS steps,
          list_transform(string_split(trace_address, '.'), lambda step : try_cast(step AS BIGINT)) AS path
        FROM evm_traces),
      ranked AS (
        SELECT *, row_number() OVER (PARTITION BY ${transaction} ORDER BY NOT is_first, path) - 1 AS rank,
          row_number() OVER (PARTITION BY ${transaction}, parent ORDER BY path) - 1 AS sibling
        FROM calls),
      children AS (
        SELECT ${transaction}, parent AS trace_address, count(*) AS children FROM calls WHERE NOT is_first GROUP BY ALL),
      compared AS (
        SELECT own.*, coalesce(children.children, 0) AS children, own.error IS NOT NULL OR coalesce(around.reverted, false) AS fails,
          own.is_first OR (own.position = own.sibling::VARCHAR AND around.trace_address IS NOT NULL) AS is_placed
        FROM ranked own LEFT JOIN children ON ${same('children', 'trace_address')}
          LEFT JOIN calls around ON ${same('around', 'parent')})
      SELECT ${transaction}, trace_index, file_index::INTEGER AS file_index,
        CASE WHEN NOT is_placed THEN 'trace_address' WHEN trace_index <> rank THEN 'trace_index' WHEN depth <> steps THEN 'depth'
          WHEN child_count <> children THEN 'child_count' ELSE 'reverted' END AS name, [name] AS columns,
        CASE name WHEN 'trace_address' THEN trace_address WHEN 'trace_index' THEN trace_index::VARCHAR WHEN 'depth' THEN depth::VARCHAR
          WHEN 'child_count' THEN child_count::VARCHAR ELSE reverted::VARCHAR END AS found,
        CASE name WHEN 'trace_index' THEN rank::VARCHAR WHEN 'depth' THEN steps::VARCHAR WHEN 'child_count' THEN children::VARCHAR
          WHEN 'reverted' THEN fails::VARCHAR ELSE 'a path below another call, in order' END AS expected
      FROM compared
      WHERE NOT is_placed OR trace_index <> rank OR depth <> steps OR child_count <> children OR reverted <> fails
      LIMIT ${mostFindings}`,
    says: { 'rows.value': `{name} of a row of ${evmTraces.name} contradicts the other calls of its transaction.` },
  }
}
