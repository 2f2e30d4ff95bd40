import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'vitest'
import { packageRoot } from '../src/lib/package-root.ts'

const folder = join(packageRoot(), '..', 'shared', 'data')

/** Whether the vectors and recordings that stand beside the checkout are there. */
export const hasSharedData = existsSync(folder)

/** Absolute path of a file of the shared data. */
export function sharedData(path: string): string {
  return join(folder, path)
}

/** A suite that needs the shared data: without it, it says so loudly and is registered as skipped. */
export function describeWithSharedData(name: string, suite: () => void): void {
  if (hasSharedData) {
    describe(name, suite)
    return
  }
  console.warn(`\n!!! SKIPPED: "${name}" needs the data at ${folder}, which is not there.\n`)
  describe.skip(name, suite)
}
