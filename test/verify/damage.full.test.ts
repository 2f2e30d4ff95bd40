import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { beforeAll, describe, expect, test } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { ChainlakeError } from '../../src/errors.ts'
import type { Finding } from '../../src/verify/report.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { sql } from '../catalog/sql.ts'
import { seeded } from '../fetch/seeded.ts'
import { type Row, rewriteFile } from './rewrite-file.ts'
import { copyOf, soundLake } from './sound-lake.ts'

/** Returns an integer from 0 to `most` - 1. */
type Pick = (most: number) => number

let sound = ''
let files: string[] = []
/** Files with more than one row. A run never writes a file without rows. */
let withRows: string[] = []
beforeAll(async () => {
  sound = await soundLake({ blocks: 60 })
  const { tables: known } = await (await openCatalog({ folder: sound }, tables)).files()
  files = known.flatMap(({ files: own }) => own.map(({ path }) => path))
  withRows = known.flatMap(({ files: own }) => own.filter(({ rows }) => rows > 1).map(({ path }) => path))
  expect((await verifyLake({ lake: { folder: sound } })).findings).toEqual([])
})

/** Damages a copy of the lake. Returns the file or fact that a finding must name. */
type Damage = (lake: string, pick: Pick) => Promise<Named>

/** `tables`: the tables to verify if only files are damaged; default all. */
type Named = {
  readonly isNamed: (finding: Finding) => boolean
  readonly about: string
  readonly tables?: readonly string[]
}

const any = (pick: Pick, of: readonly string[] = files) => of[pick(of.length)]!
const tableOf = (path: string) => path.split('/')[1]
const names = (file: string): Named => ({
  isNamed: (finding) => finding.file === file,
  about: file,
  tables: [tableOf(file)!],
})

/** Tables with a row count that other rows or raw containers confirm. Nothing confirms the count of transfers that were taken from logs. */
const counted = () => withRows.filter((path) => tableOf(path) !== 'evm_token_transfers')
/** Tables that `verify` decodes again from raw containers, column by column. */
const decoded = () => files.filter((path) => /^(p|c)_/.test(tableOf(path)!) && tableOf(path) !== 'c_senders')

/** By default every sixth damage is tried. `CHAINLAKE_DAMAGES=all` tries each. */
const step = process.env['CHAINLAKE_DAMAGES'] === 'all' ? 1 : 6

const damages: readonly [name: string, times: number, damage: Damage][] = [
  [
    'a byte',
    50,
    async (lake, pick) => {
      const file = any(pick)
      const bytes = readFileSync(join(lake, file))
      const at = pick(bytes.length)
      bytes[at] = bytes[at]! ^ (1 << pick(8))
      writeFileSync(join(lake, file), bytes)
      // Damaged metadata may describe the pages wrongly. The finding then names these pages and the metadata.
      const metadata = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8)
      const holds = (finding: Finding) =>
        (finding.bytes!.from <= at && at < finding.bytes!.to) ||
        (metadata <= at && (finding.found?.includes('metadata') ?? false))
      return {
        ...names(file),
        isNamed: (finding) => finding.file === file && finding.kind === 'file.hash' && holds(finding),
      }
    },
  ],
  [
    'a file gone',
    12,
    async (lake, pick) => {
      const file = any(pick)
      rmSync(join(lake, file))
      return names(file)
    },
  ],
  [
    'a file cut, or longer',
    20,
    async (lake, pick) => {
      const file = any(pick)
      if (pick(4) === 0) appendFileSync(join(lake, file), Buffer.alloc(1 + pick(100)))
      else truncateSync(join(lake, file), pick(statSync(join(lake, file)).size))
      return names(file)
    },
  ],
  [
    'two files swapped',
    15,
    async (lake, pick) => {
      const one = any(pick)
      const other = any(
        pick,
        files.filter((path) => path !== one),
      )
      renameSync(join(lake, one), join(lake, 'kept'))
      renameSync(join(lake, other), join(lake, one))
      renameSync(join(lake, 'kept'), join(lake, other))
      return names(one)
    },
  ],
  [
    'a file doubled, beside itself or in the catalog',
    16,
    async (lake, pick) => {
      const file = any(pick)
      if (pick(2) === 0) {
        const copy = file.replace(/-(\d+)\.parquet$/, `-$1-copy${pick(100)}.parquet`)
        copyFileSync(join(lake, file), join(lake, copy))
        return names(copy)
      }
      const name = file.split('/').slice(2).join('/')
      await sql(
        lake,
        `INSERT INTO main.ducklake_data_file SELECT * REPLACE ((SELECT max(data_file_id) + 1 FROM main.ducklake_data_file) AS data_file_id)
         FROM main.ducklake_data_file d WHERE path = '${name}' AND table_id = (SELECT table_id FROM main.ducklake_table WHERE table_name = '${tableOf(file)}')`,
      )
      return { about: file, isNamed: ({ kind, file: found }) => kind === 'file.named-twice' && found === file }
    },
  ],
  ['a row altered, in its file alone', 12, async (lake, pick) => alterRows(lake, any(pick), altered(pick))],
  [
    'a row altered, in a file that the catalog says so',
    16,
    async (lake, pick) => {
      const file = any(pick, decoded())
      await rewriteFile(lake, file, altered(pick))
      return {
        about: file,
        isNamed: ({ kind, table }) => kind.startsWith('rows.') && (table === tableOf(file) || kind === 'rows.raw'),
      }
    },
  ],
  [
    'a row doubled',
    16,
    async (lake, pick) => {
      const file = any(pick)
      await rewriteFile(lake, file, (rows) => {
        const at = pick(rows.length)
        return [...rows.slice(0, at), rows[at]!, ...rows.slice(at)]
      })
      return { about: file, isNamed: ({ kind, table }) => kind === 'rows.key' && table === tableOf(file) }
    },
  ],
  [
    'a row lost',
    16,
    async (lake, pick) => {
      const file = any(pick, counted())
      await rewriteFile(lake, file, (rows) => {
        const gone = pick(rows.length)
        return rows.filter((_, position) => position !== gone)
      })
      return {
        about: file,
        isNamed: ({ kind, table }) =>
          kind.startsWith('rows.') && (table === tableOf(file) || kind === 'rows.orphan' || kind === 'rows.parent'),
      }
    },
  ],
  [
    'coverage widened',
    20,
    async (lake, pick) => {
      const rows = await sql(
        lake,
        'SELECT rowid::INTEGER AS id, stream, table_name FROM chainlake.coverage ORDER BY rowid',
      )
      const { id, stream } = rows[pick(rows.length)]!
      const by = 1 + pick(30)
      await sql(
        lake,
        `UPDATE chainlake.coverage SET ${pick(3) === 0 ? `slice_from = slice_from - ${by}` : `slice_to = slice_to + ${by}`} WHERE rowid = ${id}`,
      )
      return {
        about: stream,
        isNamed: (finding) =>
          finding.stream === stream && (finding.kind === 'rows.missing' || finding.kind === 'catalog.coverage'),
      }
    },
  ],
]

