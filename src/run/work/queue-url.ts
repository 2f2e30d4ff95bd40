import { lakePaths } from '../../catalog/catalog.ts'
import type { LakeLocation } from '../../catalog/place/lake-location.ts'
import { ConfigError } from '../../errors.ts'

/** The database of the catalog, which also contains the queue. */
export function queueUrl(lake: LakeLocation): string {
  const { url } = lakePaths(lake).endpoint
  if (url !== null) return url
  throw new ConfigError('Workers cannot reach the catalog of the lake: it is a local file.', {
    code: 'work.catalog',
    details: { lake: lake.folder },
    hint: 'Use --lake postgres://… and --data for a lake that workers write to.',
  })
}
