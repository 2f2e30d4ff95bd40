import type { DatabaseError } from 'pg'
import {
  CatalogError,
  CatalogUnreachableError,
  ChainlakeError,
  ConfigError,
  LockedError,
  StorageError,
} from '../../errors.ts'

/** Translates a failure of PostgreSQL or of the connection. Errors of chainlake itself are returned unchanged. */
export function serverFailure(error: unknown, server: string): unknown {
  if (!(error instanceof Error) || error instanceof ChainlakeError) return error
  const state = sqlState(error)
  const details = { catalog: server, reason: reasonOf(error), ...(state === undefined ? {} : { SQLSTATE: state }) }
  if (state === '25P03' || state === '57P05') return silenceFailure(details, error)
  if (/unsupported startup parameter/.test(error.message))
    return new ConfigError('A connection pooler refuses the settings that chainlake needs.', {
      code: 'catalog.pooler',
      details,
      hint: 'Nothing was changed. Use the address of PostgreSQL itself (often port 5432 instead of 6432). A lake needs sessions of its own: it holds locks and settings in them.',
      cause: error,
    })
  if (isLost(error))
    return new CatalogUnreachableError('PostgreSQL does not answer, or the connection was lost.', {
      details,
      hint: 'Committed data is safe. Check that the server runs and is reachable from here (psql with the same URL), then start again.',
      cause: error,
    })
  if (/SSL|TLS|certificate|self-signed/i.test(error.message) && !state?.startsWith('2'))
    return new ConfigError('The TLS connection to PostgreSQL failed.', {
      code: 'catalog.tls',
      details,
      hint: 'Set sslmode in the URL (or PGSSLMODE) to disable, no-verify, require or verify-full. Set sslrootcert to the certificate of the authority.',
      cause: error,
    })
  if (/client password must be a string/.test(error.message)) return refusedLogin(details, error)
  if (state === undefined) return error
  return failureOf(state, details, error) ?? error
}

/** The server closed the connection because this process was silent for too long. After waking up, the process may only see a broken connection. */
export function silenceFailure(details: ChainlakeError['details'], cause: unknown): CatalogError {
  return new CatalogError('PostgreSQL closed a connection of this process because it was idle for too long.', {
    code: 'catalog.lock-lost',
    details,
    hint: 'The process or its machine was frozen, and other processes may have written to the lake since then. Uncommitted work was rolled back. Start again.',
    cause,
  })
}

function refusedLogin(details: ChainlakeError['details'], cause: Error): ConfigError {
  return new ConfigError('PostgreSQL rejected the user or password.', {
    code: 'catalog.login',
    details,
    hint: 'User and password come from the URL, from PGUSER and PGPASSWORD, or from ~/.pgpass. pg_hba.conf of the server controls which users may connect from which hosts.',
    cause,
  })
}

function failureOf(state: string, details: ChainlakeError['details'], cause: Error): ChainlakeError | null {
  const options = { details, cause }
  if (state.startsWith('28')) return refusedLogin(details, cause)
  if (state === '3D000')
    return new ConfigError('The database does not exist.', {
      ...options,
      code: 'catalog.no-database',
      hint: 'Create it with createdb (one database per lake), or use another one in the URL.',
    })
  if (state === '42501')
    return new ConfigError('The PostgreSQL user does not have the required permission.', {
      ...options,
      code: 'catalog.permission',
      hint: 'A user that writes a lake must own its database, or the tables of its catalog. A user that only reads needs USAGE on the schemas public and chainlake and SELECT on their tables.',
    })
  if (state === '53100' || state === '58030')
    return new StorageError('The disk of PostgreSQL is full or defective.', {
      ...options,
      code: 'storage.full',
      hint: 'Committed data is safe. Free disk space on the server, then start again.',
    })
  if (state === '25006')
    return new ConfigError('The PostgreSQL server is read-only, for example a replica.', {
      ...options,
      code: 'catalog.read-only',
      hint: 'Use the URL of the primary server.',
    })
  if (state === '53300')
    return new CatalogUnreachableError('PostgreSQL has no free connection.', {
      ...options,
      code: 'catalog.connections',
      hint: 'Each process uses up to six connections. Raise max_connections of the server, or run fewer processes.',
    })
  if (state === '57014' || state === '55P03' || state === '25P04')
    return new LockedError('PostgreSQL canceled a statement of the catalog.', {
      ...options,
      hint: `Nothing was changed. ${cancelHint(state, cause)}`,
      retryable: true,
    })
  if (state === '26000' || state === '42P05')
    return new ConfigError('The statements of one connection reach several sessions of PostgreSQL.', {
      ...options,
      code: 'catalog.pooler',
      hint: 'Nothing was changed. A connection pooler, such as PgBouncer with pool_mode = transaction, is in between: use the address of PostgreSQL itself, or pool_mode = session.',
    })
  if (state === '42P01' || state === '3F000')
    return new CatalogError('The database contains no catalog of a lake, or an incomplete one.', {
      ...options,
      code: 'catalog.unreadable',
      hint: 'Nothing was changed. Use the database of a lake, or an empty database, in which chainlake run creates a lake.',
    })
  if (state.startsWith('XX') || state.startsWith('58'))
    return new CatalogError('The catalog cannot be read.', {
      ...options,
      code: 'catalog.unreadable',
      hint: 'Nothing was changed. See the log of the server, and restore the database from its backup.',
    })
  return null
}

function cancelHint(state: string, { message }: Error): string {
  if (state === '25P04')
    return 'The transaction_timeout of the server, the database or the user is too short: set it to 0 for the user of the lake (ALTER ROLE … SET transaction_timeout = 0).'
  const setting = /statement timeout/.test(message)
    ? 'statement_timeout'
    : /lock timeout/.test(message)
      ? 'lock_timeout'
      : null
  if (setting !== null)
    return `The ${setting} that a pooler or the URL sets is too short: remove it there. chainlake sets it to 0 for its own connections.`
  return 'Another user canceled it (pg_cancel_backend), or another statement holds a lock (see pg_stat_activity).'
}

/** The SQLSTATE of an error: five characters. */
export function sqlState(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as DatabaseError).code : undefined
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && (error as DatabaseError).severity !== undefined
    ? code
    : undefined
}

/** Whether the connection was lost, so that the outcome of the last statement is unknown. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const state = sqlState(error)
  // The server shuts down, starts or crashed, or it closed the session because it was idle.
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
