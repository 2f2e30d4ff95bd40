import { randomUUID } from 'node:crypto'
import { link, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Store } from '../../src/store/store.ts'

/**
 * A store without folders, as a bucket is: names are keys, and a file comes to be under its name only when it is whole. `folder` has
 * the objects, `spool` what is being written.
 */
export function openFlatStore(folder: string, spool: string): Store {
  const place = (path: string) => join(folder, encodeURIComponent(path))
  return {
    async create(path) {
      if (await stat(place(path)).catch(() => null)) throw exists()
      const draft = join(spool, randomUUID())
      const handle = await open(draft, 'wx+')
      return {
        handle,
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
    readable: async () => ({ release: async () => undefined }),
    url: place,
    address: place,
    place: { kind: 'folder', lake: folder },
  }
}

function exists(): Error {
  return Object.assign(new Error('EEXIST: there is such an object'), { code: 'EEXIST' })
}
