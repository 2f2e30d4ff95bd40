import { openFolderStore } from './folder-store.ts'
import { openS3Store } from './s3-store.ts'
import type { Store, StorePlace } from './store.ts'

/** Opens the data files of a lake. Nothing is asked before they are. */
export function openStore(place: StorePlace): Store {
  return place.kind === 's3' ? openS3Store(place) : openFolderStore(place.lake)
}
