import { ConfigError } from '../../errors.ts'
import { counted, countText, namesText } from '../../lib/text.ts'
import { guessedStreams, type RemovalPlan } from '../../repair/plan-removal.ts'
import { type Repair, type Requested, repairLake } from '../../repair/repair-lake.ts'
import { boundText, lengthText } from '../../run/status/lake-status.ts'
import type { FlagsOf } from '../flags/command.ts'
import { itemsOf, parseWhole, readSettings } from '../settings.ts'
import { showProgress, terminalLines } from '../terminal/status-lines.ts'
import { textTable } from '../terminal/tables.ts'
import { printResult, untilSignal } from '../terminal/terminal.ts'
import type { repairCommand } from './lake.ts'

type RepairFlags = FlagsOf<typeof repairCommand>

/** `chainlake repair`: exit code 0 when no damage is left, 6 when damaged files stay because their rows cannot be fetched again. */
export async function runRepair(flags: RepairFlags): Promise<number> {
  const { lake } = await readSettings(flags)
  const requested = requestedChain(flags) ?? requestedSlices(flags)
  const [dryRun, acceptLoss] = [flags['dry-run'] === true, flags['accept-loss'] === true]
  return untilSignal(async ({ signal: stop }) => {
    const lines = terminalLines()
    const onProgress = lines === undefined ? {} : { onProgress: showProgress(lines) }
    const repairing = repairLake({ lake, requested, dryRun, acceptLoss, stop, ...onProgress })
    const repair = await repairing.finally(() => lines?.clear())
    await printResult(flags, repairFacts(repair, dryRun), repairText(repair, { dryRun, acceptLoss }))
    return !acceptLoss && repair.plan.lost.length > 0 ? 6 : 0
  })
}

function requestedChain({ chain, stream, from, to, tables }: RepairFlags): Requested | null {
  if (chain === undefined) return null
  const [, network, chainId] = /^([^/]+)\/([^/?]+)$/.exec(chain) ?? []
  if (network === undefined || chainId === undefined)
    throw new ConfigError(`${JSON.stringify(chain)} names no chain of a network.`, {
      code: 'config.option',
      hint: 'Give the network and the chain id as in the columns of the rows, such as --chain evm-43112/43112.',
    })
  if ([stream, from, to, tables].every((flag) => flag === undefined)) return { network, chainId }
  throw new ConfigError('--chain removes all rows of a chain: it takes no --stream, --from, --to and --tables.', {
    code: 'config.option',
    hint: 'Give either --chain or --stream.',
  })
}

function requestedSlices({ stream, from, to, tables }: RepairFlags): Requested | null {
  if (stream === undefined) {
    if (from === undefined && to === undefined && tables === undefined) return null
    throw new ConfigError('--from, --to and --tables need --stream.', {
      code: 'config.option',
      hint: 'Give --stream with a name from chainlake status, such as P/block, or leave these flags out to repair damaged files.',
    })
  }
  const slice = {
    from: from === undefined ? 0 : parseWhole('--from', from, 0),
    to: to === undefined ? Number.MAX_SAFE_INTEGER : parseWhole('--to', to, 1),
  }
  if (slice.from >= slice.to)
    throw new ConfigError(`--from ${slice.from} is not below --to ${slice.to}.`, {
      code: 'config.range',
      hint: '--from is inclusive and --to is exclusive.',
    })
  return { stream, slice, tables: tables === undefined ? null : itemsOf(tables) }
}

/** The result for `--json`; its format is versioned. */
function repairFacts({ lake, findings, plan, again, needsCode, snapshotId }: Repair, dryRun: boolean) {
  const fileOf = ({ table, file, damaged }: Repair['plan']['files'][number]) => ({
    table: table.name,
    path: file.path,
    rows: file.rows,
    damaged,
  })
  return {
    format: 1,
    lake,
    dryRun,
    findings,
    removed: plan.files.map(fileOf),
    uncovered: plan.cuts,
    fetchedAgain: again,
    lists: plan.lists,
    /** Streams that the next run reads again only with the code of their pipelines. */
    needsCode,
    lost: plan.lost.map(fileOf),
    /** Streams with approximate row counts from now on. */
    countedAbout: guessedStreams(plan),
    snapshotId,
  }
}

