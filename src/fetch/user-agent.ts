import { packageVersion } from '../lib/files/package-version.ts'

/** The user agent of every request, such as `chainlake/0.1.0`: providers block clients without one. */
export function userAgent(): string {
  return `chainlake/${packageVersion()}`
}
