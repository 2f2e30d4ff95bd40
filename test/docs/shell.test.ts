import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { temporaryFolder } from '../views/test-lake.ts'
import { openShell, type Shell } from './shell.ts'

const env = { PATH: process.env['PATH'] ?? '' }
const open: Shell[] = []
afterEach(() => {
  for (const shell of open.splice(0)) shell.close()
})

function shellIn(folder: string): Shell {
  const shell = openShell(folder, env)
  open.push(shell)
  return shell
}

test('a text continues in the folder and with the exports of the one before', async () => {
  const folder = temporaryFolder('shell')
  mkdirSync(join(folder, 'a b'))
  writeFileSync(join(folder, 'a b/c'), '')
  const shell = shellIn(folder)
  expect(await shell.type("export WORD='two words'\ncd 'a b'\n")).toEqual({ stderr: '' })
  expect(await shell.type('echo "$WORD in $PWD" >&2\nls c\n')).toEqual({
    stderr: `two words in ${join(realpathSync(folder), 'a b')}\n`,
  })
})

test('the first command that fails is named with its line, and later ones do not run', async () => {
  const shell = shellIn(temporaryFolder('shell'))
  expect(await shell.type('true\n\nls no-such-file \\\n  2> /dev/null\necho later >&2\n')).toEqual({
    failed: { line: 3, command: 'ls no-such-file 2> /dev/null' },
    stderr: '',
  })
  expect(await shell.type('(exit 3) || true\nfalse | true\nif false; then :; fi\n')).toEqual({ stderr: '' })
})

test('a text that bash does not understand fails', async () => {
  const { failed, stderr } = await shellIn(temporaryFolder('shell')).type('if true; then\n')
  expect(failed).toMatchObject({ line: 1 })
  expect(stderr).toContain('syntax error')
})

test('a process in the background does not keep a text from its end, and serves the next one', async () => {
  const shell = shellIn(temporaryFolder('shell'))
  expect(await shell.type('tail -f /dev/null &\nexport CHILD=$!\n')).toEqual({ stderr: '' })
  expect(await shell.type('kill -0 "$CHILD"\n')).toEqual({ stderr: '' })
})
