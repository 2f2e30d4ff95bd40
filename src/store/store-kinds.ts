import { CatalogError } from '../errors.ts'
import { isInDataFolder, readDataFileName } from './data-file-path.ts'
import { openFolderStore } from './folder-store.ts'
import { s3Stores } from './s3-store.ts'
import type { GivenStorage, Store, StoreAddress, StoreKind, StorePlace } from './store.ts'

const folderStores: StoreKind = {
  open: ({ lake }) => openFolderStore(lake),
  placeAt: (lake) => ({ kind: 'folder', lake }),
  settingsOf: () => ({}),
}

/** All kinds of stores. The kind of a URL is its scheme. */
export const storeKinds: Record<string, StoreKind> = { folder: folderStores, s3: s3Stores }

/** Opens the store of a place. It refuses every path that no data file can have. */
export function openStore(place: StorePlace): Store {
  return refusingForeign(kindOf(place).open(place))
}

/**
 * Paths come from the catalog, where every writer of the lake can put others. So each one is checked before the store reads, writes or removes
 * anything. Only data files are opened and removed.
 *
 * @throws CatalogError `catalog.path`.
 */
function refusingForeign(store: Store): Store {
  const inside = (path: string): string => {
    if (path === '' || isInDataFolder(path)) return path
    throw foreignPath(path)
  }
  const dataFile = (path: string): string => {
    if (readDataFileName(path.slice(path.lastIndexOf('/') + 1)) === null) throw foreignPath(path)
    return inside(path)
  }
  return {
    ...store,
    create: async (path) => store.create(inside(path)),
    list: async (prefix) => store.list(inside(prefix)),
    sizes: async (paths) => store.sizes(paths.map(inside)),
    open: async (path) => store.open(dataFile(path)),
    remove: async (path) => store.remove(path.endsWith('/') ? inside(path) : dataFile(path)),
    hold: async (paths) => store.hold(paths.map(dataFile)),
    forget: async (path) => store.forget(dataFile(path)),
    url: (path) => store.url(inside(path)),
    address: (path) => store.address(inside(path)),
  }
}

function foreignPath(path: string): CatalogError {
  return new CatalogError('The catalog names a file that is not a data file of the lake.', {
    code: 'catalog.path',
    details: { path },
    hint: 'Nothing was read, written or removed there. chainlake records no such path: find out who else writes to this catalog, and restore a backup that you trust with chainlake restore.',
  })
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
