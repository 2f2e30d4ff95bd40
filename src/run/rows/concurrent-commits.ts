import { CatalogError } from '../../errors.ts'
import { type Part, type Stream, streamId } from '../../model.ts'

/** Another run has stored rows of the unit in the meantime: the stream resumes from the last commit. */
export const rowsTaken = Symbol('rows taken')

/** Maximum number of consecutive restarts of a stream because another run has stored the same rows. */
const mostCollisions = 20

/**
 * Walks a stream, and starts again when another run has stored the same rows in the meantime. `collisions`: how often that has happened since
 * the last commit.
 */
export async function walkWithConcurrentCommits<T>(
  stream: Stream,
  written: (parts: readonly Part[]) => void,
  walk: (written: (parts: readonly Part[]) => void, collisions: number) => Promise<T>,
): Promise<T> {
  let collisions = 0
  for (;;) {
    try {
      return await walk((parts) => {
        collisions = 0
        written(parts)
      }, collisions)
    } catch (error) {
      if (error !== rowsTaken) throw error
      if (++collisions >= mostCollisions) throw tooManyCollisions(stream)
    }
  }
}

function tooManyCollisions(stream: Stream): CatalogError {
  return new CatalogError('Another run repeatedly stores the same rows at the same time.', {
    code: 'catalog.conflict',
    details: { stream: streamId(stream) },
    hint: 'Committed rows are kept, and nothing is stored twice. Run again when the other run has ended.',
    retryable: true,
  })
}
