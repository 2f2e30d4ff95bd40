import { accessSync, chmodSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import { totalmem } from 'node:os'
import { dirname, join } from 'node:path'
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
import { withStorage } from '../catalog/lake.ts'
import { findLost } from '../catalog/lost-files.ts'
import type { LakeLocation } from '../catalog/place.ts'
import type { ChainlakeError } from '../errors.ts'
import { type FileSystem, fileSystemOf, isModeRefusal, lostFilesHint } from '../lib/files.ts'
import { packageRoot } from '../lib/package.ts'
import { bytesText, countText } from '../lib/text.ts'
import { type Stream, streamId } from '../model.ts'
import { createConnections, createServiceAccounts } from '../run/connections/connections.ts'
import { floorOf } from '../run/disk-space.ts'
import type { EmitEvent } from '../run/events.ts'
import type { Job, NodeOptions } from '../run/job.ts'
import { createServiceClient } from '../sources/service-client.ts'
import { hostsOf, type ServiceHost, type ServiceProfile } from '../sources/service-profile.ts'
import type { Store } from '../store/store.ts'
import {
  bad,
  checkChain,
  checkHosts,
  checkNode,
  checkOfError,
  checksOf,
  type DoctorCheck,
  examineJob,
  type Found,
  good,
  notice,
} from './check-job.ts'

type Examination = {
  readonly lake: LakeLocation
  readonly node: NodeOptions
  readonly jobs: readonly Job[]
  /** The profile of the REST service, or the error in it; null: no job reads the service. */
  readonly service: ServiceProfile | ChainlakeError | null
  /** The services of chainlake.yaml that the jobs read. */
  readonly services: readonly ServiceHost[]
  /** Receives the events of requests. */
  readonly emit: EmitEvent
}

/** Few attempts and short waits: a pre-flight check should not wait long for a source that fails. */
const tries = 2
const maxWaitMs = 10_000

/** Checks what a run of the jobs needs, one thing after the other, beginning with the machine. Writes nothing. */
export async function* examine(examination: Examination): AsyncGenerator<DoctorCheck> {
  const { lake, node, jobs, service, services, emit } = examination
  yield* checksOf('Node.js', [checkNodeVersion()])
  yield* checksOf('memory', [checkMemory()])
  yield* checksOf('disk', checkDisk(lake.folder))
  const found = await examineLake(lake)
  yield* checksOf('lake', found.checks)
  if (found.remote !== null) yield* checksOf(`bucket ${found.remote.name}`, checkBucket(found.remote))
  const profile = service !== null && 'dataUrl' in service ? service : null
  const common = { tries, maxWaitMs, ...node }
  const connections = createConnections({ ...common, ...(profile === null ? {} : { service: profile }), emit })
  const hosts = [...(profile === null ? [] : hostsOf(profile)), ...services]
  const client = createServiceClient({
    hosts,
    tries: common.tries,
    firstContactMs: common.firstContactMs,
    maxWaitMs,
    onRetry: (retry) => emit({ kind: 'retry', ...retry }),
  })
  // These count no units of hosts, since counting them writes to the lake.
  const uncounted = { ...connections, service: () => ({ client, accounts: createServiceAccounts(hosts) }) }
  try {
    if (jobs.length === 0 || jobs.some((job) => job.pipeline.reads === 'node' && chainUrl(job) === null))
      yield* checkNode(connections, found)
    for (const url of new Set(jobs.flatMap((job) => chainUrl(job) ?? []))) yield* checkChain(connections, url)
    if (service !== null && profile === null) yield* checksOf('service', [checkOfError(service)])
    const examined: ExaminedJob[] = []
    for (const job of jobs) {
      if (job.pipeline.reads === 'service' && profile === null) continue
      const one = await examineJob(job, uncounted, found.catalog)
      yield* checksOf(job.name, one.checks)
      examined.push(one)
    }
    const read = new Set(examined.flatMap((one) => one.hosts))
    yield* checkHosts(
      hosts.filter(({ name }) => read.has(name)),
      found.catalog,
    )
    yield* checksOf('lake', checkContents(examined, found))
    const estimatedBytes = examined.reduce((sum, one) => sum + one.estimatedBytes, 0)
    yield* checksOf('disk', checkRoom(estimatedBytes, lake.folder))
  } finally {
    await client.close()
    await connections.close()
  }
}

/** The URL of the EVM chain that a job reads; null if it reads a chain of the node, or none. */
function chainUrl({ values }: Job): string | null {
  const { chain } = values
  return typeof chain === 'string' && /^https?:/.test(chain) ? chain : null
}

type ExaminedJob = Awaited<ReturnType<typeof examineJob>>
type ExaminedLake = Awaited<ReturnType<typeof examineLake>>

/** Checks the other runs on the lake, and its files. */
async function* checkContents(examined: readonly ExaminedJob[], { catalog, status }: ExaminedLake) {
  if (catalog === null || status === null) return
  const streams = examined.flatMap((one) => one.streams)
  yield* checkRuns(status, streams)
  yield await checkFiles(catalog, [...new Set(examined.flatMap(({ tables }) => tables))])
}

/** How long to wait for another process that holds the catalog lock; a run waits a minute. */
const waitMs = 5_000

/**
 * Checks whether the lake can be opened, or created. `remote`: the present or future store of its files; null when unknown, or in the folder
 * of the lake.
 */
async function examineLake(lake: LakeLocation) {
  const none = { catalog: null, status: null, remote: null }
  try {
    if (!(await lakeExists(lake)))
      return {
        ...none,
        remote: withStorage(lakePaths(lake), null).store.remote,
        checks: [good('doctor.lake', `There is no lake at ${lake.folder} yet; a run creates it.`)],
      }
    const catalog = await openCatalog(lake, declaredTables, { waitMs })
    const status = await catalog.status()
    const networks = [...new Set(status.streams.map(({ network }) => network))].filter((name) => name !== '')
    const says = `${lake.folder} can be opened; it holds ${networks.length === 0 ? 'no network yet' : networks.join(', ')}.`
    return { catalog, status, remote: catalog.store.remote, checks: [good('doctor.lake', says)] }
  } catch (error) {
    return { ...none, checks: [checkOfError(error)] }
  }
}

/** Looks for missing files and files of a wrong size. They are bad when they belong to these tables, or to any table when none is given. */
async function checkFiles(catalog: Catalog, tables: readonly string[]): Promise<Found> {
  const files = (await catalog.files()).tables.flatMap((table) =>
    table.files.map(({ path, bytes }) => ({ table: table.name, path, bytes })),
  )
  const lost = await findLost(catalog.store, files)
  const code = 'verify.files'
  if (lost.length === 0)
    return good(
      code,
      files.length === 1
        ? 'The only file exists and has the right size.'
        : `All ${files.length} files exist and have the right size.`,
    )
  const says = `${lost.length} of its ${files.length} files are missing or have a wrong size: ${firstLost(lost)}.`
  const blocks = tables.length === 0 || lost.some(({ table }) => tables.includes(table))
  return blocks ? bad(code, says, lostFilesHint, 6) : notice(code, says, lostFilesHint)
}

/** Active runs that hold one of the streams. */
function checkRuns(status: LakeStatus, streams: readonly Stream[]): Found[] {
  const ids = streams.map(streamId)
  const running = status.streams.flatMap(({ lastRun }) => (lastRun?.state === 'running' ? [lastRun] : []))
  const taken = [...new Map(running.map((run) => [run.id, run])).values()].filter((run) =>
    run.streams.some((stream) => ids.includes(stream)),
  )
  return taken.map((run) => checkOfError(streamTaken(run, ids)))
}

/** S3 refuses requests with a larger clock difference. The SDK corrects for it, other tools do not. */
const mostSkewMs = 5 * 60_000

/** Checks whether the bucket can be listed and written, its versioning and its clock. Leaves no file there. */
async function* checkBucket({ probe }: NonNullable<Store['remote']>): AsyncGenerator<Found> {
  const { files, mayWrite, isVersioned, skewMs } = await probe()
  yield good('doctor.bucket', `It answers, and has ${files === 0 ? 'no files' : 'files'} of a lake.`)
  if (mayWrite instanceof Error) {
    const { says, todo } = checkOfError(mayWrite)
    const advice = todo ?? 'Ask the owner of the bucket for access.'
    yield bad('storage.denied', `It cannot be written: ${says}`, advice, 5)
  } else yield good('doctor.bucket', 'It can be written.')
  if (isVersioned)
    yield notice(
      'doctor.bucket-versions',
      'It keeps older versions of removed files.',
      'chainlake never overwrites a file, so versions only cost money: add a lifecycle rule that removes noncurrent versions and incomplete uploads.',
    )
  if (Math.abs(skewMs) > mostSkewMs) {
    const says = `The clock of this machine is ${Math.round(Math.abs(skewMs) / 1000)} s off.`
    yield notice('storage.clock', says, 'Set the clock (NTP).')
  }
}

/** The memory that a run may use, whatever it reads. */
const needed = 512 * 2 ** 20

/** The Node.js release that most tests use. */
const recommended = 24

export function checkNodeVersion(version = process.versions.node, least = leastVersion()): Found {
  if (version.localeCompare(least, 'en', { numeric: true }) < 0)
    return bad('doctor.node-version', `${version} is older than ${least}.`, `Install Node.js ${recommended}.`, 2)
  if (Number(version.split('.')[0]) < recommended)
    return notice(
      'doctor.node-version',
      `${version} is enough; ${recommended} is recommended.`,
      `Install Node.js ${recommended} when there is time.`,
    )
  return good('doctor.node-version', version)
}

/** The lower bound that package.json states. */
function leastVersion(): string {
  const { engines } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
    engines: { node: string }
  }
  return engines.node.replace(/^>=/, '')
}

