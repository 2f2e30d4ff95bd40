import type { Catalog, Commit, InSameTransaction } from '../../catalog/catalog.ts'
import { CatalogError } from '../../errors.ts'
import type { Part } from '../../model.ts'

/** Error codes of commits that were refused because another worker has the task. Nothing of these commits was written. */
const refusals = ['work.lost', 'catalog.run-ended']

/** The error of a worker that was silent for too long, so that another worker has its task. It must not write any more. */
export function lostWork(id: string): CatalogError {
  return new CatalogError('Another worker has taken the task.', {
    code: 'work.lost',
    details: { task: id },
    hint: 'Nothing was committed twice. If workers often lose tasks because they are slow, use a longer --lease.',
  })
}

/**
 * A catalog that runs the result of `inSameTransactionOf` in the transaction of each commit, and of each staging, for which it is called with
 * null. The files of refused commits are removed.
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
