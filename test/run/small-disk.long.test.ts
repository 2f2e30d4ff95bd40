import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { packageRoot } from '../../src/lib/files/package-root.ts'
import { exportLake } from './export-lake.ts'
import { command, ended, newLake, wholeLake } from './lake-run.ts'

const blocks = 3_000
const unit = 1_000
const folder = mkdtempSync(join(tmpdir(), 'chainlake-disk-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Users may mount in their own namespace. Some systems do not allow this. */
const [unshare, ...namespace] = ['unshare', '--user', '--map-root-user', '--mount'] as const
const mounts = spawnSync(unshare, [...namespace, 'mount', '-t', 'tmpfs', 'none', folder]).status === 0

describe.runIf(mounts)('a small disk that fills up', () => {
  // Sizes at which different writes fail: a part, and the published files.
  test.each(['3m', '6500k'])('of %s fails a run with a clear error; more space completes it', async (size) => {
    const node = await startDevnet({ seed: 51, blocks })
    const quiet = newLake()
    await exportLake({ node, lake: quiet, unit, raw: true })
    const disk = mkdtempSync(join(folder, 'disk-'))
    const lake = join(disk, 'lake')
    const copy = newLake()
    const script = `
      mount -t tmpfs -o size=${size} none ${disk}
      "$@"; echo "first: $?"
      mount -o remount,size=100m ${disk}
      "$@"; echo "second: $?"
      cp -R ${lake} ${copy}`
    const run = [process.execPath, join(packageRoot(), 'dist/src/cli/main.js'), 'run', 'p-blocks', '--raw']
    const where = ['--node-url', node.url, '--lake', lake, '--unit', `${unit}`]
    const shell = [...namespace, '/bin/sh', '-c', script, 'sh', ...run, ...where]
    const { stdout, stderr } = await ended(spawn(unshare, shell, { stdio: ['ignore', 'pipe', 'pipe'] }))
    await node.close()
    expect(stdout, stderr).toMatch(/^first: 5$/m)
    expect(stderr).toMatch(
      /^error: (The disk is (almost )?full|The disk has too little space|The views could not be written)/m,
    )
    expect(stdout, stderr).toMatch(/^second: 0$/m)
    const moved = await command(['views', '--lake', copy])
    expect(moved.code, moved.stderr).toBe(0)
    expect(await wholeLake(copy)).toEqual(await wholeLake(quiet))
  })

  test('stops compact before it is full; finished merges stay', async () => {
    const node = await startDevnet({ seed: 51, blocks })
    const quiet = newLake()
    await exportLake({ node, lake: quiet, unit: 100, raw: true })
    await node.close()
    const disk = mkdtempSync(join(folder, 'disk-'))
    const lake = join(disk, 'lake')
    const copy = newLake()
    // A twentieth of the disk, 5 MB, stays free.
    const script = `
      mount -t tmpfs -o size=100m none ${disk}
      cp -R ${quiet} ${lake}
      free=$(df --output=avail -k ${disk} | tail -n 1)
      head -c $((free - 4500))k /dev/zero > ${disk}/others
      "$@"; echo "first: $?"
      rm ${disk}/others
      "$@"; echo "second: $?"
      cp -R ${lake} ${copy}`
    const compact = [process.execPath, join(packageRoot(), 'dist/src/cli/main.js'), 'compact', '--lake', lake]
    const shell = [...namespace, '/bin/sh', '-c', script, 'sh', ...compact]
    const { stdout, stderr } = await ended(spawn(unshare, shell, { stdio: ['ignore', 'pipe', 'pipe'] }))
    expect(stdout, stderr).toMatch(/^first: 5$/m)
    expect(stderr).toMatch(/^error: The disk is almost full/m)
    expect(stdout, stderr).toMatch(/^second: 0$/m)
    expect(await command(['verify', '--lake', copy])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('No errors'),
    })
  })
})
