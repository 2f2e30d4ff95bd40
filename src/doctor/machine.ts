import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { packageRoot } from '../lib/files/package-root.ts'
import { bytesText } from '../lib/text/bytes-text.ts'
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
