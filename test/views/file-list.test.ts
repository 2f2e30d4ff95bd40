import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { chains, containers } from '../../schemas/lake.ts'
import { sqlText } from '../../src/lib/text.ts'
import { openFolderStore } from '../../src/store/folder-store.ts'
import { tableViewScript } from '../../src/views/lake-scripts.ts'
import { temporaryFolder, writeRows } from './test-lake.ts'

test('a view over a thousand files has as many parse tree nodes as a view over one file', async () => {
  const pieces = async (count: number): Promise<number> => {
    const files = Array.from({ length: count }, (_, i) => ({ path: `data/containers/${i}.parquet`, rows: 1 }))
    const query = tableViewScript(containers, openFolderStore('/lake'), files)
      .split(';')[0]!
      .replace(/^CREATE .* AS\n/, '')
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    const reader = await connection.runAndReadAll(`SELECT json_serialize_sql(${sqlText(query)})::VARCHAR`)
    connection.closeSync()
    instance.closeSync()
    const tree = String(reader.getRows()[0]![0])
    expect(tree).toContain('"error":false')
    return tree.split('"class"').length
  }
  expect(await pieces(1_000)).toBe(await pieces(1))
})

test.each(['plain', 'with space', "with 'quotes'", 'with, [brackets]', 'with\nline feed', 'with\ttab\nand more'])(
  'a view finds its files in a lake folder with the name %j',
  async (name) => {
    const lake = temporaryFolder(name)
    const paths = ['data/chains/a.parquet', 'data/chains/b, c.parquet']
    for (const path of paths) await writeRows(lake, chains, path, [{ network: 'local', blockchain_id: path }])
    const script = tableViewScript(
      chains,
      openFolderStore(lake),
      paths.map((path) => ({ path, rows: 1 })),
    )
    const instance = await DuckDBInstance.create(join(lake, 'views.duckdb'))
    const connection = await instance.connect()
    await connection.run(script)
    const reader = await connection.runAndReadAll('SELECT blockchain_id FROM chains ORDER BY 1')
    expect(reader.getRows().flat()).toEqual(paths)
    connection.closeSync()
    instance.closeSync()
  },
)
