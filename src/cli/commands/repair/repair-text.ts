import { guessedStreams } from '../../../repair/count-rows.ts'
import type { Repair } from '../../../repair/repair-lake.ts'
import { formatCount, textTable } from '../../terminal/format.ts'

/** Lines of a kind that people are shown. */
const mostLines = 20

/** What was removed, or would be, and what to do next. */
export function repairText(
  { findings, plan, snapshotId }: Repair,
  { dryRun, acceptLoss }: { readonly dryRun: boolean; readonly acceptLoss: boolean },
): string {
  const { files, cuts, lists, lost } = plan
  if (files.length === 0 && cuts.length === 0 && lost.length === 0) return 'Nothing is damaged.'
  const damaged = findings.map(({ message, file }) => `${message} ${file ?? ''}`.trim())
  const rows = files.reduce((sum, { file }) => sum + file.rows, 0)
  const whole = files.filter((file) => !file.damaged).length
  const guessed = guessedStreams(plan)
  const [removed, read] = dryRun ? ['would be removed', 'would be read'] : ['removed', 'is read']
  const parts = [
    ...shortened(damaged),
    ...(files.length === 0
      ? []
      : [
          `${formatCount(files.length)} ${files.length === 1 ? 'file' : 'files'} with ${formatCount(rows)} rows ${removed}${whole === 0 ? '' : `, ${formatCount(whole)} of them undamaged, of the same slices`}.`,
        ]),
    ...(cuts.length === 0
      ? []
      : [
          `What ${read} again:`,
          textTable(
            ['stream', 'table', '>from', '>to'],
            cuts
              .slice(0, mostLines)
              .map(({ stream, table, slice }) => [stream, table, formatCount(slice.from), formatCount(slice.to)]),
          ),
          ...more(cuts.length),
        ]),
    ...(lists.length === 0 ? [] : ['Lists that are read again from their beginning:', ...shortened(lists)]),
    ...(lost.length === 0
      ? []
      : [
          acceptLoss
            ? 'Lost, since nobody can read it again:'
            : 'These cannot be read again, and stay as they are until --accept-loss removes them:',
          ...shortened(lost.map(({ table, file }) => `${table.name}: ${formatCount(file.rows)} rows of ${file.path}`)),
          ...(lost.some(({ table }) => /^[px]_state_outputs$/.test(table.name))
            ? [
                'Of outputs that only utxo-set saw, those that are still unspent come again with its next run; spent ones do not.',
              ]
            : []),
        ]),
    ...(guessed.length === 0
      ? []
      : [
          `Rows of these streams are counted about right from now on (chainlake status), since they share files; their sum is exact:`,
          ...shortened(guessed),
        ]),
    ...(snapshotId === null
      ? []
      : ['Run the jobs that fill these tables (with --raw or --senders where they are theirs).']),
  ]
  return parts.join('\n')
}

function shortened(lines: readonly string[]): string[] {
  return [...lines.slice(0, mostLines).map((line) => `  ${line}`), ...more(lines.length)]
}

function more(count: number): string[] {
  return count > mostLines ? [`  … and ${formatCount(count - mostLines)} more (--json shows all)`] : []
}