/** Bytes of memory: of the machine, the limit of the process, such as of a container (0: none), and free ones within both. */
function readMemory() {
  const [total, limit] = [totalmem(), process.constrainedMemory()]
  return { total, limit: limit > 0 && limit < total ? limit : 0, available: process.availableMemory() }
}

export function checkMemory({ total, limit, available } = readMemory()): Found {
  const whole = limit === 0 ? total : limit
  const bound = limit === 0 ? 'the machine has' : 'the limit of the container (cgroup) is'
  const [has, free, takes] = [whole, available, needed].map((bytes) => `${countText(Math.round(bytes / 2 ** 20))} MiB`)
  const says = `${bound} ${has}, ${free} are free; a run takes up to ${takes}.`
  if (whole < needed)
    return bad(
      'doctor.memory',
      says,
      limit === 0 ? 'Use a machine with more memory.' : 'Raise the memory limit of the container.',
      2,
    )
  if (available < needed)
    return notice(
      'doctor.memory',
      says,
      'End other programs, or use smaller units (--unit), which need less memory. Otherwise the system may kill the run; no data is lost then.',
    )
  return good('doctor.memory', says)
}

const roomTodo = 'Free some space, or give --lake a folder on a larger disk.'

/** Network file systems by their type (statfs(2), f_type): a lock may not hold between machines. */
const shared: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0x01021997, '9p'],
  [0x65735546, 'FUSE'],
  [0x00c36400, 'Ceph'],
  [0x5346414f, 'AFS'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
])

