import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { link, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Store, StoreKind } from '../../src/store/store.ts'

/**
 * A store without folders, like a bucket: names are keys, and a file appears under its name only once it is complete. The folder `objects`
 * contains the objects, and `spool` the files that are being written.
 */
function openFlatStore(lake: string): Store {
  const [folder, spool] = [join(lake, 'objects'), join(lake, 'spool')]
  for (const each of [folder, spool]) mkdirSync(each, { recursive: true })
  const place = (path: string) => join(folder, encodeURIComponent(path))
  return {
    async create(path) {
      if (await stat(place(path)).catch(() => null)) throw exists()
      const draft = join(spool, randomUUID())
      const handle = await open(draft, 'wx+')
      return {
        handle,
        path: draft,
        async finish() {
          await handle.sync()
          await link(draft, place(path))
          await handle.close()
          await rm(draft)
        },
        async discard() {
          await handle.close()
          await rm(draft, { force: true })
        },
      }
    },
    async list(prefix) {
      return (await readdir(folder)).map(decodeURIComponent).filter((path) => path.startsWith(prefix))
    },
    sizes: (paths) =>
      Promise.all(
        paths.map((path) =>
          stat(place(path)).then(
            ({ size }) => size,
            () => null,
          ),
        ),
      ),
    open: (path) => open(place(path), 'r'),
    remove: (path) => rm(place(path), { force: true }),
    claim: async () => undefined,
    forget: async () => undefined,
    hold: async () => ({ release: async () => undefined }),
    url: place,
    address: place,
    remote: null,
    place: { kind: 'flat', lake },
  }
}

/** The entry of the registry for flat stores. */
export const flatStores: StoreKind = {
  open: ({ lake }) => openFlatStore(lake),
  placeAt: (lake) => ({ kind: 'flat', lake }),
  settingsOf: () => ({}),
}

function exists(): Error {
  return Object.assign(new Error('EEXIST: there is such an object'), { code: 'EEXIST' })
}
