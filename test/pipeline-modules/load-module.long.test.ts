import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { command } from '../run/lake-run.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chainlake-modules-'))
})

/** A module with a pipeline; `table` and `pipeline` replace parts of the declarations. */
const moduleOf = ({ table = '', pipeline = '' } = {}) => `
  import { identity, networkColumn, pipeline, t, table } from 'chainlake'
  const things = table({
    ...{ name: 'things', comment: 'Things.', key: ['network', 'id'], sortBy: [], partitionBy: [identity('network')] },
    columns: { ...networkColumn, id: t.text('Id.') },
    ${table}
  })
  export const mine = pipeline({
    name: 'mine', comment: 'Mine.', parameters: {}, reads: 'node', walks: ['keyed'], tables: { things },
    streams: () => [{ stream: { network: 'local', path: 'mine', parameters: {} }, walk: { kind: 'keyed', keys: [] } }],
    ${pipeline}
  })
`

function write(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** The error of a command that loads a module, as JSON. */
async function errorOf(path: string, args: readonly string[] = ['tables']): Promise<any> {
  const { stdout, code } = await command([...args, '--pipelines', path, '--json'])
  expect(code, stdout).toBe(2)
  return JSON.parse(stdout).error
}

describe('a module of pipelines', () => {
  test('imports the running chainlake wherever it is, and other modules next to it', async () => {
    write('name.mjs', "export const comment = 'From a module next to it.'")
    const path = write(
      'good.mjs',
      `import { comment } from './name.mjs'\n${moduleOf({ pipeline: 'comment,' }).replace("'chainlake'", "'chainlake'")}`,
    )
    const { stdout, stderr, code } = await command(['describe', 'mine', '--pipelines', path, '--json'])
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'pipeline', name: 'mine', comment: 'From a module next to it.' })
    const tables = JSON.parse((await command(['tables', '--pipelines', path, '--json'])).stdout)
    expect(tables).toContainEqual(expect.objectContaining({ name: 'things' }))
  })

  test('is named relative to chainlake.yaml, which says where a mistake is', async () => {
    write('wrong.mjs', moduleOf({ pipeline: "name: 'p-blocks'," }))
    write('right.mjs', moduleOf())
    const config = write(
      'chainlake.yaml',
      'pipelines:\n  - ./right.mjs\n  - ./wrong.mjs\njobs:\n  a:\n    pipeline: mine\n',
    )
    const { stdout, code } = await command(['validate', '--config', config, '--json'])
    expect(code).toBe(2)
    expect(JSON.parse(stdout).mistakes).toMatchObject([{ line: 3, column: 5, code: 'definition.reserved-name' }])
  })

  test.each([
    [
      'throws',
      "throw new Error('not today')",
      { code: 'pipelines.failed', message: expect.stringContaining('not today') },
    ],
    ['has a wrong syntax', 'export const = 1', { code: 'pipelines.failed' }],
    [
      'imports what chainlake does not export',
      "import { nothing } from 'chainlake'",
      { code: 'pipelines.failed', hint: expect.stringContaining('lists what chainlake exports') },
    ],
    ['imports a file that is missing', "import './missing.mjs'", { code: 'pipelines.failed' }],
    ['exports no pipeline', 'export const one = 1', { code: 'pipelines.none' }],
    [
      'exports a declaration that pipeline has not seen',
      'export const one = { name: "one", parameters: {}, tables: {}, streams: () => [] }',
      { code: 'pipelines.none', hint: expect.stringContaining('Export what pipeline returns') },
    ],
    [
      'names a key column that its table does not declare',
      moduleOf({ table: "key: ['network', 'number']," }),
      { code: 'definition', message: expect.stringContaining('names a column number') },
    ],
    [
      'has a nullable column in the key of a table',
      moduleOf({ table: "columns: { ...networkColumn, id: t.text('Id.', { nullable: true }) }," }),
      { code: 'definition.nullable-key', details: { table: 'things', columns: 'id' } },
    ],
    [
      'takes the name of a built-in table',
      moduleOf({ table: "name: 'p_blocks'," }),
      { code: 'definition.reserved-name' },
    ],
    [
      'takes the prefix of built-in tables',
      moduleOf({ table: "name: 'p_things'," }),
      { code: 'definition.reserved-name' },
    ],
    [
      'takes the name of a view of latest rows',
      moduleOf({ table: "name: 'things_latest'," }),
      { code: 'definition.reserved-name' },
    ],
    [
      'takes the name of a built-in pipeline',
      moduleOf({ pipeline: "name: 'p-blocks'," }),
      { code: 'definition.reserved-name' },
    ],
  ])('that %s is refused', async (_, text, error) => {
    expect(await errorOf(write(`m${Math.random()}.mjs`, text))).toMatchObject({ ...error, hint: expect.any(String) })
  })

  test('says in which line it failed', async () => {
    const path = write('line.mjs', '\n\nthrow new TypeError("here")\n')
    expect((await errorOf(path)).details).toMatchObject({ at: 'line.mjs:3:7' })
  })

  test('that is missing is refused, with the path that was looked for', async () => {
    const path = join(folder, 'gone.mjs')
    expect(await errorOf(path)).toMatchObject({ code: 'pipelines.missing', message: expect.stringContaining(path) })
  })

  test('in TypeScript is loaded where Node removes types, and refused with advice elsewhere', async () => {
    const path = write('typed.ts', `${moduleOf()}\nexport const count: number = 1\n`)
    if ((process.features as { typescript?: unknown }).typescript === 'strip')
      expect((await command(['describe', 'mine', '--pipelines', path])).code).toBe(0)
    else
      expect(await errorOf(path)).toMatchObject({
        code: 'pipelines.typescript',
        hint: expect.stringContaining('Node 22.18'),
      })
  })

  test('may not have the pipeline, or the table, of another module', async () => {
    const [one, same, table] = [
      write('one.mjs', moduleOf()),
      write('same.mjs', moduleOf()),
      write('table.mjs', moduleOf({ pipeline: "name: 'other'," })),
    ]
    for (const [second, about] of [
      [same, 'two pipelines named mine'],
      [table, 'a table named things: mine and other'],
    ])
      expect(await errorOf(`${one},${second}`)).toMatchObject({
        code: 'definition.taken',
        message: expect.stringContaining(about!),
      })
  })

  test('may not give a parameter the name of a flag', async () => {
    const path = write(
      'flag.mjs',
      moduleOf({ pipeline: "parameters: { lake: p.text('A lake.') }," }).replace('networkColumn,', 'networkColumn, p,'),
    )
    expect(await errorOf(path, ['plan', 'mine'])).toMatchObject({ code: 'definition.taken' })
  })
})

test('commands that only read a lake, and completion, execute no module', async () => {
  const ran = join(folder, 'ran')
  write('side.mjs', `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(ran)}, '')\n${moduleOf()}`)
  const config = write('side.yaml', 'lake: ./no-lake\npipelines: [./side.mjs]\njobs: { a: { pipeline: mine } }\n')
  const { existsSync } = await import('node:fs')
  for (const args of [['status'], ['gaps'], ['verify'], ['views'], ['sql', 'select 1'], ['report'], ['compact']])
    await command([...args, '--config', config])
  await command(['--complete', 'run', ''], { CHAINLAKE_CONFIG: config })
  expect(existsSync(ran)).toBe(false)
  await command(['tables', '--config', config])
  expect(existsSync(ran)).toBe(true)
})