/** Up to this many lines of a kind are printed. */
const mostLines = 20
/** Up to this many tables of a slice are named. */
const mostTables = 3

type Mode = { readonly dryRun: boolean; readonly acceptLoss: boolean }

/** What was removed, or would be, and what to do next. */
export function repairText({ findings, plan, again, needsCode, snapshotId }: Repair, mode: Mode): string {
  const { files, cuts, lists, lost } = plan
  if (files.length === 0 && cuts.length === 0 && lost.length === 0) return 'Nothing is damaged.'
  const damaged = findings.map(({ message, file }) => `${message} ${file ?? ''}`.trim())
  return [
    ...shortened(damaged),
    ...removedLines(plan, mode),
    ...againLines(again, mode),
    ...titled('Lists to be fetched again from their beginning:', lists),
    ...titled(
      'These pipelines do not come with chainlake. The next run reads their rows again only with their code (--pipelines FILE, or pipelines or lists in chainlake.yaml):',
      needsCode.map(({ pipeline, stream, tables }) => `${pipeline}: ${tables.join(', ')} of ${stream}`),
    ),
    ...lostLines(plan, mode),
    ...titled(
      'These streams share files: their row counts in chainlake status are approximate from now on; the sum is exact:',
      guessedStreams(plan),
    ),
    ...(snapshotId === null
      ? []
      : ['Next: run the jobs that fill these tables (with --raw or --senders for the tables that need it).']),
  ].join('\n')
}

function removedLines({ files }: RemovalPlan, { dryRun }: Mode): string[] {
  if (files.length === 0) return []
  const rows = files.reduce((sum, { file }) => sum + file.rows, 0)
  const undamaged = files.filter((file) => !file.damaged).length
  const also = undamaged === 0 ? '' : `, ${countText(undamaged)} of them undamaged files of the same slices`
  const removed = dryRun ? 'would be removed' : 'removed'
  return [`${counted(files.length, 'file')} with ${countText(rows)} rows ${removed}${also}.`]
}

function againLines(again: Repair['again'], { dryRun }: Mode): string[] {
  const rows = again.flatMap(({ stream, unit, tables, slices, covered }) =>
    slices.map(({ from, to }) => [
      stream,
      boundText(from, unit),
      boundText(to, unit),
      partText(to - from, covered, unit),
      namesText(tables, mostTables),
    ]),
  )
  if (rows.length === 0) return []
  return [
    dryRun ? 'The next run would fetch again:' : 'The next run fetches again:',
    textTable(['stream', '>from', '>to', 'length', 'tables'], rows.slice(0, mostLines)),
    ...more(rows.length),
  ]
}

function partText(length: number, whole: number, unit: string): string {
  if (length === whole) return `all ${lengthText(whole, unit)}`
  return `${unit === 'seconds' ? lengthText(length, unit) : countText(length)} of ${lengthText(whole, unit)}`
}

function lostLines({ lost }: RemovalPlan, { acceptLoss }: Mode): string[] {
  const title = acceptLoss
    ? 'Lost, since these rows cannot be fetched again:'
    : 'These rows cannot be fetched again. Their files stay until --accept-loss removes them:'
  const files = lost.map(({ table, file }) => `${table.name}: ${countText(file.rows)} rows of ${file.path}`)
  const hasOutputs = lost.some(({ table }) => /^[px]_state_outputs$/.test(table.name))
  return [
    ...titled(title, files),
    ...(hasOutputs
      ? [
          'The next run of utxo-set fetches the outputs that are still unspent; spent outputs that only it saw are lost.',
        ]
      : []),
  ]
}

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...shortened(lines)]
}

function shortened(lines: readonly string[]): string[] {
  return [...lines.slice(0, mostLines).map((line) => `  ${line}`), ...more(lines.length)]
}

function more(count: number): string[] {
  return count > mostLines ? [`  … and ${countText(count - mostLines)} more (--json shows all)`] : []
}
