import { openFolderStore } from './folder-store.ts'
import { openS3Store } from './s3-store.ts'
import type { Store, StorePlace } from './store.ts'

/** Opens the store of the data files of a lake. It does not connect until it is used. */
export function openStore(place: StorePlace): Store {
  return place.kind === 's3' ? openS3Store(place) : openFolderStore(place.lake)
}
