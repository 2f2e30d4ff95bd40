import type { Table } from '../../define/index.ts'
import { inTransaction, type Session } from '../session/session.ts'
import { nextSnapshot, writeSnapshot } from '../session/snapshot.ts'
import { readDeclaredTables } from './declared-tables.ts'
import { ensureTables } from './ensure-table.ts'
import { giveIds } from './give-ids.ts'
import { readTables } from './known-tables.ts'

/** The tables with the ids that their columns have, or will have, in the lake; see `giveIds`. */
export async function withLakeIds(
  session: Session,
  tables: readonly Table[],
  dropped: 'drop' | 'refuse',
): Promise<Table[]> {
  if (tables.length === 0) return []
  const stored = await readDeclaredTables(session)
  return tables.map((table) => giveIds(table, stored.get(table.name), dropped))
}

/**
 * Creates missing tables and changes the others to these declarations, before any file of them is written: no other run can give their ids
 * to other columns. It makes a snapshot only if something changes.
 */
export async function declareTables(session: Session, tables: readonly Table[], runId: string): Promise<void> {
  if (tables.length === 0) return
  await inTransaction(session, async () => {
    const snapshot = await nextSnapshot(session)
    await ensureTables(session, snapshot, tables, await readTables(session))
    if (snapshot.changes.length === 0) return
    const names = tables.map(({ name }) => name).join(', ')
    await writeSnapshot(session, snapshot, { message: `tables declared by run ${runId}: ${names}`, runId })
  })
}
