import { postgresOf } from '../../catalog/catalog.ts'
import { ConfigError } from '../../errors.ts'

/** The database of the catalog, which the queue is in, too. */
export function queueUrl(lakeDir: string): string {
  const url = postgresOf(lakeDir)
  if (url !== null) return url
  throw new ConfigError('The lake has its catalog in a file of this machine, where no workers reach it.', {
    code: 'work.catalog',
    details: { lake: lakeDir },
    hint: 'Give --lake postgres://… and --data for a lake that workers write.',
  })
}
