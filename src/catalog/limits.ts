import { CatalogError, ConfigError } from '../errors.ts'
import { pause } from '../lib/wait.ts'
import { inTransaction, type Session, type SharedSql } from './session.ts'

export const createRateLimitTable = `CREATE TABLE IF NOT EXISTS chainlake.rate_limit (
  origin VARCHAR NOT NULL, key_fingerprint VARCHAR NOT NULL, version BIGINT NOT NULL, state VARCHAR NOT NULL,
  PRIMARY KEY (origin, key_fingerprint))`

/** Enough retries for a hundred processes that change one row at the same time. */
const maxAttempts = 200

/**
 * The shared state of rate limits: one row per account. One statement creates or changes it, unless another process has changed it since it was read; then this process
 * tries again. No process holds a lock, so a frozen process blocks no other. Times come from the clock of the database.
 */
export function createSharedLimits({ query }: SharedSql) {
  return {
    of: ({ origin, key }: SpendingAccount) => {
      const seen = async () =>
        (
          await query(
            `SELECT r.version, r.state, (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms
             FROM (SELECT) AS one LEFT JOIN chainlake.rate_limit r ON r.origin = $1 AND r.key_fingerprint = $2`,
            [origin, key],
          )
        )[0]!
      return {
        async change<T>(
          step: (kept: string | null, nowMs: number) => { readonly keep: string; readonly result: T },
        ): Promise<T> {
          for (let attempt = 0; attempt < maxAttempts; attempt++) {
            const row = await seen()
            const { keep, result } = step(row['state'], row['now_ms'])
            const changed = await query(
              `INSERT INTO chainlake.rate_limit AS r VALUES ($1, $2, 1, $3)
               ON CONFLICT (origin, key_fingerprint) DO UPDATE SET version = r.version + 1, state = excluded.state
               WHERE r.version = $4 RETURNING version`,
              [origin, key, keep, row['version']],
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
      }
    },
  }
}

/** An account with a daily budget: a host and an API key. */
export type SpendingAccount = {
  /** Origin of the host, such as `https://data.example`. */
  readonly origin: string
  /** Fingerprint of the API key, never the key; `none` without one. */
  readonly key: string
}

/** Units that were taken in advance but not used, with the period in which they were counted. */
type UnusedUnits = { readonly periodMs: number; readonly units: number }

type UnitRequest = {
  readonly account: SpendingAccount
  /** Units that may be spent in any 24 hours. */
  readonly perDay: number
  /** Units that are needed now. */
  readonly least: number
  /** Units to take in advance if they are available. */
  readonly share: number
  readonly unused: UnusedUnits | null
}

/** Units that count as spent from now on, or the time when enough units are available again. */
type UnitGrant = UnusedUnits | { readonly resumeAtMs: number }

/** Units are counted in periods of ten minutes. All units of a period count as spent at its end. */
const periodMs = 10 * 60_000
const dayMs = 24 * 3_600_000

/**
 * Takes units before they are spent, so that a crashed run has counted too many units, never too few. It gives back the `unused` units of an
 * earlier grant. ConfigError when the daily budget is smaller than the units that are needed.
 */
export async function takeUnits(session: Session, request: UnitRequest): Promise<UnitGrant> {
  const { account, perDay, least, share } = request
  if (least > perDay)
    throw new ConfigError(`One request to ${account.origin} costs more units than the daily budget.`, {
      code: 'config.units-per-day',
      details: { 'units of the request': least, 'units-per-day': perDay },
      hint: 'Set units-per-day of the profile to the budget of your key, or to null for no limit.',
    })
  return inTransaction(session, async () => {
    const nowMs = Date.now()
    await forget(session, nowMs)
    if (request.unused !== null) await subtract(session, account, request.unused)
    const periods = await readPeriods(session, account)
    const spent = periods.reduce((sum, { units }) => sum + units, 0)
    if (spent + least > perDay)
      return { resumeAtMs: whenFree(periods, perDay - Math.max(least, Math.min(share, perDay))) }
    const taken = { periodMs: periodOf(nowMs), units: Math.min(Math.max(least, share), perDay - spent) }
    await add(session, account, taken)
    return taken
  })
}

export async function readSpentUnits(session: Session, account: SpendingAccount): Promise<number> {
  const oldest = oldestPeriod(Date.now())
  const periods = await readPeriods(session, account)
  return periods.reduce((sum, period) => sum + (period.periodMs > oldest ? period.units : 0), 0)
}

function periodOf(timeMs: number): number {
  return Math.floor(timeMs / periodMs) * periodMs
}

function oldestPeriod(nowMs: number): number {
  return nowMs - dayMs - periodMs
}

/** Removes periods that are older than a day. Moves periods in the future, which exist after the clock was set back, to now. */
async function forget(session: Session, nowMs: number): Promise<void> {
  await session.run('DELETE FROM chainlake.spent_units WHERE period_ms <= $1', [oldestPeriod(nowMs)])
  await session.run('UPDATE chainlake.spent_units SET period_ms = $1 WHERE period_ms > $1', [periodOf(nowMs)])
}

async function readPeriods(session: Session, { origin, key }: SpendingAccount): Promise<UnusedUnits[]> {
  return session.rows(
    `SELECT period_ms AS "periodMs", sum(units)::BIGINT AS units FROM chainlake.spent_units WHERE origin = $1 AND key_fingerprint = $2
     GROUP BY period_ms ORDER BY period_ms`,
    [origin, key],
  )
}

async function add(session: Session, { origin, key }: SpendingAccount, { periodMs: period, units }: UnusedUnits) {
  const known = await session.rows(
    `UPDATE chainlake.spent_units SET units = units + $4 WHERE origin = $1 AND key_fingerprint = $2 AND period_ms = $3
     RETURNING units`,
    [origin, key, period, units],
  )
  if (known.length === 0) await session.append('chainlake', 'spent_units', [[origin, key, period, units]])
}

export function giveBackUnits(session: Session, account: SpendingAccount, unused: UnusedUnits): Promise<void> {
  return inTransaction(session, () => subtract(session, account, unused))
}

async function subtract(session: Session, { origin, key }: SpendingAccount, { periodMs: period, units }: UnusedUnits) {
  await session.run(
    `UPDATE chainlake.spent_units SET units = greatest(0, units - $4)
     WHERE origin = $1 AND key_fingerprint = $2 AND period_ms = $3`,
    [origin, key, period, units],
  )
}

/** The time when old periods have expired and at most `most` units remain. */
function whenFree(periods: readonly UnusedUnits[], most: number): number {
  let left = periods.reduce((sum, { units }) => sum + units, 0)
  for (const period of periods) {
    left -= period.units
    if (left <= most) return period.periodMs + periodMs + dayMs
  }
  return Date.now()
}
