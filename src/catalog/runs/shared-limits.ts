import { CatalogError } from '../../errors.ts'
import { pause } from '../../lib/pause.ts'
import type { Row } from '../session/session.ts'
import type { SharedSql } from '../session/shared-sql.ts'
import type { SpendingAccount } from './spent-units.ts'

/** The shared state of rate limits, by account. Processes change it one at a time. */
export type SharedLimits = {
  readonly of: (account: SpendingAccount) => {
    readonly change: <T>(
      step: (kept: string | null, nowMs: number) => { readonly keep: string; readonly result: T },
    ) => Promise<T>
  }
}

export const createRateLimitTable = `CREATE TABLE IF NOT EXISTS chainlake.rate_limit (
  origin VARCHAR NOT NULL, key_fingerprint VARCHAR NOT NULL, version BIGINT NOT NULL, state VARCHAR NOT NULL,
  PRIMARY KEY (origin, key_fingerprint))`

/** Enough retries for a hundred processes that change one row at the same time. */
const maxAttempts = 200

/**
 * One row per account, changed with optimistic locking: an update succeeds only if the row is unchanged since it was read, and is retried
 * otherwise. No process holds a lock, so a frozen process blocks no other. Times come from the clock of the database.
 */
export function createSharedLimits({ query }: SharedSql): SharedLimits {
  return {
    of: ({ origin, key }) => ({
      async change(step) {
        for (let attempt = 0; attempt < maxAttempts; attempt++) {
          const [row] = await readLimit(query, [origin, key])
          const { keep, result } = step(row!['state'], row!['now_ms'])
          const changed =
            row!['version'] === null
              ? await query(
                  `INSERT INTO chainlake.rate_limit VALUES ($1, $2, 1, $3) ON CONFLICT DO NOTHING RETURNING version`,
                  [origin, key, keep],
                )
              : await query(
                  `UPDATE chainlake.rate_limit SET version = version + 1, state = $3
                   WHERE origin = $1 AND key_fingerprint = $2 AND version = $4 RETURNING version`,
                  [origin, key, keep, row!['version']],
                )
          if (changed.length > 0) return result
          await pause(Math.random() * Math.min(50, 2 * attempt))
        }
        throw new CatalogError('Too many processes change the shared rate limit at the same time.', {
          code: 'catalog.busy',
          details: { origin },
          hint: 'Run fewer workers with this key. The throughput stays the same, because the limit applies to the key.',
        })
      },
    }),
  }
}

/** Reads the row of an account. Creates the table if it is missing, because older catalogs do not have it. */
async function readLimit(query: SharedSql['query'], account: readonly string[]): Promise<Row[]> {
  const read = () =>
    query(
      `SELECT r.version, r.state, (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms
       FROM (SELECT) AS one LEFT JOIN chainlake.rate_limit r ON r.origin = $1 AND r.key_fingerprint = $2`,
      account,
    )
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof CatalogError && error.code === 'catalog.unreadable')) throw error
    // Another process may create it at the same time. Only its existence matters.
    const failure = await query(createRateLimitTable).then(
      () => error,
      (refused: unknown) => refused,
    )
    return read().catch(() => {
      throw failure
    })
  }
}
