import { tables as declaredTables } from '../../../schemas/index.ts'
import { lakeExists, type Measure, openCatalog } from '../../catalog/catalog.ts'
import type { LakeLocation } from '../../catalog/place/lake-location.ts'

/** The measure of an earlier run, to estimate the time of the next one. */
export type LastMeasure = Pick<Measure, 'milliseconds' | 'records' | 'requests' | 'endedAtMs'> & {
  /** Whether the run was of the same job. Otherwise it was of another job of the same pipeline. */
  readonly own: boolean
}

/** The measures of earlier runs; empty without a lake. */
export async function lakeMeasures(lake: LakeLocation): Promise<readonly Measure[]> {
  return (await lakeExists(lake)) ? (await openCatalog(lake, declaredTables)).measures() : []
}

/** The measure of the last run of a job, or else of its pipeline; null when there is none. */
export function lastMeasure(
  measures: readonly Measure[],
  { job, pipeline }: Pick<Measure, 'job' | 'pipeline'>,
): LastMeasure | null {
  const alike = measures.filter((each) => each.pipeline === pipeline).sort((a, b) => b.endedAtMs - a.endedAtMs)
  const own = alike.find((each) => each.job === job)
  const found = own ?? alike[0]
  return found === undefined ? null : { ...found, own: own !== undefined }
}

/** Seconds for `count` records or requests at the speed of an earlier run; null when that run had none. */
export function secondsFor(count: number, of: 'records' | 'requests', measure: LastMeasure | null): number | null {
  if (count === 0) return 0
  if (measure === null || measure[of] === 0) return null
  return (count * measure.milliseconds) / measure[of] / 1000
}
