import type { RemoteStore } from '../store/store.ts'
import { bad, type Check, checkOfError, good, notice } from './check.ts'

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
