import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { startDevnet } from '../../devnet/serve.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { exportLake } from './export-lake.ts'
import { command, contents, ended, newLake, wholeLake } from './lake-run.ts'

const cli = join(packageRoot(), 'dist/src/cli/main.js')
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
    const run = [process.execPath, cli, 'run', 'p-blocks', '--raw']
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

  // Space that is left, in KiB: different writes fail, from the first one of the catalog to the last one of the command.
  const left = [0, 64, 1_000]

  test.each([
    ['run', ['validators']],
    ['views', []],
    ['backup', ['DISK/backup']],
    ['publish', ['iceberg']],
    ['publish', ['parquet']],
    ['report', []],
  ])('that is full fails %s %s with a clear error; with more space it succeeds', async (name, words) => {
    const node = await startDevnet({ seed: 51, blocks: 300 })
    const quiet = newLake()
    await exportLake({ node, lake: quiet, raw: true })
    const disk = mkdtempSync(join(folder, 'disk-'))
    const lake = join(disk, 'lake')
    const copy = newLake()
    const script = `
      mount -t tmpfs -o size=60m none ${disk}
      cp -R ${quiet} ${lake}
      '${process.execPath}' '${cli}' views --lake ${lake}
      for left in ${left.join(' ')}; do
        rm -rf ${disk}/backup
        head -c $(($(df --output=avail -k ${disk} | tail -n 1) - left))k /dev/zero > ${disk}/others
        "$@"; echo "full: $?"
        rm ${disk}/others
        "$@"; echo "free: $?"
      done
      cp -R ${lake} ${copy}`
    const tried = [process.execPath, cli, name, ...words.map((word) => word.replace('DISK', disk)), '--lake', lake]
    const more = name === 'run' ? ['--node-url', node.url] : []
    const shell = [...namespace, '/bin/sh', '-c', script, 'sh', ...tried, ...more]
    const { stdout, stderr } = await ended(spawn(unshare, shell, { stdio: ['ignore', 'pipe', 'pipe'] }))
    await node.close()
    const codesOf = (state: string) =>
      [...stdout.matchAll(new RegExp(`^${state}: (\\d+)$`, 'gm'))].map(([, code]) => code)
    expect(codesOf('full')[0], stderr).toBe('5')
    expect(
      codesOf('full').filter((code) => !/^[05]$/.test(code ?? '')),
      stderr,
    ).toEqual([])
    expect(codesOf('free'), stderr).toEqual(left.map(() => '0'))
    const failed = codesOf('full').filter((code) => code === '5').length
    expect(stderr.match(/^error: /gm), stderr).toHaveLength(failed)
    expect(stderr.match(/^hint: .*space/gm), stderr).toHaveLength(failed)
    expect(stderr).not.toMatch(/^\s+at /m)
    const moved = await command(['views', '--lake', copy])
    expect(moved.code, moved.stderr).toBe(0)
    const rowsOf = async (of: string) => Object.entries(await contents(of)).filter(([table]) => table.startsWith('p_'))
    expect(await rowsOf(copy)).toEqual(await rowsOf(quiet))
    expect(await command(['verify', '--lake', copy])).toMatchObject({ code: 0 })
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
    const compact = [process.execPath, cli, 'compact', '--lake', lake]
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
