import type { Catalog, Commit, InSameTransaction } from '../../catalog/catalog.ts'
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

/**
 * A catalog that does what `inSameTransactionOf` gives in the transaction of each commit, and of what is staged, which is no commit yet. Files of those that
 * are refused for good are removed.
 */
export function fencedCatalog(
  catalog: Catalog,
  inSameTransactionOf: (commit: Commit | null) => InSameTransaction,
): Catalog {
  const removing = async (error: unknown, parts: readonly Part[]): Promise<never> => {
    if (error instanceof CatalogError && refusals.includes(error.code))
      await Promise.allSettled(parts.map(({ path }) => catalog.store.remove(path)))
    throw error
  }
  return {
    ...catalog,
    commit: (commit) =>
      catalog
        .commit({ ...commit, inSameTransaction: inSameTransactionOf(commit) })
        .catch((error: unknown) => removing(error, commit.parts)),
    stage: (staging) =>
      catalog
        .stage({ ...staging, inSameTransaction: inSameTransactionOf(null) })
        .catch((error: unknown) => removing(error, staging.parts)),
  }
}
