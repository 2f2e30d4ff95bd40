import { openFolderStore } from './folder-store.ts'
import type { Store, StorePlace } from './store.ts'

/** Opens the data files of a lake. */
export function openStore(place: StorePlace): Store {
  return openFolderStore(place.lake)
}
