import { tables as declaredTables } from '../../../schemas/index.ts'
import { lakeExists, type Measure, openCatalog } from '../../catalog/catalog.ts'

/** What a run took that says how long another one of a job takes. */
export type LastMeasure = Pick<Measure, 'milliseconds' | 'records' | 'requests' | 'endedAtMs'> & {
  /** Whether it was the job itself; else another one of its pipeline, whose pace is alike. */
  readonly own: boolean
}

/** What the lake knows of runs; nothing where there is no lake. */
export async function lakeMeasures(lakeDir: string): Promise<readonly Measure[]> {
  return (await lakeExists(lakeDir)) ? (await openCatalog(lakeDir, declaredTables)).measures() : []
}

/** The last run of a job, else the last one of its pipeline; null when there was none. */
export function lastMeasure(
  measures: readonly Measure[],
  { job, pipeline }: Pick<Measure, 'job' | 'pipeline'>,
): LastMeasure | null {
  const alike = measures.filter((each) => each.pipeline === pipeline).sort((a, b) => b.endedAtMs - a.endedAtMs)
  const own = alike.find((each) => each.job === job)
  const found = own ?? alike[0]
  return found === undefined ? null : { ...found, own: own !== undefined }
}

/** Seconds for so many records or requests at the pace of a run; null when it had none. */
export function secondsFor(count: number, of: 'records' | 'requests', measure: LastMeasure | null): number | null {
  if (count === 0) return 0
  if (measure === null || measure[of] === 0) return null
  return (count * measure.milliseconds) / measure[of] / 1000
}
