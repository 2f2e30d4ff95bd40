import { firstLost, lostText, type Recovery, type Run } from '../../catalog/catalog.ts'
import type { EmitEvent } from '../job/events.ts'

/** What runs that died had left: worth knowing, and files that nobody can place are worth a look. */
export function tellRecovery({ died, removed, unknown, restarted }: Recovery, emit: EmitEvent): void {
  if (died.length > 0)
    emit({
      kind: 'notice',
      message: 'A run before this one had died; what it had not committed was removed.',
      details: { runs: died.join(', '), files: removed.length },
    })
  if (unknown.length > 0)
    emit({
      kind: 'warning',
      message: 'There are files under data/ that no commit and no run of this lake knows; they are left alone.',
      details: { files: unknown.length, first: unknown[0] },
    })
  if (restarted.length > 0)
    emit({
      kind: 'warning',
      message: 'Files of readings that were not complete are gone; these readings begin anew.',
      details: { readings: restarted.length },
    })
}

/** Files of tables that this run does not write: it goes on, and somebody should know. */
export function tellLost(lost: Run['lost'], emit: EmitEvent): void {
  if (lost.length === 0) return
  emit({
    kind: 'warning',
    message: `In tables that this run does not write, ${lostText(lost)}.`,
    details: { tables: [...new Set(lost.map(({ table }) => table))].join(', '), first: firstLost(lost) },
  })
}
