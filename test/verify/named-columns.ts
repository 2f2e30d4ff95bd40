import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding } from '../../src/verify/report.ts'
import { verifyLake } from '../../src/verify/verify-lake.ts'
import { type Alteration, alter } from './alter-columns.ts'
import { copyOf } from './sound-lake.ts'

/** Verifies a lake. */
export type Verify = (lake: string) => Promise<readonly Finding[]>

const withoutSources: Verify = async (lake) => (await verifyLake({ lake: { folder: lake } })).findings

/** The findings of a verification of a copy of the lake with altered values. */
export async function findingsOf(
  sound: string,
  altered: readonly Alteration[],
  verify: Verify = withoutSources,
): Promise<readonly Finding[]> {
  const lake = copyOf(sound)
  try {
    await alter(lake, altered)
    return await verify(lake)
  } finally {
    rmSync(join(lake, '..'), { recursive: true, force: true })
  }
}

/**
 * The alterations that no verification names with their table, as the table or as the other table. Values of several tables are altered
 * together. Values that this does not reveal are tried again with half of them, and finally alone.
 */
export async function unnamed(sound: string, altered: readonly Alteration[], verify?: Verify): Promise<Alteration[]> {
  const found: Alteration[] = []
  for (const some of batches(altered)) found.push(...(await unnamedOf(sound, some, verify)))
  return found
}

async function unnamedOf(sound: string, some: readonly Alteration[], verify?: Verify): Promise<Alteration[]> {
  const findings = await findingsOf(sound, some, verify)
  if (some.length === 1) return findings.some((finding) => isAbout(finding, some[0]!)) ? [] : [...some]
  const tables = new Set(some.map(({ table }) => table))
  const left = some.filter((one) => !findings.some((finding) => isAboutAlone(finding, one, tables)))
  const half = Math.ceil(left.length / 2)
  const halves = [left.slice(0, half), left.slice(half)].filter(({ length }) => length > 0)
  return (await inOrder(halves, (each) => unnamedOf(sound, each, verify))).flat()
}

async function inOrder<T, R>(items: readonly T[], use: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (const item of items) results.push(await use(item))
  return results
}

function isAbout({ table, otherTable }: Finding, one: Alteration): boolean {
  return table === one.table || otherTable === one.table
}

/** Kinds of findings that are caused only by the row that they name, if they name no other table. */
const ofOneRow: readonly Finding['kind'][] = [
  'rows.value',
  'rows.raw',
  'rows.key',
  'source.different',
  'source.missing',
]

/** Whether none of the other altered tables can be the cause of a finding. */
function isAboutAlone(finding: Finding, one: Alteration, altered: ReadonlySet<string>): boolean {
  const { kind, table, otherTable } = finding
  if (otherTable === undefined) return table === one.table && ofOneRow.includes(kind)
  const other = table === one.table ? otherTable : table
  return isAbout(finding, one) && (other === one.table || other === undefined || !altered.has(other))
}

/** Tables that most other tables are compared with. Their values are altered alone. */
export const compared = ['chains', 'containers', 'observations']

/** Batches with at most one value of each table. */
function batches(altered: readonly Alteration[]): Alteration[][] {
  const made: Alteration[][] = []
  for (const one of altered) {
    const isAlone = compared.includes(one.table)
    const fitting = made.find((batch) =>
      batch.every(({ table }) => table !== one.table && !isAlone && !compared.includes(table)),
    )
    if (fitting === undefined) made.push([one])
    else fitting.push(one)
  }
  return made
}
