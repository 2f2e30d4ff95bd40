import type { DatabaseError } from 'pg'
import {
  CatalogError,
  CatalogUnreachableError,
  ChainlakeError,
  ConfigError,
  LockedError,
  StorageError,
} from '../../errors.ts'

/** What a failure at a server means, by what PostgreSQL or the connection said. Errors of this program stay as they are. */
export function serverFailure(error: unknown, server: string): unknown {
  if (!(error instanceof Error) || error instanceof ChainlakeError) return error
  const state = sqlState(error)
  const details = { catalog: server, reason: reasonOf(error), ...(state === undefined ? {} : { SQLSTATE: state }) }
  if (state === '25P03' || state === '57P05') return silenceFailure(details, error)
  if (isLost(error))
    return new CatalogUnreachableError('PostgreSQL does not answer, or the connection to it broke.', {
      details,
      hint: 'What is committed is safe. Look whether the server runs and can be reached from here (psql with the same URL), then start again.',
      cause: error,
    })
  if (/SSL|TLS|certificate|self-signed/i.test(error.message) && !state?.startsWith('2'))
    return new ConfigError('The connection to PostgreSQL could not be made secure.', {
      code: 'catalog.tls',
      details,
      hint: 'sslmode in the URL (or PGSSLMODE) says what is asked for: disable, no-verify, require, verify-full; sslrootcert names the certificate of the authority.',
      cause: error,
    })
  if (/client password must be a string/.test(error.message)) return refusedLogin(details, error)
  if (state === undefined) return error
  return failureOf(state, details, error) ?? error
}

/** A process that said nothing for so long that the server ended its connection: when it wakes up, it may hear no more than that this is gone. */
export function silenceFailure(details: ChainlakeError['details'], cause: unknown): CatalogError {
  return new CatalogError('PostgreSQL ended a connection of this process, from which it had heard nothing for long.', {
    code: 'catalog.lock-lost',
    details,
    hint: 'The process was frozen, or its machine was; others may have written to the lake since. What was not committed is undone: start again.',
    cause,
  })
}

function refusedLogin(details: ChainlakeError['details'], cause: Error): ConfigError {
  return new ConfigError('PostgreSQL refuses this user or password.', {
    code: 'catalog.login',
    details,
    hint: 'User and password come from the URL, from PGUSER and PGPASSWORD, or from ~/.pgpass; pg_hba.conf of the server says who may come in from where.',
    cause,
  })
}

function failureOf(state: string, details: ChainlakeError['details'], cause: Error): ChainlakeError | null {
  const options = { details, cause }
  if (state.startsWith('28')) return refusedLogin(details, cause)
  if (state === '3D000')
    return new ConfigError('There is no such database.', {
      ...options,
      code: 'catalog.no-database',
      hint: 'Make it with createdb, one for each lake, or name another one in the URL.',
    })
  if (state === '42501')
    return new ConfigError('This user of PostgreSQL may not do that.', {
      ...options,
      code: 'catalog.permission',
      hint: 'The user that writes a lake must own its database, or the tables of its catalog; one that only reads needs USAGE on the schemas public and chainlake and SELECT on their tables.',
    })
  if (state === '53100' || state === '58030')
    return new StorageError('The disk of PostgreSQL is full or fails.', {
      ...options,
      code: 'storage.full',
      hint: 'What is committed is safe. Make room at the server, then start again.',
    })
  if (state === '25006')
    return new ConfigError('This server of PostgreSQL only reads: a replica, or one that was made so.', {
      ...options,
      code: 'catalog.read-only',
      hint: 'Name the server in the URL that writes.',
    })
  if (state === '53300')
    return new CatalogUnreachableError('PostgreSQL has no connection left.', {
      ...options,
      code: 'catalog.connections',
      hint: 'Each process takes up to six. Raise max_connections of the server, or run fewer processes.',
    })
  if (state === '57014' || state === '55P03')
    return new LockedError('PostgreSQL ended a statement of the catalog before it was done.', {
      ...options,
      hint: 'Nothing was changed. A statement_timeout or lock_timeout of the server, the database or the user is too short; another statement may hold what is needed (see pg_stat_activity).',
      retryable: true,
    })
  if (state === '42P01' || state === '3F000')
    return new CatalogError('The database holds no catalog of a lake, or not a whole one.', {
      ...options,
      code: 'catalog.unreadable',
      hint: 'Name the database of a lake, or an empty one: chainlake run makes a lake there. Nothing was changed.',
    })
  if (state.startsWith('XX') || state.startsWith('58'))
    return new CatalogError('The catalog cannot be read.', {
      ...options,
      code: 'catalog.unreadable',
      hint: 'Nothing was changed. The log of the server says more; restore the database from its backup.',
    })
  return null
}

/** The five characters by which PostgreSQL names an error. */
export function sqlState(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as DatabaseError).code : undefined
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && (error as DatabaseError).severity !== undefined
    ? code
    : undefined
}

/** Whether the connection is gone: nobody knows then what became of the last statement. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const state = sqlState(error)
  // Of a server that is shut down, starts or gives up; of sessions that it ended for their silence.
  if (state !== undefined) return /^(08...|57P0[1-5]|25P03)$/.test(state)
  const { code } = error as NodeJS.ErrnoException
  return (
    /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT|EACCES)$/.test(
      code ?? '',
    ) ||
    /Connection terminated|not queryable|connection timeout|timeout expired|timeout exceeded|Client was closed/i.test(
      error.message,
    )
  )
}

function reasonOf(error: Error): string {
  const causes = error instanceof AggregateError ? error.errors : [error]
  return causes.map((each) => (each as Error).message).join('; ')
}
