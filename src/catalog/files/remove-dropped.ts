import type { Store } from '../../store/store.ts'

/** Removes files that the catalog no longer references. If this fails, `recoverLake` of a later run removes them. */
export async function removeDropped(store: Store, files: readonly string[]): Promise<void> {
  for (const file of files) await store.remove(file).catch(() => undefined)
}
