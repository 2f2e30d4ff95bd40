import { packageVersion } from '../lib/files/package-version.ts'

/** How every request names who asks, such as `chainlake/0.1.0`: providers block clients that say nothing. */
export function userAgent(): string {
  return `chainlake/${packageVersion()}`
}
