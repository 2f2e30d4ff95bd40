import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { packageRoot } from '../src/lib/package.ts'

test('npm run check lints what git tracks, and no file that a command of the documents left', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chainlake-lint-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const { scripts } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'))
  const lint = String(scripts.check).split(' && ').at(-1) ?? ''
  const env = { ...process.env, PATH: `${join(packageRoot(), 'node_modules/.bin')}:${process.env['PATH']}` }
  const code = () => spawnSync('sh', ['-c', lint], { cwd: folder, env }).status
  copyFileSync(join(packageRoot(), 'biome.json'), join(folder, 'biome.json'))
  writeFileSync(join(folder, 'tracked.json'), '{ "tables": [] }\n')
  execFileSync('git', ['init', '--quiet'], { cwd: folder })
  execFileSync('git', ['add', '.'], { cwd: folder })
  writeFileSync(join(folder, 'done.json'), '{"tables":[]}')
  writeFileSync(join(folder, 'report.html'), '<p>')
  expect(code()).toBe(0)
  writeFileSync(join(folder, 'tracked.json'), '{"tables":[]}')
  expect(code()).not.toBe(0)
})
