import { lakePaths } from '../../catalog/catalog.ts'
import { ConfigError } from '../../errors.ts'

/** The database of the catalog, which also contains the queue. */
export function queueUrl(lakeDir: string): string {
  const { url } = lakePaths(lakeDir).endpoint
  if (url !== null) return url
  throw new ConfigError('Workers cannot reach the catalog of the lake: it is a local file.', {
    code: 'work.catalog',
    details: { lake: lakeDir },
    hint: 'Use --lake postgres://… and --data for a lake that workers write to.',
  })
}
