import type { Store } from '../../store/store.ts'

/** Removes files that the catalog no longer names; `recoverLake` of a later run finds those that cannot be removed now. */
export async function removeDropped(store: Store, files: readonly string[]): Promise<void> {
  for (const file of files) await store.remove(file).catch(() => undefined)
}
