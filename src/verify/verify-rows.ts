import { evmBlocks, evmLogs, evmTokenTransfers, evmTransactions } from '../../schemas/evm-blocks.ts'
import { evmEventFailures, evmTraces } from '../../schemas/evm-contracts.ts'
import { chains, containers, observations } from '../../schemas/lake.ts'
import type { Table } from '../define/index.ts'
import {
  type Check,
  chainCheck,
  changeCheck,
  copyCheck,
  countCheck,
  keyCheck,
  loadCatalog,
  observationCheck,
  pairCheck,
  runCheck,
  subjectCheck,
  tracedCheck,
  treeCheck,
  valueCheck,
} from './checks.ts'
import { verifyEvents, verifyRaw, verifyTransfers } from './decoded-again.ts'
import { verifyEvmBlocks } from './evm-blocks.ts'
import { importCheck, inputChecks, ledgers } from './inputs.ts'
import { bothChecked, type Checked, covers, type LakeRows, nothingFound, tablesWithFiles } from './lake.ts'
import { rowProofs, unverifiableOf, verifyProof } from './proofs.ts'
import { changes, copies, counts, ofTransactions, sourcePairs } from './same-facts.ts'
import { beyondCheck, loadSlices, secondNames, sequenceCheck, sequences } from './sequences.ts'

type RowsProgress = (progress: { readonly what: string; readonly done: number; readonly of: number }) => void

type Step = { readonly what: string; readonly tables: readonly Table[]; readonly check: () => Promise<Checked> }

/** All checks that the tables of a lake allow. */
function rowSteps(rows: LakeRows): Step[] {
  const there = tablesWithFiles(rows)
  const has = (...tables: readonly Table[]) => tables.every((table) => there.includes(table))
  const isCovered = (table: Table) => covers(rows.inventory, table)
  const isWhole = ({ name }: Table) => !rows.inventory.withLosses.has(name)
  const observed = there.filter((table) => table.history === 'observations' || table === observations)
  const queries = (...checks: readonly (Check | null)[]): Step[] =>
    checks.flatMap((check) =>
      check === null ? [] : [{ what: check.what, tables: check.tables, check: () => runCheck(rows, check) }],
    )
  const code = (is: boolean, what: string, tables: readonly Table[], check: () => Promise<Checked>): Step[] =>
    is ? [{ what, tables, check }] : []
  const ofEvmBlocks = [evmBlocks, evmTransactions, evmLogs]
  const spending = ledgers.filter(({ inputs }) => has(inputs))
  const makers = ledgers.filter(({ outputs }) => has(outputs))
  return [
    ...queries(...there.map(keyCheck), ...there.map((table) => valueCheck(rows, table))),
    ...rowProofs.flatMap((proof) =>
      code(has(proof.table), `${proof.columns[0]} of ${proof.table.name}`, [proof.table], () =>
        verifyProof(rows, proof),
      ),
    ),
    ...queries(
      ...(rows.inventory.observations.size > 0 ? observed : []).map(observationCheck),
      ...(has(observations) && isWhole(observations) ? observed.filter(isPartOfObservation).map(subjectCheck) : []),
    ),
    ...code(has(evmTokenTransfers), 'token transfers of logs', [evmTokenTransfers, evmLogs], () =>
      verifyTransfers(rows),
    ),
    ...code(isCovered(evmEventFailures) && has(evmLogs), 'events of logs', [evmLogs], () => verifyEvents(rows)),
    ...code(
      (has(evmBlocks) || has(evmTransactions)) && ofEvmBlocks.every(isWhole),
      'hashes and roots of EVM blocks',
      ofEvmBlocks,
      () => verifyEvmBlocks(rows),
    ),
    ...queries(
      has(evmTraces) ? treeCheck() : null,
      ...ofTransactions
        .filter(({ table }) => isCovered(table) && isCovered(evmTransactions))
        .map((own) => tracedCheck(rows, own)),
      ...changes.filter(({ table }) => has(table)).map((kind) => changeCheck(rows, kind)),
    ),
    ...queries(
      ...sequences.filter(({ table }) => isCovered(table)).map((sequence) => sequenceCheck(rows, sequence)),
      ...sequences.filter(({ table }) => has(table)).map(beyondCheck),
      chainCheck(),
    ),
    ...code(true, 'names of chains', [chains], () => secondNames(rows)),
    ...queries(
      ...counts
        .filter((count) => has(count.of) && isWhole(count.of) && isWhole(count.rows))
        .map((count) => countCheck(rows, count)),
    ),
    ...queries(
      ...spending.flatMap((ledger) => inputChecks(rows.inventory, ledger)),
      ...(makers.length === 0 ? [] : spending).map((ledger) => importCheck(rows.inventory, ledger, makers)),
    ),
    ...queries(
      ...sourcePairs.filter(({ own, other }) => has(own.table, other.table)).map((pair) => pairCheck(rows, pair)),
      ...copies.filter(({ table, of }) => has(table, of)).map((each) => copyCheck(rows, each)),
    ),
    ...code(has(containers), 'rows decoded from raw containers', [containers], () => verifyRaw(rows)),
  ]
}

/** Points of a series have no subject; their observation id is the id of the run that read them. */
function isPartOfObservation(table: Table): boolean {
  return table.history === 'observations' && table !== observations && 'subject' in table.columns
}

/** Compares rows with each other: keys, heights, parents, counts, spent outputs, and values that can be derived again. */
export async function verifyRows(rows: LakeRows, onProgress: RowsProgress): Promise<Checked> {
  await loadCatalog(rows)
  await loadSlices(rows)
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
