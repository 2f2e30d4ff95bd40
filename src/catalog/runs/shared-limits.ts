import { CatalogError } from '../../errors.ts'
import { pause } from '../../lib/pause.ts'
import type { Row } from '../session/session.ts'
import type { SharedSql } from '../session/shared-sql.ts'
import type { SpendingAccount } from './spent-units.ts'

/** What processes know together of the rate limit of an account, changed by one of them at a time. */
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

/** A hundred processes that change one row at the same time have all had their turn by then. */
const mostTries = 200

/**
 * One row an account. No lock is held while a process thinks, so that a frozen one holds up nobody: a change is made where the row is
 * still the one that was read, and else made anew. The clock is that of the database.
 */
export function createSharedLimits({ query }: SharedSql): SharedLimits {
  return {
    of: ({ origin, key }) => ({
      async change(step) {
        for (let tries = 0; tries < mostTries; tries++) {
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
          await pause(Math.random() * Math.min(50, 2 * tries))
        }
        throw new CatalogError('The rate limit that processes share is changed too often to be read.', {
          code: 'catalog.busy',
          details: { origin },
          hint: 'Fewer workers with one key are as fast: the limit is that of the key.',
        })
      },
    }),
  }
}

/** Catalogs that were made before this table was have none: it is made when a limit is first kept. */
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
    // Another process may make it at the same moment: what counts is that it is there.
    const failure = await query(createRateLimitTable).then(
      () => error,
      (refused: unknown) => refused,
    )
    return read().catch(() => {
      throw failure
    })
  }
}
