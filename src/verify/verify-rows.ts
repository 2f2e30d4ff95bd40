import { chains } from '../../schemas/chains.ts'
import { containers } from '../../schemas/containers.ts'
import { evmBlocks } from '../../schemas/evm-blocks.ts'
import { evmEventFailures } from '../../schemas/evm-event-failures.ts'
import { evmLogs } from '../../schemas/evm-logs.ts'
import { evmTokenTransfers } from '../../schemas/evm-token-transfers.ts'
import { evmTraces } from '../../schemas/evm-traces.ts'
import { evmTransactions } from '../../schemas/evm-transactions.ts'
import { observations } from '../../schemas/observations.ts'
import type { Table } from '../define/index.ts'
import { bothChecked, type Checked, type LakeRows, nothingFound, tablesWithFiles } from './lake/lake-rows.ts'
import { rowProofs } from './proofs/row-proofs.ts'
import { unverifiableOf } from './proofs/unproven.ts'
import { verifyProof } from './proofs/verify-proofs.ts'
import { verifyRaw } from './proofs/verify-raw.ts'
import { copies } from './rows/copies.ts'
import { counts } from './rows/counts.ts'
import { ledgers } from './rows/ledgers.ts'
import { sourcePairs } from './rows/source-pairs.ts'
import { verifyChains } from './rows/verify-chains.ts'
import { changes, verifyChanges } from './rows/verify-changes.ts'
import { verifyCopy } from './rows/verify-copy.ts'
import { verifyCount } from './rows/verify-counts.ts'
import { verifyEvmBlocks } from './rows/verify-evm-blocks.ts'
import { verifyImports, verifyInputs } from './rows/verify-inputs.ts'
import { verifyKeys } from './rows/verify-keys.ts'
import { verifyObservations } from './rows/verify-observations.ts'
import { verifyPair } from './rows/verify-pair.ts'
import { verifyRowRules } from './rows/verify-row-rules.ts'
import { verifySequences } from './rows/verify-sequences.ts'
import { verifySubjects } from './rows/verify-subjects.ts'
import { ofTransactions, verifyTraced } from './rows/verify-traced.ts'
import { verifyTraces } from './rows/verify-traces.ts'
import { verifyTransfers } from './rows/verify-transfers.ts'

type RowsProgress = (progress: { readonly what: string; readonly done: number; readonly of: number }) => void

export type Step = { readonly what: string; readonly tables: readonly Table[]; readonly check: () => Promise<Checked> }

