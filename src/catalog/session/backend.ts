import type { Session } from './session.ts'
import type { SharedSql } from './shared-sql.ts'

/**
 * The storage of a catalog. Only backends know how a database is opened, copied and locked. SQL is written once and means the same in
 * every database; `dialect` of the session covers the differences.
 */
export type Backend = {
  /** Name in messages, such as the path of the file. */
  readonly name: string
  /** Runs `work` on a consistent snapshot. The session is valid until `work` returns, and `work` must not start another one meanwhile. */
  readonly read: <T>(work: (session: Session) => Promise<T>, waiting?: WaitOptions) => Promise<T>
  /** Runs `work` while no other process writes. Transactions that `work` commits are durable. */
  readonly write: <T>(work: (session: Session) => Promise<T>, waiting?: WaitOptions) => Promise<T>
  /** Runs `work` like `write`, then replaces the copy of the catalog that readers attach. */
  readonly publish: <T>(work: (session: Session) => Promise<T>, options?: PublishOptions) => Promise<Published<T>>
  /** Identity of the copy that readers attach; null if there is none. */
  readonly published: () => Promise<string | null>
  readonly locks: Locks
  /** SQL that processes on other machines share; null when the catalog is a file of one machine. */
  readonly shared: SharedSql | null
}

/** How to wait for the catalog lock. */
export type WaitOptions = {
  /** Ends the wait when it is aborted. */
  readonly stop?: AbortSignal | undefined
  /** Allows the write even if the server has freed the locks of this process. A run uses it to record its end. Files cannot lose locks. */
  readonly locks?: 'may be lost'
  /** The work begins with a query and has no effect before its answer. The backend may then send this query while it waits for the lock. */
  readonly begins?: 'with a query'
}

export type PublishOptions = WaitOptions & {
  /** Where readers of the copy find the data files, with `/` at its end; null: where the catalog says. Of no use without a copy. */
  readonly dataPath?: string | null
}

type Published<T> = {
  readonly result: T
  /** Identifies this copy. If readers query the catalog itself, it identifies the state of the catalog. */
  readonly identity: string
}

/**
 * Locks that become free when their process dies, whatever the cause. They are taken, checked and removed only under the catalog lock, so
 * that these operations never overlap.
 */
export type Locks = {
  /** Whether locks of processes on other machines are visible, too. */
  readonly reach: 'machine' | 'everywhere'
  /** Takes a lock. The name must be new. */
  readonly take: (name: string) => Promise<Lock>
  readonly isHeld: (name: string) => Promise<boolean>
  /** Names of the locks that live processes hold. */
  readonly held: () => Promise<string[]>
  /** Removes the leftovers of free locks. */
  readonly removeFree: () => Promise<void>
}

/** `release` may be called more than once. */
export type Lock = { readonly release: () => Promise<void> }
