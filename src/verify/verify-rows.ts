import { chains } from '../../schemas/chains.ts'
import { containers } from '../../schemas/containers.ts'
import type { Table } from '../define/index.ts'
import { counts } from './counts.ts'
import { bothChecked, type Checked, type LakeRows, nothingFound, tablesWithFiles } from './lake-rows.ts'
import { ledgers } from './ledgers.ts'
import { sourcePairs } from './source-pairs.ts'
import { verifyChains } from './verify-chains.ts'
import { verifyCount } from './verify-counts.ts'
import { verifyImports, verifyInputs } from './verify-inputs.ts'
import { verifyKeys } from './verify-keys.ts'
import { verifyPair } from './verify-pair.ts'
import { verifyRaw } from './verify-raw.ts'
import { verifySequences } from './verify-sequences.ts'

export type RowsProgress = (progress: { readonly what: string; readonly done: number; readonly of: number }) => void

type Step = { readonly what: string; readonly tables: readonly Table[]; readonly check: () => Promise<Checked> }

/** What rows say of each other: keys, heights, parents, counts, what is spent. */
export async function verifyRows(rows: LakeRows, onProgress: RowsProgress): Promise<Checked> {
  const there = tablesWithFiles(rows)
  const isThere = (table: Table) => there.includes(table)
  const steps: Step[] = [
    ...there.map((table) => ({ what: `keys of ${table.name}`, tables: [table], check: () => verifyKeys(rows, table) })),
    { what: 'heights and parents', tables: [], check: () => verifySequences(rows) },
    { what: 'the chains of networks', tables: [chains], check: () => verifyChains(rows) },
    ...counts
      .filter(({ of }) => isThere(of))
      .map((count) => ({
        what: `rows of ${count.rows.name}`,
        tables: [count.of, count.rows],
        check: () => verifyCount(rows, count),
      })),
    ...ledgers
      .filter(({ inputs }) => isThere(inputs))
      .map((ledger) => ({
        what: `what ${ledger.inputs.name} spend`,
        tables: [ledger.inputs, ledger.outputs, ledger.transactions],
        check: () => verifyInputs(rows, ledger),
      })),
    {
      what: 'imports',
      tables: ledgers.flatMap(({ inputs, outputs, transactions }) => [inputs, outputs, transactions]),
      check: () => verifyImports(rows),
    },
    ...sourcePairs
      .filter(({ own, other }) => isThere(own.table) && isThere(other.table))
      .map((pair) => ({
        what: `${pair.own.table.name} beside ${pair.other.table.name}`,
        tables: [pair.own.table, pair.other.table],
        check: () => verifyPair(rows, pair),
      })),
    ...(isThere(containers)
      ? [{ what: 'what raw containers say', tables: [containers], check: () => verifyRaw(rows) }]
      : []),
  ]
  let found = nothingFound
  const wanted = steps.filter(({ tables }) => tables.every(rows.looksAt))
  for (const [position, { what, tables, check }] of wanted.entries()) {
    onProgress({ what, done: position, of: wanted.length })
    found = bothChecked(found, await attempt(rows, what, tables, check))
  }
  onProgress({ what: 'rows', done: wanted.length, of: wanted.length })
  return found
}

/** Damaged files are findings already: what they keep from being checked is said. */
async function attempt(rows: LakeRows, what: string, tables: readonly Table[], check: Step['check']): Promise<Checked> {
  const torn = tables.find((table) => rows.torn(table))
  if (torn !== undefined) return unchecked(what, `files of ${torn.name} are not whole`)
  try {
    return await check()
  } catch (error) {
    if (!rows.isDamaged || !(error instanceof Error)) throw error
    return unchecked(what, error.message.split('\n')[0] ?? '')
  }
}

function unchecked(what: string, why: string): Checked {
  return { findings: [], remarks: [{ message: `Not checked: ${what} (${why}).` }] }
}
