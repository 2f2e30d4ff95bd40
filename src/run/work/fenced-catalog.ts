import type { Also, Catalog } from '../../catalog/catalog.ts'
import { CatalogError } from '../../errors.ts'
import type { Part } from '../../model.ts'

/** Codes of commits that were refused since somebody else has the work now: nothing of them was written. */
const refusals = ['work.lost', 'catalog.run-ended']

/** The work was given to another worker, since this one was silent for too long: it changes nothing any more. */
export function lostWork(id: string): CatalogError {
  return new CatalogError('Another worker has the task by now.', {
    code: 'work.lost',
    details: { task: id },
    hint: 'Nothing was committed twice. Workers that are often too slow to say that they live need a longer --lease.',
  })
}

/** A catalog of which each commit has `also` in its transaction. Files of commits that are refused for good are removed. */
export function fencedCatalog(catalog: Catalog, also: () => Also): Catalog {
  const removing = async (error: unknown, parts: readonly Part[]): Promise<never> => {
    if (error instanceof CatalogError && refusals.includes(error.code))
      await Promise.allSettled(parts.map(({ path }) => catalog.store.remove(path)))
    throw error
  }
  return {
    ...catalog,
    commit: (commit) =>
      catalog.commit({ ...commit, also: also() }).catch((error: unknown) => removing(error, commit.parts)),
    stage: (staging) =>
      catalog.stage({ ...staging, also: also() }).catch((error: unknown) => removing(error, staging.parts)),
  }
}
