import type { Session } from './session.ts'
import type { SharedSql } from './shared-sql.ts'

/**
 * What keeps the catalog of a lake: nothing else knows a database file, how it is opened, copied and locked. SQL is written once, in words that mean
 * the same to every database, and otherwise by the session's `dialect`; what lies where is the backend's.
 */
export type Backend = {
  /** What messages call it, such as the path of its file. */
  readonly name: string
  /** Runs `work` on the state of one moment. It is given a session for as long as it runs, and begins no other work meanwhile. */
  readonly read: <T>(work: (session: Session) => Promise<T>, waiting?: WaitOptions) => Promise<T>
  /** The same, while nobody else writes. What a transaction of `work` has committed is durable. */
  readonly write: <T>(work: (session: Session) => Promise<T>, waiting?: WaitOptions) => Promise<T>
  /** Writes, then puts a copy of the catalog in the place of the one that readers attach. */
  readonly publish: <T>(work: (session: Session) => Promise<T>, waiting?: WaitOptions) => Promise<Published<T>>
  /** Identity of the copy that readers attach now; null: there is none. */
  readonly published: () => Promise<string | null>
  readonly locks: Locks
  /** What processes on other machines see as soon as it is said; null where the catalog is one machine's. */
  readonly shared: SharedSql | null
}

/** How another holder is waited for: until `stop` is aborted. */
export type WaitOptions = {
  readonly stop?: AbortSignal | undefined
  /** Lets a process write whose locks the server has freed, which no backend but a server's can lose: to say how its run ended. */
  readonly locks?: 'may be lost'
  /**
   * Says of a work that it does nothing before its session has answered its first question: so that this may be asked while the lake is being
   * taken.
   */
  readonly begins?: 'by asking'
}

export type Published<T> = {
  readonly result: T
  /** Tells this copy from any other; where readers ask the catalog itself, its state. */
  readonly identity: string
}

/**
 * Locks that are free once their process is dead, however it died. They are taken, asked for and removed only while the catalog is held,
 * so that none of the three can cross another.
 */
export type Locks = {
  /** Whether those of other machines can be told, too. */
  readonly reach: 'machine' | 'everywhere'
  /** Takes a lock of a new name. */
  readonly take: (name: string) => Promise<Lock>
  readonly isHeld: (name: string) => Promise<boolean>
  /** Names of the locks that live processes hold. */
  readonly held: () => Promise<string[]>
  /** Removes what is left of locks that nobody holds. */
  readonly removeFree: () => Promise<void>
}

/** `release` may be called again. */
export type Lock = { readonly release: () => Promise<void> }
