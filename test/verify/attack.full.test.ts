import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { sql } from '../catalog/sql.ts'
import { chainlake } from '../cli/in-process.ts'
import { seeded } from '../fetch/seeded.ts'
import { copyOf, soundLake } from './sound-lake.ts'

/** Returns an integer from 0 to `most` - 1. */
type Pick = (most: number) => number

let sound = ''
/** A lake of the same network from a node with a different seed. */
let strange = ''
let files: string[] = []
beforeAll(async () => {
  sound = await soundLake({ blocks: 30 })
  strange = await soundLake({ blocks: 31, seed: 9 })
  const { tables: known } = await (await openCatalog({ folder: sound }, tables)).files()
  files = known.flatMap(({ files: own }) => own.map(({ path }) => path))
  const { code, stdout } = await chainlake(['verify', '--lake', sound])
  expect(code, stdout).toBe(0)
})

const tableOf = (path: string) => path.split('/')[1]!
const of = <T>(pick: Pick, list: readonly T[]): T => list[pick(list.length)]!
/** The condition that selects the catalog's row of a file, as SQL. */
const rowOf = (path: string) =>
  `path = '${path.split('/').slice(2).join('/')}' AND table_id = (SELECT table_id FROM main.ducklake_table WHERE table_name = '${tableOf(path)}')`
const idOf = (path: string) => `(SELECT data_file_id FROM main.ducklake_data_file WHERE ${rowOf(path)})`

/** Damages a copy of the lake and returns the text that the answer must contain. Null: the lake may also be refused when it is opened. */
type Damage = (lake: string, pick: Pick) => Promise<string | null> | string | null

const inCatalog =
  (text: (pick: Pick, file: string) => string, names: (file: string) => string | null = () => null): Damage =>
  async (lake, pick) => {
    const file = of(pick, files)
    await sql(lake, text(pick, file))
    return names(file)
  }

