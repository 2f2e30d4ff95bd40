import { appendFileSync, copyFileSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Finding } from '../../src/verify/report.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { sql } from '../catalog/sql.ts'
import { chainlake } from '../cli/in-process.ts'
import { filesOf } from './rewrite-file.ts'
import { copyOf, soundLake } from './sound-lake.ts'

let sound = ''
beforeAll(async () => {
  sound = await soundLake()
})

const place = ({ kind, file }: Finding) => [kind, file]

describe('verify of the files of a lake', () => {
  test('has no findings for a sound lake and does not change the lake', async () => {
    const before = await sql(sound, 'SELECT count(*) AS n, max(snapshot_id) AS id FROM main.ducklake_snapshot')
    const { findings, checked } = await verifyLake({ lake: { folder: sound } })
    expect(findings).toEqual([])
    expect(checked.files).toBeGreaterThan(30)
    expect(await sql(sound, 'SELECT count(*) AS n, max(snapshot_id) AS id FROM main.ducklake_snapshot')).toEqual(before)
  })

  test('names a file that is missing, truncated, longer, swapped or changed in one byte', async () => {
    const lake = copyOf(sound)
    const [gone = '', cut = '', longer = ''] = await filesOf(lake, 'p_transactions')
    const [one = '', other = ''] = await filesOf(lake, 'p_outputs')
    const [byte = ''] = await filesOf(lake, 'c_blocks')
    rmSync(join(lake, gone))
    truncateSync(join(lake, cut), 1000)
    appendFileSync(join(lake, longer), 'PAR1')
    renameSync(join(lake, one), join(lake, 'kept'))
    renameSync(join(lake, other), join(lake, one))
    renameSync(join(lake, 'kept'), join(lake, other))
    const bytes = readFileSync(join(lake, byte))
    bytes[500] = bytes[500]! ^ 1
    writeFileSync(join(lake, byte), bytes)
    const { findings } = await verifyLake({ lake: { folder: lake } })
    const found = findings.filter(({ kind }) => kind.startsWith('file.'))
    const kinds = new Map(found.map((finding) => [finding.file, finding]))
    expect(kinds.get(gone)?.kind).toBe('file.gone')
    expect(kinds.get(cut)).toMatchObject({ kind: 'file.size', bytes: { from: 1000 }, stream: 'local/P/block' })
    expect(kinds.get(longer)?.kind).toBe('file.size')
    expect(kinds.get(one)?.message).toContain(other)
    expect(kinds.get(other)?.message).toContain(one)
    expect(kinds.get(byte)).toMatchObject({ kind: 'file.hash', slice: { from: expect.any(Number) } })
    // Without hashes, a changed byte is not detected, and the command does not promise to detect it.
    const fast = await verifyLake({ lake: { folder: lake }, fast: true })
    expect(fast.findings.map(({ file }) => file)).toContain(cut)
    expect(fast.findings.map(place)).not.toContainEqual(['file.hash', byte])
  })

  test('names an unknown file, and only remarks on a file that a dead run left', async () => {
    const lake = copyOf(sound)
    const [file = ''] = await filesOf(lake, 'p_blocks')
    const left = file.replace(/-\d+\.parquet$/, '-999.parquet')
    copyFileSync(join(lake, file), join(lake, `${file}.copy`))
    copyFileSync(join(lake, file), join(lake, left))
    const { findings, remarks } = await verifyLake({ lake: { folder: lake }, fast: true })
    expect(findings.map(place)).toEqual([['file.unknown', `${file}.copy`]])
    expect(remarks.map(({ message }) => message)).toEqual([expect.stringContaining(left)])
  })

  test('names wrong statistics, row counts and coverage in the catalog', async () => {
    const lake = copyOf(sound)
    const [{ data_file_id: id }] = (await sql(
      lake,
      `UPDATE main.ducklake_file_column_stats SET max_value = '7' WHERE (data_file_id, column_id) IN (
         SELECT min(data_file_id), 2 FROM main.ducklake_data_file d JOIN main.ducklake_table t USING (table_id) WHERE table_name = 'p_blocks')
       RETURNING data_file_id`,
    )) as [{ data_file_id: string }]
    await sql(lake, `UPDATE main.ducklake_data_file SET record_count = record_count + 1 WHERE data_file_id = ${id}`)
    await sql(lake, "UPDATE chainlake.coverage SET slice_to = slice_to + 5 WHERE table_name = 'x_assets'")
    const { findings } = await verifyLake({ lake: { folder: lake }, fast: true })
    expect(new Set(findings.map(({ kind, table }) => `${kind} ${table}`))).toEqual(
      new Set([
        'catalog.rows p_blocks',
        'catalog.coverage x_assets',
        'file.footer p_blocks',
        'file.statistics p_blocks',
      ]),
    )
  })

  test('names files that the catalog has no hash of', async () => {
    const lake = copyOf(sound)
    const files = await filesOf(lake, 'p_blocks')
    await sql(
      lake,
      `DELETE FROM chainlake.file WHERE data_file_id IN (
         SELECT data_file_id FROM main.ducklake_data_file d JOIN main.ducklake_table t USING (table_id) WHERE table_name = 'p_blocks')`,
    )
    const { findings } = await verifyLake({ lake: { folder: lake } })
    expect(findings.map(place)).toEqual(files.map((file) => ['catalog.table', file]))
  })
})

describe('chainlake verify', () => {
  test('exits with 0 and a summary, or with 6 and the command to run', async () => {
    expect(await chainlake(['verify', '--lake', sound])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^No errors in/m),
    })
    const lake = copyOf(sound)
    const [file = ''] = await filesOf(lake, 'p_outputs')
    rmSync(join(lake, file))
    const told = await chainlake(['verify', '--lake', lake])
    expect(told.code).toBe(6)
    expect(told.stdout).toContain(file)
    expect(told.stdout).toContain(`chainlake repair --dry-run --lake ${lake}`)
    const { code, stdout } = await chainlake(['verify', '--lake', lake, '--json', '--fast', '--tables', 'p_outputs'])
    expect(code).toBe(6)
    expect(JSON.parse(stdout)).toMatchObject({
      format: 1,
      sound: false,
      mode: 'fast',
      findings: [{ kind: 'file.gone', file }],
      checked: { tables: 1 },
    })
  })

  test('refuses a table or network that is not in the lake', async () => {
    expect(await chainlake(['verify', '--lake', sound, '--tables', 'blocks'])).toMatchObject({ code: 2 })
    expect(await chainlake(['verify', '--lake', sound, '--networks', 'fuji'])).toMatchObject({ code: 2 })
  })
})
