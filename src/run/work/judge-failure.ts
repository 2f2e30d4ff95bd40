import {
  CatalogError,
  ChainlakeError,
  ConfigError,
  PostponedError,
  StorageError,
  StreamTakenError,
  TransportError,
} from '../../errors.ts'
import { type Postponement, postponementOf } from '../job/postponement.ts'
import { isPassing } from '../jobs/outage.ts'
import { rowsTaken } from '../rows/commit-unit.ts'

/** What becomes of a task that failed: somebody else has it; it may go on later; it is tried again; nobody can do it. */
export type Verdict =
  | { readonly kind: 'lost' }
  | { readonly kind: 'later'; readonly postponed: Postponement }
  /** `renews`: this worker must be registered anew before it commits again. */
  | { readonly kind: 'again'; readonly renews: boolean }
  | { readonly kind: 'never' }

/** Commits that were refused since others wrote, or of which nobody knows whether they took place: what is left is planned again. */
const overtaken = ['catalog.overlap', 'catalog.conflict', 'catalog.observation', 'catalog.unknown-outcome']
/** The database took this process for dead, or broke the connection that shows that it is not. */
const unregistered = ['catalog.lock-lost', 'catalog.run-ended']

export function judgeFailure(error: unknown): Verdict {
  if (error === rowsTaken) return { kind: 'again', renews: false }
  if (error instanceof PostponedError) return { kind: 'later', postponed: postponementOf(error) }
  if (error instanceof CatalogError && error.code === 'work.lost') return { kind: 'lost' }
  if (error instanceof CatalogError && unregistered.includes(error.code)) return { kind: 'again', renews: true }
  if (error instanceof CatalogError && overtaken.includes(error.code)) return { kind: 'again', renews: false }
  // What a worker was told wrong, another one may know.
  if (error instanceof ConfigError || error instanceof StreamTakenError) return { kind: 'again', renews: false }
  return mayPass(error) ? { kind: 'again', renews: false } : { kind: 'never' }
}

/** What the next try, or another machine, may not meet: a source that does not answer as it should, a full disk, a broken connection. */
function mayPass(error: unknown): boolean {
  if (error instanceof TransportError || error instanceof StorageError) return true
  if (error instanceof ChainlakeError) return isPassing(error)
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).code === 'string'
}
