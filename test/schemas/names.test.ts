import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { namesOfTwoTypes } from '../../schemas/shared/names.ts'
import { derivedViews } from '../../schemas/views/index.ts'
import { shippedTables } from '../../src/config/shipped-lists.ts'
import { duckdbType, type Field, fieldsOf, latestViews, shownColumns } from '../../src/define/index.ts'
import { packageRoot } from '../../src/lib/package.ts'

type Named = { readonly name: string; readonly path: string; readonly type: string }

/**
 * Columns of tables and views as views show them, and fields of structs: each with its path, such as
 * `rest_utxos.credentials.element.signature_base64`.
 */
const allTables = [...tables, ...shippedTables()]
const named: readonly Named[] = [
  ...allTables.flatMap((table) =>
    fieldsOf(table)
      .flatMap((field) => namedFields(table.name, field))
      .map((field) => ({
        ...field,
        type: shownColumns(table)[field.path.slice(table.name.length + 1)]?.type ?? field.type,
      })),
  ),
  ...[...derivedViews, ...latestViews(shippedTables())].flatMap((view) =>
    Object.entries(view.columns).map(([name, { type }]) => ({ name, path: `${view.name}.${name}`, type })),
  ),
]
const paths: ReadonlySet<string> = new Set(named.map(({ path }) => path))

function namedFields(table: string, { name, path, column, children }: Field): Named[] {
  const own = { name, path: `${table}.${path}`, type: duckdbType(column.type) }
  return [own, ...children.flatMap((child) => namedFields(table, child))]
}

test('a name has one type in all tables, structs and views, except for names that are listed with a reason', () => {
  const types = new Map<string, Set<string>>()
  for (const { name, type } of named) if (name !== 'element') types.set(name, (types.get(name) ?? new Set()).add(type))
  const several = [...types].filter(([, found]) => found.size > 1).map(([name, found]) => [name, [...found].sort()])
  const listed = Object.entries(namesOfTwoTypes).map(([name, { types }]) => [name, types])
  expect(Object.fromEntries(several)).toEqual(Object.fromEntries(listed))
})

test.each([
  ['the contract of a token', /^(contract|erc_type|erc_standard)$/, 'token_address and standard'],
  ['a number of things', /^(num|number_of|cumulative)_\w+s$|^active_\w+s$/, '…_count'],
  ['a length', /_(size|bytes)_?(bytes|size)$|^size$/, 'byte_length'],
  ['a price', /price_value|currency_code/, 'price and price_currency'],
  ['a time', /timestamp/, '…_time or …_at'],
  ['the wrapper of a block', /^proposer_(id|parent_id|time|p_chain_height)$/, 'container_id, wrapper_…'],
])('%s is not named by a term of the service', (_, refused, name) => {
  const others = named.filter((each) => /^(rest|metrics)_/.test(each.path) && refused.test(each.name))
  expect({ name, others: others.map(({ path }) => path) }).toEqual({ name, others: [] })
})

test('the comment of each standard column has the same spelling of the token standards', () => {
  const comments = tables.flatMap(({ columns }) => columns['standard']?.comment ?? [])
  expect(comments.length).toBeGreaterThan(6)
  for (const comment of comments) expect(comment).toMatch(/erc20.*erc721.*erc1155/)
})

test('schemas/renames.json maps names that no table has any more to names that a table has', () => {
  const text = readFileSync(join(packageRoot(), 'schemas/renames.json'), 'utf8')
  const { columns, values, types } = JSON.parse(text) as Record<'columns', Readonly<Record<string, string>>> &
    Record<'values' | 'types', Readonly<Record<string, Readonly<Record<string, string>>>>>
  const wrong = Object.entries(columns).filter(([before, now]) => paths.has(before) || !paths.has(now))
  expect(wrong).toEqual([])
  expect(Object.keys(columns).length).toBeGreaterThan(50)
  const commentOf = (path: string): string => {
    const [table = '', column = ''] = path.split('.')
    return tables.find(({ name }) => name === table)?.columns[column]?.comment ?? ''
  }
  for (const [path, mapped] of Object.entries(values))
    for (const [before, now] of Object.entries(mapped)) {
      expect(commentOf(path)).toContain(now)
      expect(commentOf(path)).not.toContain(before)
    }
  for (const [path, mapped] of Object.entries(types))
    expect(named.filter((each) => each.path === path).map(({ type }) => type)).toEqual(Object.values(mapped))
})
