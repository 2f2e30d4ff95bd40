import type { TaskCounts } from '../../../catalog/catalog.ts'
import { countText } from '../../../lib/text/count-text.ts'

/** The tasks of workers, for people. */
export function tasksText({ waiting, underWay, again, done, givenUp }: TaskCounts): string {
  const retried = again === 0 ? '' : `, ${countText(again)} waiting for a retry`
  const past = `${countText(done)} done, ${countText(givenUp)} failed for good in the last days`
  return `worker tasks: ${countText(underWay)} running, ${countText(waiting)} waiting${retried}; ${past}`
}
