import { fileIdentity } from '../../lib/files/file-identity.ts'
import type { LakePaths } from '../place/paths.ts'
import type { Backend, WaitOptions } from '../session/backend.ts'
import { type Access, withCatalogLock } from './catalog-lock.ts'
import { folderLocks } from './lock-file.ts'
import { publishCopy } from './publish-copy.ts'

/** The catalog in a DuckDB file. Each operation opens and closes the file, and waits while another process has it open. */
export function openDuckdbFile(paths: LakePaths, { waitMs }: { readonly waitMs: number }): Backend {
  const { catalog } = paths
  const options = (access: Access, { stop }: WaitOptions = {}) => ({ access, waitMs, stop })
  return {
    name: catalog,
    read: (work, waiting) => withCatalogLock(catalog, options('READ_ONLY', waiting), (session) => work(session)),
    write: (work, waiting) => withCatalogLock(catalog, options('READ_WRITE', waiting), (session) => work(session)),
    publish: (work, { dataPath = null, ...waiting } = {}) =>
      withCatalogLock(catalog, options('READ_WRITE', waiting), async (session, afterClose) => {
        const result = await work(session)
        return { result, identity: await publishCopy(session, paths, afterClose, dataPath) }
      }),
    published: () => fileIdentity(paths.published).catch(() => null),
    locks: folderLocks(paths.locks),
    shared: null,
  }
}
