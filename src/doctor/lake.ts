import { tables as declaredTables } from '../../schemas/index.ts'
import {
  type Catalog,
  firstLost,
  type LakeStatus,
  lakeExists,
  lakePaths,
  openCatalog,
  streamTaken,
} from '../catalog/catalog.ts'
import { withStorage } from '../catalog/lake/find-lake.ts'
import type { LakeLocation } from '../catalog/place/lake-location.ts'
import { lostFilesHint } from '../lib/lost-files.ts'
import { type Stream, streamId } from '../model.ts'
import type { RemoteStore } from '../store/store.ts'
import { bad, type Check, checkOfError, good, notice } from './check.ts'

const about = 'lake'

/** How long to wait for another process that holds the catalog lock; a run waits a minute. */
const waitMs = 5_000

export type ExaminedLake = {
  /** Null when there is no lake yet, or it cannot be opened. */
  readonly catalog: Catalog | null
  readonly status: LakeStatus | null
  readonly checks: readonly Check[]
  /** The present or future store of its files; null when unknown, or in the folder of the lake. */
  readonly remote: RemoteStore | null
}

/** Checks whether the lake can be opened, or created. */
export async function examineLake(lake: LakeLocation): Promise<ExaminedLake> {
  const none = { catalog: null, status: null, remote: null }
  try {
    if (!(await lakeExists(lake)))
      return {
        ...none,
        remote: withStorage(lakePaths(lake), null).store.remote,
        checks: [good(about, 'doctor.lake', `There is no lake at ${lake.folder} yet; a run creates it.`)],
      }
    const catalog = await openCatalog(lake, declaredTables, { waitMs })
    const status = await catalog.status()
    const networks = [...new Set(status.streams.map(({ network }) => network))].filter((name) => name !== '')
    const says = `${lake.folder} can be opened; it holds ${networks.length === 0 ? 'no network yet' : networks.join(', ')}.`
    return { catalog, status, remote: catalog.store.remote, checks: [good(about, 'doctor.lake', says)] }
  } catch (error) {
    return { ...none, checks: [checkOfError(about, error)] }
  }
}

/** Looks for missing files and files of a wrong size. They are bad when they belong to these tables, or to any table when none is given. */
export async function checkFiles(catalog: Catalog, tables: readonly string[]): Promise<Check> {
  const files = (await catalog.files()).tables.flatMap((table) =>
    table.files.map(({ path, bytes }) => ({ table: table.name, path, bytes })),
  )
  const sizes = await catalog.store.sizes(files.map(({ path }) => path))
  const lost = files.flatMap((file, position) => {
    const found = sizes[position] ?? null
    return found === file.bytes ? [] : [{ ...file, found }]
  })
  const code = 'verify.files'
  if (lost.length === 0) return good(about, code, `All ${files.length} files exist and have the right size.`)
  const says = `${lost.length} of its ${files.length} files are missing or have a wrong size: ${firstLost(lost)}.`
  const blocks = tables.length === 0 || lost.some(({ table }) => tables.includes(table))
  return blocks ? bad(about, code, says, lostFilesHint, 6) : notice(about, code, says, lostFilesHint)
}

/** Active runs that hold one of the streams. */
export function checkRuns(status: LakeStatus, streams: readonly Stream[]): Check[] {
  const ids = streams.map(streamId)
  const running = status.streams.flatMap(({ lastRun }) => (lastRun?.state === 'running' ? [lastRun] : []))
  const taken = [...new Map(running.map((run) => [run.id, run])).values()].filter((run) =>
    run.streams.some((stream) => ids.includes(stream)),
  )
  return taken.map((run) => checkOfError(about, streamTaken(run, ids)))
}

/** S3 refuses requests with a larger clock difference. The SDK corrects for it, other tools do not. */
const mostSkewMs = 5 * 60_000

/** Checks whether the bucket can be listed and written, its versioning and its clock. Leaves no file there. */
export async function checkBucket({ name, probe }: RemoteStore): Promise<Check[]> {
  const about = `bucket ${name}`
  try {
    const { files, mayWrite, isVersioned, skewMs } = await probe()
    const checks = [
      good(about, 'doctor.bucket', `It answers, and has ${files === 0 ? 'no files' : 'files'} of a lake.`),
    ]
    if (mayWrite instanceof Error) {
      const { says, todo } = checkOfError(about, mayWrite)
      checks.push(
        bad(
          about,
          'storage.denied',
          `It cannot be written: ${says}`,
          todo ?? 'Ask the owner of the bucket for access.',
          5,
        ),
      )
    } else checks.push(good(about, 'doctor.bucket', 'It can be written.'))
    if (isVersioned)
      checks.push(
        notice(
          about,
          'doctor.bucket-versions',
          'It keeps older versions of removed files.',
          'chainlake never overwrites a file, so versions only cost money: add a lifecycle rule that removes noncurrent versions and incomplete uploads.',
        ),
      )
    if (Math.abs(skewMs) > mostSkewMs)
      checks.push(
        notice(
          about,
          'storage.clock',
          `The clock of this machine is ${Math.round(Math.abs(skewMs) / 1000)} s off.`,
          'Set the clock (NTP).',
        ),
      )
    return checks
  } catch (error) {
    return [checkOfError(about, error)]
  }
}
