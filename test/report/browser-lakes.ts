import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { republishLake } from '../../src/run/publish/publish-views.ts'
import { sql } from '../catalog/sql.ts'
import { chainlake } from '../cli/spawn.ts'
import { exportLake } from '../run/export-lake.ts'
import { filesOf, rewriteFile } from '../verify/rewrite-file.ts'
import { emptyLake, smallLake } from './lakes.ts'

/** Names that a creator of tokens or assets may choose. */
export const hostileTexts: readonly string[] = [
  '<script>alert(1)</script>',
  '</script><img src=x onerror=alert(2)>',
  '\u202egnp.exe\u202c\u2066',
  '<!-- <b>bold</b> &amp; &#60;',
  `${'A'.repeat(10_000)}<b>`,
  '"><svg onload=alert(3)>',
  'مرحبا بالعالم',
  '\u2028\u2029\u0007 line\nbreak',
  'z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘',
]

/** The lake and the page that `chainlake demo` makes. */
export async function demoLake(folder: string): Promise<string> {
  const lake = join(folder, 'demo')
  const { code, stdout, stderr } = await chainlake(['demo', '--lake', lake])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain(join(lake, 'report.html'))
  return lake
}

export const withoutData = emptyLake

/** A lake with sixty streams of ranges, some with gaps. */
export async function manyStreamsLake(folder: string): Promise<string> {
  const lake = await copied(await smallLake(folder), join(folder, 'streams'))
  await sql(
    lake,
    `INSERT INTO chainlake.stream (stream, network, path, kind, chain, parameters, pipeline, walk, unit, tables, read_again, overlapping, begins)
     SELECT 'local/evm-blocks/' || id, 'local', 'evm-blocks/' || id, 'evm-blocks', id, '{}', 'evm-blocks', 'range', 'blocks', '[]', 0, '[]', '{}'
     FROM (SELECT (1000 + i)::VARCHAR AS id FROM range(1, 61) AS streams(i))`,
  )
  await sql(
    lake,
    `INSERT INTO chainlake.coverage (network, stream, table_name, slice_from, slice_to, row_count, byte_count, last_run_id, last_snapshot_id)
     SELECT 'local', 'local/evm-blocks/' || (1000 + i), 'evm_blocks', part * 1000 * i, part * 1000 * i + 500 * i, i, 100 * i, 'x', 1
     FROM range(1, 61) AS streams(i), range(0, CASE WHEN i % 7 = 0 THEN 3 ELSE 1 END) AS parts(part)`,
  )
  await republishLake({ folder: lake })
  return lake
}

/** A lake of runs over separate ranges. */
export async function gapsLake(folder: string): Promise<string> {
  const lake = join(folder, 'gaps')
  const node = await startDevnet({ port: 0, blocks: 400 })
  try {
    for (const [from, to] of [
      [20, 60],
      [61, 100],
      [300, 380],
    ])
      await exportLake({ node, lake, from: from!, to: to!, raw: from === 300 })
  } finally {
    await node.close()
  }
  return lake
}

/** A lake with hostile names and symbols. */
export async function hostileLake(folder: string): Promise<string> {
  const lake = await copied(await smallLake(join(folder, 'before')), join(folder, 'hostile'))
  const named = (index: number): string => hostileTexts[index % hostileTexts.length]!
  const rename = async (table: string, columns: readonly string[]): Promise<void> => {
    let index = 0
    for (const file of await filesOf(lake, table))
      await rewriteFile(lake, file, (rows) =>
        rows.map((row) => ({ ...row, ...Object.fromEntries(columns.map((column) => [column, named(index++)])) })),
      )
  }
  await rename('x_assets', ['name', 'symbol'])
  await rename('p_transactions', ['blockchain_name'])
  await rename('rest_erc20_transfers', ['token_symbol', 'token_name'])
  await republishLake({ folder: lake })
  return lake
}

async function copied(from: string, to: string): Promise<string> {
  cpSync(from, to, { recursive: true })
  return to
}