const attacks: Readonly<Record<string, readonly [times: number, damage: Damage]>> = {
  'footers swapped between files of one table': [
    5,
    (lake, pick) => {
      const several = files.filter((file) => files.filter((other) => tableOf(other) === tableOf(file)).length > 1)
      const one = of(pick, several)
      const other = of(
        pick,
        several.filter((file) => tableOf(file) === tableOf(one) && file !== one),
      )
      const [a, b] = [readFileSync(join(lake, one)), readFileSync(join(lake, other))]
      const end = (bytes: Buffer) => bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8)
      writeFileSync(join(lake, one), Buffer.concat([a.subarray(0, end(a)), b.subarray(end(b))]))
      writeFileSync(join(lake, other), Buffer.concat([b.subarray(0, end(b)), a.subarray(end(a))]))
      return one
    },
  ],
  'a file of another lake of the same name': [
    5,
    (lake, pick) => {
      const file = of(pick, files)
      const theirs = filesIn(strange).filter((path) => tableOf(path) === tableOf(file))
      const other = of(pick, theirs)
      copyFileSync(join(strange, other), join(lake, file))
      return file
    },
  ],
  'a file without a byte': [4, (lake, pick) => replaced(lake, of(pick, files), (path) => writeFileSync(path, ''))],
  'a link to another file': [
    3,
    (lake, pick) => {
      const file = of(pick, files)
      const target = of(
        pick,
        files.filter((other) => other !== file),
      )
      return replaced(lake, file, (path) => symlinkSync(join(lake, target), path))
    },
  ],
  'a link to nothing': [2, (lake, pick) => replaced(lake, of(pick, files), (path) => symlinkSync('/nowhere', path))],
  'a link to itself': [2, (lake, pick) => replaced(lake, of(pick, files), (path) => symlinkSync(path, path))],
  'a folder in the place of a file': [4, (lake, pick) => replaced(lake, of(pick, files), (path) => mkdirSync(path))],
  'a file in the place of a folder': [
    3,
    (lake, pick) =>
      replaced(lake, of(pick, files), (path) => {
        rmSync(dirname(path), { recursive: true })
        writeFileSync(dirname(path), 'no folder')
      }),
  ],
  'the folder of a table gone': [
    2,
    (lake, pick) => {
      const file = of(pick, files)
      rmSync(join(lake, 'data', tableOf(file)), { recursive: true })
      return file
    },
  ],
  'all data gone': [
    1,
    (lake) => {
      rmSync(join(lake, 'data'), { recursive: true })
      return files[0]!
    },
  ],
  'a file moved aside': [
    2,
    (lake, pick) => {
      const file = of(pick, files)
      renameSync(join(lake, file), join(lake, `${file}.aside`))
      return file
    },
  ],
  'the size of a file in the catalog': [
    5,
    inCatalog(
      (pick, file) =>
        `UPDATE main.ducklake_data_file SET file_size_bytes = file_size_bytes + ${pick(9) - 4 || 5} WHERE ${rowOf(file)}`,
      (file) => file,
    ),
  ],
  'the rows of a file in the catalog': [
    5,
    inCatalog(
      (pick, file) =>
        `UPDATE main.ducklake_data_file SET record_count = ${[0, -1, 999_999, 1][pick(4)]} + record_count * 2 WHERE ${rowOf(file)}`,
      (file) => file,
    ),
  ],
  'the length of the metadata in the catalog': [
    3,
    inCatalog(
      (pick, file) =>
        `UPDATE main.ducklake_data_file SET footer_size = footer_size + ${1 + pick(9)} WHERE ${rowOf(file)}`,
      (file) => file,
    ),
  ],
  'the path of a file in the catalog': [
    3,
    inCatalog(
      (pick, file) =>
        `UPDATE main.ducklake_data_file SET path = '${['../../escape.parquet', 'network=local/none.parquet', ''][pick(3)]}' WHERE ${rowOf(file)}`,
    ),
  ],
  'a file that the catalog calls ended': [
    4,
    inCatalog(
      (_, file) =>
        `UPDATE main.ducklake_data_file SET end_snapshot = (SELECT max(snapshot_id) FROM main.ducklake_snapshot) WHERE ${rowOf(file)}`,
      tableOf,
    ),
  ],
  'a file that begins in the future': [
    3,
    inCatalog(
      (_, file) => `UPDATE main.ducklake_data_file SET begin_snapshot = 9999 WHERE ${rowOf(file)}`,
      (file) => file,
    ),
  ],
  'a file of another table': [
    3,
    inCatalog(
      (_, file) =>
        `UPDATE main.ducklake_data_file SET table_id = (SELECT min(table_id) FROM main.ducklake_table WHERE table_name <> '${tableOf(file)}') WHERE ${rowOf(file)}`,
    ),
  ],
  'statistics gone from the catalog': [
    3,
    inCatalog(
      (_, file) => `DELETE FROM main.ducklake_file_column_stats WHERE data_file_id = ${idOf(file)}`,
      (file) => file,
    ),
  ],
  'the partition of a file': [
    4,
    inCatalog(
      (pick, file) =>
        `UPDATE main.ducklake_file_partition_value SET partition_value = '${of(pick, ['fuji', '1999-01', ''])}' WHERE data_file_id = ${idOf(file)} AND partition_key_index = 0`,
      (file) => file,
    ),
  ],
  'the hash of a file': [
    2,
    inCatalog(
      (pick, file) =>
        `UPDATE chainlake.file SET sha256 = '${String(pick(9)).repeat(64)}' WHERE data_file_id = ${idOf(file)}`,
      (file) => file,
    ),
  ],
  'a deletion that nobody made': [
    2,
    inCatalog(
      (_, file) =>
        `INSERT INTO main.ducklake_delete_file SELECT 77, table_id, begin_snapshot, NULL, data_file_id, 'x.parquet', true, 'parquet', 1, 100, 10, NULL, NULL FROM main.ducklake_data_file WHERE ${rowOf(file)}`,
      (file) => file,
    ),
  ],
  'two covered slices that overlap': [
    4,
    async (lake, pick) => {
      const [row] = await sql(
        lake,
        `SELECT stream, table_name FROM chainlake.coverage WHERE slice_to - slice_from > 5 ORDER BY hash(stream || table_name || ${pick(1e6)}) LIMIT 1`,
      )
      await sql(
        lake,
        `INSERT INTO chainlake.coverage SELECT * REPLACE (slice_from + 2 AS slice_from, slice_to + 3 AS slice_to, 0 AS row_count) FROM chainlake.coverage WHERE stream = '${row!['stream']}' AND table_name = '${row!['table_name']}' LIMIT 1`,
      )
      return row!['stream']
    },
  ],
  'a covered slice that makes no sense': [
    5,
    async (lake, pick) => {
      const change = of(pick, [
        'slice_from = slice_to',
        'slice_to = -1',
        'slice_to = 9223372036854775807',
        'slice_from = -5',
        "table_name = 'nothing'",
        "stream = 'nowhere'",
        "network = 'moon'",
      ])
      await sql(
        lake,
        `UPDATE chainlake.coverage SET ${change} WHERE rowid = (SELECT rowid FROM chainlake.coverage ORDER BY hash(rowid + ${pick(1e6)}) LIMIT 1)`,
      )
      return null
    },
  ],
  'coverage of a table gone': [
    4,
    async (lake, pick) => {
      const counted = [
        'p_blocks',
        'p_transactions',
        'x_blocks',
        'x_outputs',
        'c_blocks',
        'c_senders',
        'evm_blocks',
        'evm_logs',
        'chains',
      ]
      const table = of(pick, counted)
      await sql(lake, `DELETE FROM chainlake.coverage WHERE table_name = '${table}'`)
      return table
    },
  ],
  'a snapshot gone': [
    4,
    async (lake, pick) => {
      const latest = pick(2) === 0
      await sql(
        lake,
        `DELETE FROM main.ducklake_snapshot WHERE snapshot_id = ${latest ? '(SELECT max(snapshot_id) FROM main.ducklake_snapshot)' : '(SELECT max(snapshot_id) - 1 FROM main.ducklake_snapshot)'}`,
      )
      return null
    },
  ],
  'all snapshots gone': [
    1,
    async (lake) => {
      await sql(lake, 'DELETE FROM main.ducklake_snapshot')
      return null
    },
  ],
  'a column of a table': [
    3,
    inCatalog(
      (pick, file) =>
        `UPDATE main.ducklake_column SET ${of(pick, ["column_name = 'renamed'", "column_type = 'int8'", 'end_snapshot = 1'])} WHERE column_id = 3 AND table_id = (SELECT table_id FROM main.ducklake_table WHERE table_name = '${tableOf(file)}')`,
    ),
  ],
  'a table that the catalog forgot': [
    3,
    inCatalog((_, file) => `DELETE FROM main.ducklake_table WHERE table_name = '${tableOf(file)}'`),
  ],
  'the folder of a table in the catalog': [
    2,
    inCatalog((_, file) => `UPDATE main.ducklake_table SET path = 'elsewhere/' WHERE table_name = '${tableOf(file)}'`),
  ],
  'a table of the catalog dropped': [
    5,
    async (lake, pick) => {
      await sql(
        lake,
        `DROP TABLE ${of(pick, ['chainlake.coverage', 'chainlake.file', 'chainlake.run', 'main.ducklake_data_file', 'main.ducklake_column', 'chainlake.source_chain', 'chainlake.written'])}`,
      )
      return null
    },
  ],
  'a network that the catalog has otherwise': [
    3,
    async (lake, pick) => {
      await sql(
        lake,
        of(pick, [
          "UPDATE chainlake.source SET network = 'mars'",
          "UPDATE chainlake.source_chain SET blockchain_id = '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm' WHERE alias = 'X'",
          'DELETE FROM chainlake.source_chain',
        ]),
      )
      return null
    },
  ],
  'a catalog that is none': [
    4,
    (lake, pick) => {
      const path = join(lake, 'catalog.ducklake')
      rmSync(path)
      rmSync(`${path}.wal`, { force: true })
      if (pick(4) === 0) mkdirSync(path)
      else if (pick(3) === 0) symlinkSync('/nowhere', path)
      else writeFileSync(path, of(pick, ['', 'no database', 'x'.repeat(50_000)]))
      return null
    },
  ],
}