/** File systems in memory: their files are gone after a restart. */
const inMemory: ReadonlyMap<number, string> = new Map([
  [0x01021994, 'tmpfs'],
  [0x858458f6, 'ramfs'],
])

/** Checks whether the folder of the lake can be written, its kind of file system, and its free space. */
export function* checkDisk(
  lakeDir: string,
  space: FileSystem | null = fileSystemOf(lakeDir),
  changeMode: typeof chmodSync = chmodSync,
): Generator<Found> {
  const refused = writeRefusal(lakeDir)
  if (refused !== null) yield refused
  if (space === null || space.totalBytes === 0) {
    const says = 'The file system does not report its free space.'
    yield notice('doctor.disk', says, 'Check the free space yourself.')
    return
  }
  const [network, memory] = [shared.get(space.kind), inMemory.get(space.kind)]
  if (network !== undefined)
    yield notice(
      'doctor.file-system',
      `The lake is on ${network}: locks may not hold between machines, and the catalog is a database file.`,
      'Run on this lake from one machine only, and mount it with locks (NFS version 4). A local disk is better.',
    )
  else if (memory !== undefined)
    yield notice(
      'doctor.file-system',
      `The lake is on ${memory}: it uses memory, and it is lost when the machine restarts.`,
      'Give --lake a folder on a disk to keep it.',
    )
  if (refused === null) yield* modeChecks(lakeDir, changeMode)
  const { freeBytes, freeFiles } = space
  const floor = floorOf(space)
  const says = `${bytesText(freeBytes)} are free; a run stops when less than ${bytesText(floor)} are left.`
  if (freeFiles === 0)
    yield bad(
      'storage.inodes',
      'The file system can hold no more files (df -i).',
      'Remove files, or move the lake to a file system with more inodes.',
      5,
    )
  else yield freeBytes < floor ? bad('storage.space', says, roomTodo, 5) : good('doctor.disk', says)
}

/** Gives the folder of the lake the mode that it has: a file system without modes refuses that. */
function* modeChecks(lakeDir: string, change: typeof chmodSync): Generator<Found> {
  const folder = existingFolder(lakeDir)
  const { mode, uid } = statSync(folder)
  // Only the owner may change a mode.
  if (process.geteuid?.() !== uid) return
  try {
    change(folder, mode & 0o7777)
  } catch (error) {
    if (!isModeRefusal(error)) throw error
    yield notice(
      'doctor.file-modes',
      `The file system does not change the modes of files (${(error as NodeJS.ErrnoException).code}): lake.duckdb and lake.ducklake stay writable.`,
      'A run works. Open these two files for reading only: a program that opens one for writing locks out all others.',
    )
  }
}

function existingFolder(lakeDir: string): string {
  let folder = lakeDir
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder)
  return folder
}

/** Compares the bytes that all jobs together would write with the free space. The size of lists is unknown before a run. */
export function checkRoom(
  estimatedBytes: number,
  lakeDir: string,
  space: FileSystem | null = fileSystemOf(lakeDir),
): Found[] {
  if (estimatedBytes === 0 || space === null || space.totalBytes === 0) return []
  const floor = floorOf(space)
  const says = `The jobs would write about ${bytesText(estimatedBytes)}; ${bytesText(space.freeBytes)} are free.`
  if (estimatedBytes > space.freeBytes - floor)
    return [bad('storage.space', says, `${roomTodo} Or fetch a part of the range with --to.`, 5)]
  return [good('doctor.room', says)]
}

function writeRefusal(lakeDir: string): Found | null {
  const folder = existingFolder(lakeDir)
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return null
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (!statSync(folder).isDirectory())
      return bad('storage.read-only', `${folder} is a file, not a folder.`, 'Set --lake to another path.', 5)
    return bad(
      'storage.read-only',
      `${folder} cannot be written (${code}).`,
      code === 'EROFS'
        ? 'The file system is read-only: give --lake a folder that can be written to.'
        : 'Give --lake a folder that this user may write.',
      5,
    )
  }
}
