import { evmBlocks, evmLogs, evmTokenTransfers, evmTransactions } from '../../schemas/evm-blocks.ts'
import { evmEventFailures } from '../../schemas/evm-contracts.ts'
import { chains, containers, observations } from '../../schemas/lake.ts'
import type { Table } from '../define/index.ts'
import { type Check, chainCheck, keyCheck, loadCatalog, observationCheck, runCheck, subjectCheck } from './checks.ts'
import { verifyEvents, verifyRaw, verifyTransfers } from './decoded-again.ts'
import { verifyEvmBlocks } from './evm-blocks.ts'
import { transactionChecks } from './evm-checks.ts'
import { inputChecks, ledgers, spendsCheck } from './inputs.ts'
import { bothChecked, type Checked, covers, type LakeRows, nothingFound, tablesWithFiles } from './lake.ts'
import { rowProofs, unverifiableOf, verifyProof } from './proofs.ts'
import type { OnProgress } from './report.ts'
import { copies, countCheck, counts, gasOfFirstCalls, valueCheck } from './same-facts.ts'
import { beyondCheck, loadSlices, secondNames, sequenceCheck, sequences } from './sequences.ts'
import { pairCheck, sourcePairs } from './source-pairs.ts'

/** A check by SQL, or one that needs code. */
type Step = Pick<Check, 'what' | 'tables' | 'files' | 'covered' | 'isWhole'> & {
  readonly check: () => Promise<Checked>
}

/** All checks that the tables of a lake allow. */
function rowSteps(rows: LakeRows): Step[] {
  const { inventory } = rows
  const there = tablesWithFiles(rows)
  const has = (table: Table) => there.includes(table)
  const isWhole = ({ name }: Table) => !inventory.withLosses.has(name)
  const observed = there.filter((table) => table.history === 'observations' || table === observations)
  const spending = ledgers.filter(({ inputs }) => has(inputs))
  const makers = ledgers.filter(({ outputs }) => has(outputs))
  const queries = (...checks: readonly (Check | null)[]): Step[] =>
    checks.flatMap((check) => (check === null ? [] : [{ ...check, check: () => runCheck(rows, check) }]))
  const code = (what: string, tables: readonly Table[], check: Step['check'], more: Partial<Step> = {}): Step[] => [
    { what, tables, check, ...more },
  ]
  const steps = [
    ...queries(
      ...there.map(keyCheck),
      ...there.map((table) => valueCheck(rows, table)),
      ...(inventory.observations.size > 0 ? observed : []).map(observationCheck),
      ...(isWhole(observations) ? observed.filter(isPartOfObservation) : []).map(subjectCheck),
      ...transactionChecks(rows),
      ...sequences.map((sequence) => sequenceCheck(rows, sequence)),
      ...sequences.map(beyondCheck),
      chainCheck(),
      ...counts.map((count) => countCheck(rows, count)),
      ...spending.flatMap((ledger) => inputChecks(inventory, ledger)),
      ...(makers.length === 0 ? [] : spending).map((ledger) => spendsCheck(inventory, ledger, makers)),
      ...sourcePairs.map((pair) => pairCheck(rows, pair)),
      ...copies,
      ...gasOfFirstCalls(rows),
    ),
    ...code('names of chains', [chains], () => secondNames(rows), { files: [] }),
    // The heap grows with proofs and does not shrink: after them, queries would take memory on top of it.
    ...rowProofs.flatMap((proof) =>
      code(`${proof.columns[0]} of ${proof.table.name}`, [proof.table], () => verifyProof(rows, proof)),
    ),
    ...code('token transfers of logs', [evmTokenTransfers, evmLogs], () => verifyTransfers(rows), {
      files: [evmTokenTransfers],
    }),
    ...code('events of logs', [evmLogs], () => verifyEvents(rows), { covered: [evmEventFailures] }),
    ...code('hashes and roots of EVM blocks', [evmBlocks, evmTransactions, evmLogs], () => verifyEvmBlocks(rows), {
      files: has(evmBlocks) ? [evmBlocks] : [evmTransactions],
      isWhole: true,
    }),
    ...code('rows decoded from raw containers', [containers], () => verifyRaw(rows)),
  ]
  return steps.filter(
    ({ tables, files = tables, covered = [], isWhole: mustBeWhole = false }) =>
      files.every(has) && covered.every((table) => covers(inventory, table)) && (!mustBeWhole || tables.every(isWhole)),
  )
}

/** Points of a series have no subject; their observation id is the id of the run that read them. */
function isPartOfObservation(table: Table): boolean {
  return table.history === 'observations' && table !== observations && 'subject' in table.columns
}

/** Compares rows with each other: keys, heights, parents, counts, spent outputs, and values that can be derived again. */
export async function verifyRows(rows: LakeRows, onProgress: OnProgress): Promise<Checked> {
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
