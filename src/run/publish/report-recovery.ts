import { firstLost, lostText, type Recovery, type Run } from '../../catalog/catalog.ts'
import type { EmitEvent } from '../job/events.ts'

/** Reports what the start of a run has cleaned up after crashed runs, and files of unknown origin. */
export function reportRecovery({ died, removed, unknown, restarted }: Recovery, emit: EmitEvent): void {
  if (died.length > 0)
    emit({
      kind: 'notice',
      message: 'An earlier run has crashed; its uncommitted files were removed.',
      details: { runs: died.join(', '), files: removed.length },
    })
  if (unknown.length > 0)
    emit({
      kind: 'warning',
      message:
        'Files of unknown origin are under data/: no commit and no run of this lake names them. They were not changed.',
      details: { files: unknown.length, first: unknown[0] },
    })
  if (restarted.length > 0)
    emit({
      kind: 'warning',
      message: 'Files of incomplete observations are missing; these observations start again.',
      details: { readings: restarted.length },
    })
}

/** Reports lost files of tables that this run does not write. The run continues. */
export function reportLostFiles(lost: Run['lost'], emit: EmitEvent): void {
  if (lost.length === 0) return
  emit({
    kind: 'warning',
    message: `In tables that this run does not write, ${lostText(lost)}.`,
    details: { tables: [...new Set(lost.map(({ table }) => table))].join(', '), first: firstLost(lost) },
  })
}
