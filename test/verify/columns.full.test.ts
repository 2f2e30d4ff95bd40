import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Devnet } from '../../devnet/serve.ts'
import { tables } from '../../schemas/index.ts'
import type { Unverifiable } from '../../src/verify/report.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { chainlake } from '../cli/in-process.ts'
import { seeded } from '../fetch/seeded.ts'
import { type Alteration, alterations } from './alter-columns.ts'
import { compared, findingsOf, unnamed, type Verify } from './named-columns.ts'
import { configOf, wholeLake, wholeNetwork } from './whole-lake.ts'

/** CONTRIBUTING.md describes how to test every column of every table. The seed chooses rows, and the columns of the sample. */
const isWhole = process.env['VERIFY_COLUMNS'] === 'all'
const blocks = 60
const seed = Number(process.env['VERIFY_COLUMNS_SEED'] ?? 1)

describe.each(isWhole ? [{ raw: true }, { raw: false }] : [{ raw: true }])('a lake of all jobs, %o', ({ raw }) => {
  let sound = ''
  let listed: readonly Unverifiable[] = []
  let all: Alteration[] = []
  let node: Devnet | undefined
  const random = seeded(seed)
  const pick = (most: number) => Math.floor(random() * most)

  beforeAll(async () => {
    sound = await wholeLake({ blocks, raw })
    const report = await verifyLake({ lake: { folder: sound } })
    expect(report.findings).toEqual([])
    listed = report.unverifiable
    all = await alterations(sound, pick)
  }, 7_200_000)

  afterAll(() => node?.close())

  /** Only sizes, metadata, the node and the service. */
  const withSources: Verify = async (lake) => {
    node ??= await wholeNetwork(blocks)
    // The jobs query the views, which name the files from before the alteration.
    await chainlake(['views', '--lake', lake])
    const config = ['--config', configOf(sound), '--service', 'configured', '--node', node.url]
    const { stdout, stderr } = await chainlake(['verify', '--lake', lake, '--fast', '--json', ...config], {
      env: { DEVNET_URL: node.url },
    })
    return stdout === '' ? expect.fail(stderr) : JSON.parse(stdout).findings
  }

  const isListed = (how: 'columns' | 'partly', { table, column }: Alteration) =>
    listed.some((each) => each.table === table && each[how]?.includes(column))

  test('has a finding for an altered value of any column that verify does not report as unverifiable', async () => {
    expect(all.length).toBeGreaterThan(700)
    const certain = all.filter((one) => !isListed('columns', one) && !isListed('partly', one))
    const missed = await unnamed(sound, isWhole ? certain : oneOfEachTable(certain, pick))
    expect(missed.map(({ table, column }) => `${table}.${column}`)).toEqual([])
  })

  test('has no finding for altered values of columns that verify reports as unverifiable', async () => {
    const silent = all.filter((one) => isListed('columns', one))
    expect(silent.length).toBeGreaterThan(100)
    const findings = await findingsOf(sound, silent)
    expect(findings.map(({ table, columns, message }) => `${table}.${columns}: ${message}`)).toEqual([])
  })

  test('with its sources, names an altered value of each column of lists that never changes', async () => {
    expect(await withSources(sound)).toEqual([])
    const lasting = all.filter((one) => isLasting(one))
    expect(lasting.length).toBeGreaterThan(100)
    const missed = await unnamed(sound, isWhole ? lasting : oneOfEachTable(lasting, pick), withSources)
    expect(missed.map(({ table, column }) => `${table}.${column}`)).toEqual([])
  })
})

/** One column of each table, for the tables that can be altered together. */
function oneOfEachTable(all: readonly Alteration[], pick: (most: number) => number): Alteration[] {
  const tables = [...new Set(all.map(({ table }) => table))].filter((name) => !compared.includes(name))
  return tables.map((name) => {
    const own = all.filter(({ table }) => table === name)
    return own[pick(own.length)]!
  })
}

/** Whether a column of a list has the same value whenever its source is asked. */
function isLasting({ table, column }: Alteration): boolean {
  const declared = tables.find(({ name }) => name === table)
  return /^(rest|node)_/.test(table) && declared?.lasting.includes(column) === true && !declared.key.includes(column)
}