/** Writes a file with other rows and leaves the catalog unchanged. */
async function alterRows(lake: string, file: string, change: (rows: Row[]) => Row[]) {
  const kept = readFileSync(join(lake, 'catalog.ducklake'))
  await rewriteFile(lake, file, change)
  writeFileSync(join(lake, 'catalog.ducklake'), kept)
  rmSync(join(lake, 'catalog.ducklake.wal'), { force: true })
  return names(file)
}

/** Changes one value in one column of one row, which may be part of the key. Excludes empty values and the columns of the partition. */
const altered = (pick: Pick) => (rows: Row[]) => {
  const row = rows[pick(rows.length)]!
  const columns = Object.keys(row).filter(
    (name) => row[name] !== null && row[name].length !== 0 && !['network', 'block_time'].includes(name),
  )
  const column = columns[pick(columns.length)]!
  row[column] = otherValue(row[column])
  return rows
}

function otherValue(value: unknown): unknown {
  if (typeof value === 'string') return `${value}1`
  if (typeof value === 'boolean') return !value
  if (typeof value === 'bigint') return value + 1n
  if (typeof value === 'number') return value + 1
  if (value instanceof Uint8Array) return Buffer.concat([value, Buffer.from([1])])
  if (Array.isArray(value)) return value.slice(0, -1)
  return value
}

describe('damage at random places', () => {
  test.each(damages)('of the kind "%s" is named in each of up to %i tries', async (name, times, damage) => {
    for (let seed = 0; seed < times; seed += step) {
      const random = seeded(1_000 * (damages.findIndex(([known]) => known === name) + 1) + seed)
      const pick: Pick = (most) => Math.floor(random() * most)
      const lake = copyOf(sound)
      const { isNamed, about, tables: touched = [] } = await damage(lake, pick)
      const { findings } = await verifyLake({ lake: { folder: lake }, tables: touched })
      const said = findings.slice(0, 3).map(({ kind, table, file }) => `${kind} ${table ?? file}`)
      expect(findings.some(isNamed), `${name}, seed ${seed} (${about}): ${said.join(', ')}`).toBe(true)
      rmSync(join(lake, '..'), { recursive: true, force: true })
    }
  })

  test('in the catalog is refused, named, or does not change the contents of the catalog', async () => {
    const before = await contents(sound)
    const ends: Record<string, number> = { refused: 0, named: 0, unused: 0 }
    for (let seed = 0; seed < 30; seed += step) {
      const random = seeded(77_000 + seed)
      const pick: Pick = (most) => Math.floor(random() * most)
      const lake = copyOf(sound)
      const file = join(lake, 'catalog.ducklake')
      if (existsSync(`${file}.wal`)) await sql(lake, 'CHECKPOINT')
      const bytes = readFileSync(file)
      if (seed % 10 === 0) truncateSync(file, pick(bytes.length))
      else {
        const at = pick(bytes.length)
        bytes[at] = bytes[at]! ^ (1 << pick(8))
        writeFileSync(file, bytes)
      }
      const end = await verifyLake({ lake: { folder: lake } }).then(
        ({ findings }) => (findings.length > 0 ? 'named' : 'unused'),
        (error: unknown) => {
          expect(error).toBeInstanceOf(ChainlakeError)
          return 'refused'
        },
      )
      if (end === 'unused') expect(await contents(lake), `seed ${seed}`).toEqual(before)
      ends[end]!++
    }
    console.log('damaged catalogs:', ends)
    expect(ends['refused']).toBeGreaterThan(0)
  })
})

/** The whole content of a catalog, table by table. */
async function contents(lake: string): Promise<Record<string, string>> {
  const copy = copyOf(lake)
  const instance = await DuckDBInstance.create(join(copy, 'catalog.ducklake'), { threads: '1' })
  const connection = await instance.connect()
  const known = await connection.runAndReadAll('SELECT schema_name, table_name FROM duckdb_tables() ORDER BY ALL')
  const found: Record<string, string> = {}
  for (const [schema, table] of known.getRows()) {
    const reader = await connection.runAndReadAll(
      `SELECT count(*) || ' ' || coalesce(sum(hash(t::VARCHAR)), 0) FROM ${schema}.${table} t`,
    )
    found[`${schema}.${table}`] = String(reader.getRows()[0]?.[0])
  }
  connection.closeSync()
  instance.closeSync()
  return found
}
