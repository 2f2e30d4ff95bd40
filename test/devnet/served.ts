import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type Devnet, type DevnetOptions, startDevnet } from '../../devnet/serve.ts'

/** A simulated network with a cache of its own. It starts before the tests of the file or the group, and stops after them. */
export function servedDevnet(options: DevnetOptions): Devnet {
  const cacheDir = mkdtempSync(join(tmpdir(), 'devnet-'))
  let devnet: Devnet
  beforeAll(async () => {
    devnet = await startDevnet({ ...options, cacheDir })
  })
  afterAll(async () => {
    await devnet.close()
    rmSync(cacheDir, { recursive: true, force: true })
  })
  return new Proxy({} as Devnet, { get: (_, name: keyof Devnet) => devnet[name] })
}
