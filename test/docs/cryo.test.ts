import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pipelines } from '../../pipelines/index.ts'
import { tables } from '../../schemas/index.ts'
import { derivedViews } from '../../schemas/views/index.ts'
import { packageRoot } from '../../src/lib/package.ts'

const text = readFileSync(join(packageRoot(), 'examples/cryo/README.md'), 'utf8')
const rows = text
  .slice(text.indexOf('| cryo | pipeline |'), text.indexOf('| | cryo 0.3.2 |'))
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split(' | ').map((cell) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name]) => name!)))

test('each data set of cryo is listed once, with pipelines and tables that exist', () => {
  const dataSets = rows.flatMap(([names]) => names!.filter((name) => name !== 'storages'))
  expect(dataSets.length).toBe(36)
  expect(new Set(dataSets).size).toBe(36)
  const known = {
    pipelines: pipelines.map(({ name }) => name),
    tables: [...tables, ...derivedViews].map(({ name }) => name),
  }
  for (const [dataSet, ofPipelines, ofTables] of rows) {
    expect(known.pipelines, dataSet!.join()).toEqual(
      expect.arrayContaining(ofPipelines!.map((name) => name.split(' ')[0])),
    )
    expect(known.tables, dataSet!.join()).toEqual(expect.arrayContaining(ofTables!))
  }
})
