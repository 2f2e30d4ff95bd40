import type { TaskCounts } from '../../../catalog/catalog.ts'
import { formatCount } from '../../terminal/format.ts'

/** The tasks of workers, for people. */
export function tasksText({ waiting, underWay, again, done, givenUp }: TaskCounts): string {
  const retried = again === 0 ? '' : `, ${formatCount(again)} waiting for a retry`
  const past = `${formatCount(done)} done, ${formatCount(givenUp)} failed for good in the last days`
  return `worker tasks: ${formatCount(underWay)} running, ${formatCount(waiting)} waiting${retried}; ${past}`
}
