import { openFolderStore } from './folder-store.ts'
import type { GivenStorage } from './given-storage.ts'
import { s3Stores } from './s3-store.ts'
import type { Store, StoreAddress, StoreKind, StorePlace } from './store.ts'

const folderStores: StoreKind = {
  open: ({ lake }) => openFolderStore(lake),
  placeAt: (lake) => ({ kind: 'folder', lake }),
  settingsOf: () => ({}),
}

/** All kinds of stores. The kind of a URL is its scheme. */
export const storeKinds: Record<string, StoreKind> = { folder: folderStores, s3: s3Stores }

export function openStore(place: StorePlace): Store {
  return kindOf(place).open(place)
}

/** The place of data files at an address; null: in the folder of the lake. */
export function storePlaceAt(lake: string, address: StoreAddress | null, given: GivenStorage): StorePlace {
  if (address === null) return { kind: 'folder', lake }
  return kindOf({ kind: schemeOf(address.url) ?? 'folder' }).placeAt(lake, address, given)
}

export function recordedSettings(place: StorePlace): StoreAddress['settings'] {
  return kindOf(place).settingsOf(place)
}

/** The kind of store that a URL names; null for a path in a file system. */
export function schemeOf(url: string): string | null {
  const scheme = /^(\w+):\/\//.exec(url)?.[1] ?? ''
  return Object.hasOwn(storeKinds, scheme) ? scheme : null
}

function kindOf({ kind }: Pick<StorePlace, 'kind'>): StoreKind {
  const known = storeKinds[kind]
  if (known === undefined) throw new TypeError(`There is no kind of store named ${kind}.`)
  return known
}
