import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isLockHeld, takeLock } from '../../../src/catalog/duckdb/duckdb-file.ts'
import { packageRoot } from '../../../src/lib/package.ts'

const folder = mkdtempSync(join(tmpdir(), 'chainlake-lock-'))

/** The state of the lock as another process sees it. */
function heldElsewhere(file: string, user: { uid?: number }): string {
  const module = join(packageRoot(), 'dist/src/catalog/duckdb/duckdb-file.js')
  const code = `const { isLockHeld } = await import(process.argv[1]); console.log(await isLockHeld(process.argv[2]))`
  const args = ['--input-type=module', '-e', code, module, file]
  return spawnSync(process.execPath, args, { ...user, encoding: 'utf8' }).stdout.trim()
}

describe('a lock', () => {
  test('is held until it is released, in this process and in others', async () => {
    const file = join(folder, 'own.duckdb')
    const lock = await takeLock(file)
    expect([await isLockHeld(file), heldElsewhere(file, {})]).toEqual([true, 'true'])
    // The check has not released the lock.
    expect([await isLockHeld(file), heldElsewhere(file, {})]).toEqual([true, 'true'])
    await lock.release()
    await lock.release()
    expect(await isLockHeld(file)).toBe(false)
  })

  test('is free if its file was left incomplete', async () => {
    const file = join(folder, 'half.duckdb')
    writeFileSync(file, 'DU')
    expect(await isLockHeld(file)).toBe(false)
  })

  test('counts as held if the user may not open its file', async () => {
    // Other users may have no access to the folder of the tests.
    const open = mkdtempSync('/tmp/chainlake-lock-')
    chmodSync(open, 0o755)
    const file = join(open, 'private.duckdb')
    writeFileSync(file, 'DU', { mode: 0o000 })
    // Root may access every file, so the check runs as an unprivileged user.
    const found = heldElsewhere(file, process.getuid?.() === 0 ? { uid: 65_534 } : {})
    rmSync(open, { recursive: true })
    expect(found).toBe('true')
  })
})
