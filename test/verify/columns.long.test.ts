import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Unverifiable } from '../../src/verify/lake/finding.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { seeded } from '../fetch/seeded.ts'
import { type Alteration, alter, alterations } from './alter-columns.ts'
import { copyOf } from './sound-lake.ts'
import { wholeLake } from './whole-lake.ts'

/** `all`: every column of every table, which takes an hour; else a sample. The seed chooses rows, and columns of the sample. */
const isWhole = process.env['VERIFY_COLUMNS'] === 'all'
const seed = Number(process.env['VERIFY_COLUMNS_SEED'] ?? 1)
const sampled = 10

describe.each(isWhole ? [{ raw: true }, { raw: false }] : [{ raw: true }])('a lake of all jobs, %o', ({ raw }) => {
  let sound = ''
  let listed: readonly Unverifiable[] = []
  let all: Alteration[] = []
  const random = seeded(seed)
  const pick = (most: number) => Math.floor(random() * most)

  beforeAll(async () => {
    sound = await wholeLake({ raw })
    const report = await verifyLake({ lakeDir: sound })
    expect(report.findings).toEqual([])
    listed = report.unverifiable
    all = await alterations(sound, pick)
  }, 600_000)

  const isListed = (how: 'columns' | 'partly', { table, column }: Alteration) =>
    listed.some((each) => each.table === table && each[how]?.includes(column))

  test('an altered value of any column is named under its table, or the column is said not to be verifiable', async () => {
    expect(all.length).toBeGreaterThan(700)
    const chosen = isWhole ? all : Array.from({ length: sampled }, () => all[pick(all.length)]!)
    const wrong: string[] = []
    for (const one of chosen) {
      const isNamed = await names(sound, one)
      const name = `${one.table}.${one.column}`
      if (!isNamed && !isListed('columns', one) && !isListed('partly', one)) wrong.push(`${name} is passed over`)
      if (isNamed && isListed('columns', one)) wrong.push(`${name} is found, although it is said not to be verifiable`)
    }
    expect(wrong).toEqual([])
  })
})

/** Whether a verification of a copy with the altered value has a finding of its table, or of its table as the other side. */
async function names(sound: string, one: Alteration): Promise<boolean> {
  const lake = copyOf(sound)
  try {
    await alter(lake, [one])
    const { findings } = await verifyLake({ lakeDir: lake })
    return findings.some(({ table, otherTable }) => table === one.table || otherTable === one.table)
  } finally {
    rmSync(join(lake, '..'), { recursive: true, force: true })
  }
}
