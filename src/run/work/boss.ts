import type { QueueDatabase, Statements } from '../../catalog/catalog.ts'
import { ConfigError } from '../../errors.ts'
import { loadPackage, type MissingPackage } from '../../lib/files/load-package.ts'

/**
 * The used part of pg-boss. pg-boss does not support the oldest Node version that chainlake supports, so it is not a dependency, and its types
 * are declared here. `.ci/workers` tests them.
 */
type Boss = {
  readonly start: () => Promise<unknown>
  readonly stop: (options: { readonly graceful: boolean }) => Promise<void>
  readonly on: (event: 'error' | 'warning', listener: (error: Error) => void) => unknown
  readonly createQueue: (name: string, options: object) => Promise<void>
  readonly getQueue: (name: string) => Promise<object | null>
  readonly insert: (name: string, jobs: readonly object[]) => Promise<unknown>
  readonly fetch: (name: string) => Promise<BossJob[]>
  readonly complete: (name: string, attempt: Attempt, output: object, within?: Within) => Promise<Settled>
  readonly fail: (name: string, attempt: Attempt, output: object, within?: Within) => Promise<Settled>
  readonly touch: (name: string, attempt: Attempt, within?: Within) => Promise<Settled>
}

/** A taken job. `retryCount` identifies the attempt. */
export type Attempt = { readonly id: string; readonly retryCount: number }
type BossJob = Attempt & { readonly data: unknown; readonly heartbeatSeconds: number | null }
type Settled = { readonly affected: number }
type Within = { readonly db: Statements }

const missing: MissingPackage = {
  message: 'Workers need a package that is not installed.',
  code: 'work.package',
  hint: 'Install it where chainlake is: npm install pg-boss@12.35.0',
}

/** The oldest Node version that pg-boss supports. */
const oldestNode = [22, 12] as const

/**
 * Opens pg-boss in the database of a catalog; its tables are in the schema `pgboss`. `failed` is called with errors outside of calls.
 *
 * @throws ConfigError `work.node`, `work.package`.
 */
export async function openBoss(database: QueueDatabase, failed: (error: Error) => void): Promise<Boss> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1]))
    throw new ConfigError('Workers need a newer Node.', {
      code: 'work.node',
      details: { node: process.versions.node },
      hint: `Run this command with Node ${oldestNode.join('.')} or newer. Runs without workers do not need it.`,
    })
  // The name is a variable, so that neither the compiler nor the bundler resolves it.
  const name: string = 'pg-boss'
  const { PgBoss } = (await loadPackage(() => import(name), missing)) as {
    PgBoss: new (options: object) => Boss
  }
  const boss = new PgBoss({
    db: database,
    schedule: false,
    // How soon after the end of its lease a silent worker is detected.
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
  })
  boss.on('error', failed)
  await boss.start()
  return boss
}
