import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { command, newLake, query } from '../run/lake-run.ts'
import { damage, dataFiles } from './damage.ts'

let node: Devnet
let lake = ''

const environment = () => ({ DEVNET_URL: node.url })
const addresses =
  "query:select distinct address from p_output_addresses where network = 'local' order by address limit 60"

async function run(place: string, ...args: string[]): Promise<void> {
  const where = ['--lake', place, '--node-url', node.url]
  const { code, stderr } = await command(['run', ...args, ...where], environment())
  expect(code, stderr.slice(-2000)).toBe(0)
}

const readUtxos = (place: string) =>
  run(place, 'rest-utxos', '--network', 'local', '--blockchain', 'p-chain', '--addresses', addresses)
const readValidators = (place: string) => run(place, 'validators')

/** Two observations of each, and the chain changes between them. */
beforeAll(async () => {
  node = await startDevnet({ seed: 31, blocks: 120 })
  lake = newLake()
  await run(lake, 'p-blocks', '--to', '120')
  await readUtxos(lake)
  await readValidators(lake)
  await node.grow(60)
  await readUtxos(lake)
  await readValidators(lake)
}, 1_800_000)
afterAll(() => node.close())

const latestOf = (place: string, table: string, columns: string) =>
  query(place, `select ${columns} from ${table}_latest order by all`)

const lastFile = (place: string, table: string) =>
  dataFiles(place, (name) => name === table)
    .sort(byRun)
    .at(-1)!

/** File names contain the time of the run that wrote them. */
function byRun(a: string, b: string): number {
  const [left, right] = [a, b].map((path) => /-(\d{8}T\d+Z)/.exec(path)?.[1] ?? '')
  return left! < right! ? -1 : 1
}

describe.each([
  ['rest_utxos', 'rest_utxos', 'utxo_id, present, tx_id', readUtxos],
  ['node_validators', 'node_validators', 'node_id, tx_id, weight', readValidators],
  ['observations', 'node_validators', 'node_id, tx_id, weight', readValidators],
])('an observation in %s that cannot be read again', (table, viewed, columns, readAgain) => {
  const copy = newLake()
  let before: Awaited<ReturnType<typeof latestOf>>
  beforeAll(async () => {
    cpSync(lake, copy, { recursive: true })
    // The views contain the path of the lake.
    expect((await command(['views', '--lake', copy])).code).toBe(0)
    before = await latestOf(copy, viewed, columns)
    expect(before.length).toBeGreaterThan(2)
    damage(copy, lastFile(copy, table), 'byte', { random: () => 0.5, other: '' })
  }, 1_800_000)

  test('is reported as lost and stays until its loss is accepted', async () => {
    const { code, stdout } = await command(['repair', '--lake', copy])
    expect(code).toBe(6)
    expect(stdout).toContain(`${lastFile(copy, table)}`)
    expect(stdout).toContain('--accept-loss')
    expect((await command(['verify', '--lake', copy])).code).toBe(6)
  })

  test('is removed with --accept-loss, and no older version becomes the latest one', async () => {
    const { code, stdout } = await command(['repair', '--accept-loss', '--lake', copy])
    expect(code, stdout).toBe(0)
    expect(stdout).toContain('Lost, since these rows cannot be fetched again:')
    const older = await query(copy, `select count(*) as n from ${table}`)
    expect(Number(older[0]?.['n'])).toBeGreaterThan(0)
    expect(await latestOf(copy, viewed, columns)).toEqual([])
    expect((await command(['verify', '--lake', copy])).code).toBe(0)
  })

  test('is replaced by the next complete observation', async () => {
    await readAgain(copy)
    expect(await latestOf(copy, viewed, columns)).toEqual(before)
  })
})

test('a lake restored with losses says that a lost observation needs --accept-loss, and is sound after it', async () => {
  const copy = newLake()
  cpSync(lake, copy, { recursive: true })
  const backup = join(copy, 'backup')
  expect((await command(['backup', backup, '--lake', copy])).code).toBe(0)
  const path = join('data', lastFile(copy, 'node_validators'))
  for (const file of [path, 'catalog.ducklake', 'lake.duckdb', 'lake.ducklake']) rmSync(join(copy, file))
  const restored = await command(['restore', backup, '--lake', copy, '--with-losses'])
  expect(restored.code, restored.stderr).toBe(0)
  expect(restored.stdout).toContain('--accept-loss')
  const repaired = await command(['repair', '--lake', copy])
  expect(repaired, repaired.stderr).toMatchObject({ code: 6, stdout: expect.stringContaining('--accept-loss') })
  const accepted = await command(['repair', '--accept-loss', '--lake', copy])
  expect(accepted.code, accepted.stderr).toBe(0)
  const verified = await command(['verify', '--lake', copy])
  expect(verified.code, verified.stdout + verified.stderr).toBe(0)
})
