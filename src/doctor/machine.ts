import { accessSync, chmodSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import { totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { isModeRefusal } from '../lib/files/file-mode.ts'
import { type FileSystem, fileSystemOf } from '../lib/files/file-system.ts'
import { packageRoot } from '../lib/files/package-root.ts'
import { bytesText } from '../lib/text/bytes-text.ts'
import { floorOf } from '../run/job/disk-space.ts'
import { bad, type Check, good, notice } from './check.ts'

/** The memory that a run may use, whatever it reads. */
const needed = 512 * 2 ** 20

/** The Node.js release that most tests use. */
const recommended = 24

export function checkNodeVersion(version = process.versions.node, least = leastVersion()): Check {
  const about = 'Node.js'
  if (compare(version, least) < 0)
    return bad(about, 'doctor.node-version', `${version} is older than ${least}.`, `Install Node.js ${recommended}.`, 2)
  if (Number(version.split('.')[0]) < recommended)
    return notice(
      about,
      'doctor.node-version',
      `${version} is enough; ${recommended} is recommended.`,
      `Install Node.js ${recommended} when there is time.`,
    )
  return good(about, 'doctor.node-version', version)
}

/** The lower bound that package.json states. */
function leastVersion(): string {
  const { engines } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
    engines: { node: string }
  }
  return engines.node.replace(/^>=/, '')
}

function compare(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split(/[.-]/).map(Number))
  for (const position of [0, 1, 2]) {
    const difference = (left?.[position] ?? 0) - (right?.[position] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

type Memory = {
  readonly total: number
  /** The memory limit of the process in bytes, such as of a container; 0: none. */
  readonly limit: number
  /** Free bytes within both. */
  readonly available: number
}

function readMemory(): Memory {
  const [total, limit] = [totalmem(), process.constrainedMemory()]
  return { total, limit: limit > 0 && limit < total ? limit : 0, available: process.availableMemory() }
}

export function checkMemory({ total, limit, available }: Memory = readMemory()): Check {
  const about = 'memory'
  const whole = limit === 0 ? total : limit
  const bound = limit === 0 ? 'the machine has' : 'the limit of the container (cgroup) is'
  const says = `${bound} ${bytesText(whole)}, ${bytesText(available)} are free; a run takes up to ${bytesText(needed)}.`
  if (whole < needed)
    return bad(
      about,
      'doctor.memory',
      says,
      limit === 0 ? 'Use a machine with more memory.' : 'Raise the memory limit of the container.',
      2,
    )
  if (available < needed)
    return notice(
      about,
      'doctor.memory',
      says,
      'End other programs, or use smaller units (--unit), which need less memory. Otherwise the system may kill the run; no data is lost then.',
    )
  return good(about, 'doctor.memory', says)
}

const about = 'disk'

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
export function checkDisk(
  lakeDir: string,
  space: FileSystem | null = fileSystemOf(lakeDir),
  changeMode: typeof chmodSync = chmodSync,
): Check[] {
  const refused = writeRefusal(lakeDir)
  const write = refused === null ? [] : [refused]
  if (space === null || space.totalBytes === 0)
    return [
      ...write,
      notice(about, 'doctor.disk', 'The file system does not report its free space.', 'Check the free space yourself.'),
    ]
  return [
    ...write,
    ...kindChecks(space),
    ...(refused === null ? modeChecks(lakeDir, changeMode) : []),
    roomCheck(space),
  ]
}

function kindChecks({ kind }: FileSystem): Check[] {
  const name = shared.get(kind)
  if (name !== undefined)
    return [
      notice(
        about,
        'doctor.file-system',
        `The lake is on ${name}: locks may not hold between machines, and the catalog is a database file.`,
        'Run on this lake from one machine only, and mount it with locks (NFS version 4). A local disk is better.',
      ),
    ]
  const memory = inMemory.get(kind)
  if (memory === undefined) return []
  return [
    notice(
      about,
      'doctor.file-system',
      `The lake is on ${memory}: it uses memory, and it is lost when the machine restarts.`,
      'Give --lake a folder on a disk to keep it.',
    ),
  ]
}

/** Gives the folder of the lake the mode that it has: a file system without modes refuses that. */
function modeChecks(lakeDir: string, change: typeof chmodSync): Check[] {
  const folder = existingFolder(lakeDir)
  const { mode, uid } = statSync(folder)
  // Only the owner may change a mode.
  if (process.geteuid?.() !== uid) return []
  try {
    change(folder, mode & 0o7777)
    return []
  } catch (error) {
    if (!isModeRefusal(error)) throw error
    return [
      notice(
        about,
        'doctor.file-modes',
        `The file system does not change the modes of files (${(error as NodeJS.ErrnoException).code}): lake.duckdb and lake.ducklake stay writable.`,
        'A run works. Open these two files for reading only: a program that opens one for writing locks out all others.',
      ),
    ]
  }
}

function existingFolder(lakeDir: string): string {
  let folder = lakeDir
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder)
  return folder
}

function roomCheck(space: FileSystem): Check {
  const { freeBytes, freeFiles } = space
  const floor = floorOf(space)
  const says = `${bytesText(freeBytes)} are free; a run stops when less than ${bytesText(floor)} are left.`
  if (freeFiles === 0)
    return bad(
      about,
      'storage.inodes',
      'The file system can hold no more files (df -i).',
      'Remove files, or move the lake to a file system with more inodes.',
      5,
    )
  return freeBytes < floor ? bad(about, 'storage.space', says, roomTodo, 5) : good(about, 'doctor.disk', says)
}

/** Compares the bytes that all jobs together would write with the free space. The size of lists is unknown before a run. */
export function checkRoom(
  estimatedBytes: number,
  lakeDir: string,
  space: FileSystem | null = fileSystemOf(lakeDir),
): Check[] {
  if (space === null || space.totalBytes === 0) return []
  const floor = floorOf(space)
  const says = `The jobs would write about ${bytesText(estimatedBytes)}; ${bytesText(space.freeBytes)} are free.`
  if (estimatedBytes > space.freeBytes - floor)
    return [bad(about, 'storage.space', says, `${roomTodo} Or fetch a part of the range with --to.`, 5)]
  return [good(about, 'doctor.room', says)]
}

function writeRefusal(lakeDir: string): Check | null {
  const folder = existingFolder(lakeDir)
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return null
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return bad(
      about,
      'storage.read-only',
      `${folder} cannot be written (${code}).`,
      code === 'EROFS'
        ? 'The file system is read-only: give --lake a folder that can be written to.'
        : 'Give --lake a folder that this user may write.',
      5,
    )
  }
}
