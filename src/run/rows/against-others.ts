import { CatalogError } from '../../errors.ts'
import { type Part, type Stream, streamId } from '../../model.ts'
import { rowsTaken } from './commit-unit.ts'

/** How often in a row a stream begins again because another run stored its rows meanwhile. */
const mostCollisions = 20

/**
 * Walks a stream, which tells what it has written; begins again where another run has stored its rows in the meantime. `collisions`:
 * how often that was so since something was committed.
 */
export async function walkAgainstOthers<T>(
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
  return new CatalogError('Another run stores the same rows at the same time, again and again.', {
    code: 'catalog.conflict',
    details: { stream: streamId(stream) },
    hint: 'What is committed stays. Run again when the other run has ended; nothing is stored twice.',
    retryable: true,
  })
}
