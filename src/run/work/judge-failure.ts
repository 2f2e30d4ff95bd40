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
import { isTransient } from '../jobs/outage.ts'
import { rowsTaken } from '../rows/concurrent-commits.ts'

/**
 * What happens to a failed task: another worker has it; this worker leaves it to others; it is postponed; it is retried; it has failed for
 * good.
 */
export type Verdict =
  | { readonly kind: 'lost' }
  | { readonly kind: 'left' }
  | { readonly kind: 'later'; readonly postponed: Postponement }
  /** `renews`: this worker must register again before its next commit. */
  | { readonly kind: 'again'; readonly renews: boolean }
  | { readonly kind: 'never' }

/** Commits that conflict with others, or that have an unknown outcome. The rest of the task is planned again. */
const overtaken = ['catalog.overlap', 'catalog.conflict', 'catalog.observation', 'catalog.unknown-outcome']
/** The database considers this process dead, or its connection with the lock was closed. */
const unregistered = ['catalog.lock-lost', 'catalog.run-ended']

export function judgeFailure(error: unknown): Verdict {
  if (error === rowsTaken) return { kind: 'again', renews: false }
  if (error instanceof PostponedError) return { kind: 'later', postponed: postponementOf(error) }
  if (error instanceof CatalogError && error.code === 'work.lost') return { kind: 'lost' }
  if (error instanceof CatalogError && unregistered.includes(error.code)) return { kind: 'again', renews: true }
  if (error instanceof CatalogError && overtaken.includes(error.code)) return { kind: 'again', renews: false }
  if (isUnfit(error)) return { kind: 'left' }
  // Another worker may have the right configuration.
  if (error instanceof ConfigError || error instanceof StreamTakenError) return { kind: 'again', renews: false }
  return mayRetry(error) ? { kind: 'again', renews: false } : { kind: 'never' }
}

/** Whether a worker cannot do a task because its version, modules, URLs or node are not those of the command that queued the task. */
export function isUnfit(error: unknown): error is ConfigError {
  return error instanceof ConfigError && (error.code.startsWith('work.') || error.code === 'pipelines.changed')
}

/** Failures that a retry, or another machine, may avoid: a faulty source, a full disk, a broken connection. */
function mayRetry(error: unknown): boolean {
  if (error instanceof TransportError || error instanceof StorageError) return true
  if (error instanceof ChainlakeError) return isTransient(error)
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).code === 'string'
}