/** All checks that the tables of a lake allow. */
function rowSteps(rows: LakeRows): Step[] {
  const there = tablesWithFiles(rows)
  const isThere = (table: Table) => there.includes(table)
  const isCovered = ({ name }: Table) => rows.inventory.coverage.some(({ table }) => table === name)
  const isWhole = ({ name }: Table) => !rows.inventory.withLosses.has(name)
  return [
    ...there.map((table) => ({ what: `keys of ${table.name}`, tables: [table], check: () => verifyKeys(rows, table) })),
    ...there.map((table) => ({
      what: `values of ${table.name}`,
      tables: [table],
      check: () => verifyRowRules(rows, table),
    })),
    ...rowProofs
      .filter(({ table }) => isThere(table))
      .map((proof) => ({
        what: `${proof.columns[0]} of ${proof.table.name}`,
        tables: [proof.table],
        check: () => verifyProof(rows, proof),
      })),
    ...there
      .filter((table) => table.history === 'observations' || table === observations)
      .map((table) => ({
        what: `observations of ${table.name}`,
        tables: [table],
        check: () => verifyObservations(rows, table),
      })),
    ...there
      .filter((table) => isThere(observations) && isWhole(observations) && isPartOfObservation(table))
      .map((table) => ({
        what: `subjects of ${table.name}`,
        tables: [table, observations],
        check: () => verifySubjects(rows, table),
      })),
    ...(isThere(evmTokenTransfers)
      ? [
          {
            what: 'token transfers of logs',
            tables: [evmTokenTransfers, evmLogs],
            check: () => verifyTransfers(rows),
          },
        ]
      : []),
    ...(isCovered(evmEventFailures) && isThere(evmLogs)
      ? [
          {
            what: 'events of logs',
            tables: [evmLogs],
            check: async () => (await import('./rows/verify-events.ts')).verifyEvents(rows),
          },
        ]
      : []),
    ...((isThere(evmBlocks) || isThere(evmTransactions)) && [evmBlocks, evmTransactions, evmLogs].every(isWhole)
      ? [
          {
            what: 'hashes and roots of EVM blocks',
            tables: [evmBlocks, evmTransactions, evmLogs],
            check: () => verifyEvmBlocks(rows),
          },
        ]
      : []),
    ...(isThere(evmTraces)
      ? [{ what: 'calls of transactions', tables: [evmTraces], check: () => verifyTraces(rows) }]
      : []),
    ...ofTransactions
      .filter(({ table }) => isCovered(table) && isCovered(evmTransactions))
      .map((own) => ({
        what: `transactions of ${own.table.name}`,
        tables: [own.table, evmTransactions],
        check: () => verifyTraced(rows, own),
      })),
    ...changes
      .filter(({ table }) => isThere(table))
      .map((kind) => ({
        what: `${kind.before} of ${kind.table.name}`,
        tables: [kind.table],
        check: () => verifyChanges(rows, kind),
      })),
    { what: 'heights and parents', tables: [], check: () => verifySequences(rows) },
    { what: 'the chains of networks', tables: [chains], check: () => verifyChains(rows) },
    ...counts
      .filter((count) => isThere(count.of) && isWhole(count.of) && isWhole(count.rows))
      .map((count) => ({
        what: `rows of ${count.rows.name}`,
        tables: [count.of, count.rows],
        check: () => verifyCount(rows, count),
      })),
    ...ledgers
      .filter(({ inputs }) => isThere(inputs))
      .map((ledger) => ({
        what: `outputs that ${ledger.inputs.name} spend`,
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
        what: `${pair.own.table.name} against ${pair.other.table.name}`,
        tables: [pair.own.table, pair.other.table],
        check: () => verifyPair(rows, pair),
      })),
    ...copies
      .filter(({ table, of }) => isThere(table) && isThere(of))
      .map((copy) => ({
        what: `columns of ${copy.table.name} that ${copy.of.name} has too`,
        tables: [copy.table, copy.of],
        check: () => verifyCopy(rows, copy),
      })),
    ...(isThere(containers)
      ? [{ what: 'rows decoded from raw containers', tables: [containers], check: () => verifyRaw(rows) }]
      : []),
  ]
}

/** Points of a series have no subject; their observation id is the id of the run that read them. */
function isPartOfObservation(table: Table): boolean {
  return table.history === 'observations' && table !== observations && 'subject' in table.columns
}

/** Compares rows with each other: keys, heights, parents, counts, spent outputs, and values that can be derived again. */
export async function verifyRows(rows: LakeRows, onProgress: RowsProgress): Promise<Checked> {
  const steps = rowSteps(rows)
  let found = nothingFound
  const wanted = steps.filter(({ tables }) => tables.every(rows.looksAt))
  for (const [position, { what, tables, check }] of wanted.entries()) {
    onProgress({ what, done: position, of: wanted.length })
    found = bothChecked(found, await attempt(rows, what, tables, check))
  }
  onProgress({ what: 'rows', done: wanted.length, of: wanted.length })
  return bothChecked(found, { findings: [], remarks: [], unverifiable: unverifiableOf(rows) })
}

/** Damaged files are already findings. A check that cannot read them becomes a remark. */
async function attempt(rows: LakeRows, what: string, tables: readonly Table[], check: Step['check']): Promise<Checked> {
  const torn = tables.find((table) => rows.torn(table))
  if (torn !== undefined) return unchecked(what, `files of ${torn.name} are damaged`)
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
