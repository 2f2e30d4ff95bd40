import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, test } from 'vitest'
import { pipelines } from '../../pipelines/index.ts'
import { tables } from '../../schemas/index.ts'
import { derivedViews } from '../../schemas/views/index.ts'
import type { Column, Columns, Parameter, Pipeline, Table } from '../../src/define/index.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { declareViews } from '../../tools/docs/views.ts'

const avoided = ['index', 'timestamp', 'role', 'matched']

/**
 * Nullable columns in keys: transfers without a log index are distinguished by position, a window may be open, and the row of an account has no
 * slot.
 */
const nullableInKeys: Readonly<Record<string, readonly string[]>> = {
  rest_erc20_transfers: ['log_index', 'position'],
  rest_erc721_transfers: ['log_index', 'position'],
  rest_erc1155_transfers: ['log_index'],
  metrics_token_holders: ['window_start', 'window_end'],
  evm_state_reads: ['slot'],
}

describe('tables', () => {
  test.each(tables.map((table) => [table.name, table] as const))('%s is declared well', (_, table) => {
    const columns = columnsOf(table)
    expect(table.comment.trim()).toMatch(/\.$/)
    expect(columns[0]?.[0]).toBe('network')
    expect(table.key[0]).toBe('network')
    expect(new Set(table.key).size).toBe(table.key.length)
    for (const [name, column] of columns) {
      expect(avoided).not.toContain(name)
      expectComments(`${table.name}.${name}`, column)
    }
    expect(table.key.filter((name) => table.columns[name].nullable)).toEqual(nullableInKeys[table.name] ?? [])
    expect(table.partitionBy[0]).toEqual({ transform: 'identity', column: 'network' })
  })

  test('and views have unique names and unique comments', () => {
    const names = [...tables, ...derivedViews].map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    const comments = [...tables, ...derivedViews].map(({ comment }) => comment)
    expect(new Set(comments).size).toBe(comments.length)
  })

  test('and views need no quotes in DuckDB', async () => {
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    const answer = await connection.runAndReadAll(
      "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category = 'reserved'",
    )
    connection.closeSync()
    instance.closeSync()
    const reserved = new Set(answer.getRowsJson().map(([word]) => word))
    const used = [
      ...tables.flatMap((table) => [table.name, ...Object.keys(table.columns)]),
      ...derivedViews.flatMap((view) => [view.name, ...Object.keys(view.columns)]),
    ]
    expect(used.filter((name) => reserved.has(name))).toEqual([])
  })
})

describe('derived views', () => {
  test.each(derivedViews.map((view, at) => [view.name, view, at] as const))('%s is declared well', (_, view, at) => {
    expect(view.comment.trim()).toMatch(/\.$/)
    const columns = Object.entries(view.columns)
    expect(columns.filter(([name, { comment }]) => avoided.includes(name) || comment.trim() === '')).toEqual([])
    const before = [...tables, ...derivedViews.slice(0, at)].map(({ name }) => name)
    expect(view.dependsOn.filter((name) => !before.includes(name))).toEqual([])
  })
})

describe('pipelines', () => {
  test.each(pipelines.map((pipeline) => [pipeline.name, pipeline] as const))('%s is declared well', (_, pipeline) => {
    expect(pipeline.comment.trim()).toMatch(/\.$/)
    for (const { comment } of Object.values<Parameter>(pipeline.parameters)) expect(comment.trim()).toMatch(/\.$/)
    for (const table of tablesOf(pipeline)) expect(tables).toContain(table)
  })

  test.each(pipelines.map((pipeline) => [pipeline.name, pipeline] as const))(
    '%s writes each table once',
    (_, pipeline) => {
      expect(new Set(tablesOf(pipeline)).size).toBe(tablesOf(pipeline).length)
    },
  )

  test.each(pipelines.map((pipeline) => [pipeline.name, pipeline] as const))(
    '%s has a yes-or-no parameter for each of its optional tables',
    (_, { parameters, optional }) => {
      for (const name of Object.keys(optional)) expect(parameters[name]).toMatchObject({ kind: 'boolean' })
    },
  )
})

describe('index files', () => {
  test('list every table', async () => {
    expect(await unlisted('schemas', tables)).toEqual([])
  })

  test('list every derived view as its .sql file and DuckDB declare it: npm run ids', async () => {
    const written = JSON.parse(readFileSync(join(packageRoot(), 'schemas/views/views.json'), 'utf8'))
    const declared = await declareViews(Object.keys(written))
    expect(written).toEqual(JSON.parse(JSON.stringify(declared)))
    expect(Object.keys(written)).toEqual(Object.keys(declared))
  })

  test('list every pipeline', async () => {
    expect(await unlisted('pipelines', pipelines)).toEqual([])
  })
})

function columnsOf(table: Table): [string, Column][] {
  return Object.entries(table.columns as Columns)
}

function expectComments(path: string, { type, comment }: Column): void {
  expect(comment.trim(), path).not.toBe('')
  if (type.kind === 'list') expectComments(`${path}.element`, type.item)
  if (type.kind === 'struct')
    for (const [name, field] of Object.entries(type.fields)) expectComments(`${path}.${name}`, field)
}

/** The declarations in the files of a folder that its index does not list. */
async function unlisted(folder: string, listed: readonly object[]): Promise<string[]> {
  const root = join(packageRoot(), folder)
  const files = readdirSync(root).filter((name) => name.endsWith('.ts') && name !== 'index.ts')
  const modules = await Promise.all(files.map((name) => import(pathToFileURL(join(root, name)).href)))
  return modules.flatMap((module: object, at) =>
    Object.entries(module)
      .filter(([, value]) => 'comment' in value && !listed.includes(value))
      .map(([name]) => `${folder}/${files[at]}: ${name}`),
  )
}

function tablesOf({ tables: own, optional }: Pipeline): Table[] {
  return [own, ...Object.values(optional)].flatMap((part) => Object.values(part))
}
