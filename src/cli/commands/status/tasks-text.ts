import type { TaskCounts } from '../../../catalog/catalog.ts'
import { formatCount } from '../../terminal/format.ts'

/** What workers have to do, for people. */
export function tasksText({ waiting, underWay, again, done, givenUp }: TaskCounts): string {
  const retried = again === 0 ? '' : `, ${formatCount(again)} failed and to be tried again`
  const past = `${formatCount(done)} done, ${formatCount(givenUp)} given up in the last days`
  return `tasks of workers: ${formatCount(underWay)} under way, ${formatCount(waiting)} waiting${retried}; ${past}`
}