function filesIn(lake: string): string[] {
  return known.get(lake) ?? []
}
const known = new Map<string, string[]>()
beforeAll(async () => {
  const { tables: theirs } = await (await openCatalog({ folder: strange }, tables)).files()
  known.set(
    strange,
    theirs.flatMap(({ files: own }) => own.map(({ path }) => path)),
  )
})

function replaced(lake: string, file: string, put: (path: string) => void): string {
  const path = join(lake, file)
  rmSync(path)
  put(path)
  return file
}

test.each(Object.entries(attacks))(
  '%s: verify names it or refuses the lake with a message, and never exits with 0',
  async (name, [times, damage]) => {
    for (let seed = 0; seed < times; seed++) {
      const random = seeded(500 * (Object.keys(attacks).indexOf(name) + 1) + seed)
      const lake = copyOf(sound)
      const named = await damage(lake, (most) => Math.floor(random() * most))
      // If the metadata or the catalog reveal the damage, the bytes and rows need not be read.
      const fast = await chainlake(['verify', '--lake', lake, '--json', '--fast'])
      const { code, stdout, stderr } = fast.code === 0 ? await chainlake(['verify', '--lake', lake, '--json']) : fast
      const about = `${name}, seed ${seed}${named === null ? '' : ` (${named})`}: ${stdout.slice(0, 1500)}\n${stderr.slice(0, 1500)}`
      expect([4, 5, 6], about).toContain(code)
      expect(stderr, about).not.toMatch(/\n\s+at /)
      if (code === 6 && named !== null) expect(JSON.stringify(JSON.parse(stdout).findings), about).toContain(named)
      rmSync(dirname(lake), { recursive: true, force: true })
    }
  },
)
