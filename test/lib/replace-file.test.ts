import { execFileSync } from 'node:child_process'
import {
  closeSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openOutput, replaceByProgram, replaceFile } from '../../src/lib/files.ts'

const newFolder = () => mkdtempSync(join(tmpdir(), 'chainlake-output-test-'))

/** Each way to write a text to a file. */
const ways: [string, (file: string, text: string) => Promise<void>][] = [
  ['a text', replaceFile],
  ['a program', (file, text) => replaceByProgram(file, async (path) => writeFileSync(path, text))],
]

test.each(ways)('%s is written through a FIFO, which stays', async (_, write) => {
  const folder = newFolder()
  const [fifo, link] = [join(folder, 'pipe'), join(folder, 'link')]
  execFileSync('mkfifo', [fifo])
  symlinkSync('pipe', link)
  for (const file of [fifo, link]) {
    const [read] = await Promise.all([readFile(fifo, 'utf8'), write(file, 'rows')])
    expect(read).toBe('rows')
    expect(lstatSync(fifo).isFIFO()).toBe(true)
  }
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
  expect(readdirSync(folder).sort()).toEqual(['link', 'pipe'])
})

test.each(ways)('%s replaces the file that a link names, also one that does not exist yet', async (_, write) => {
  const folder = newFolder()
  mkdirSync(join(folder, 'real'))
  writeFileSync(join(folder, 'real/old.csv'), 'old')
  for (const name of ['old.csv', 'new.csv']) {
    symlinkSync(`real/${name}`, join(folder, name))
    symlinkSync(name, join(folder, `to-${name}`))
    await write(join(folder, `to-${name}`), 'rows')
    expect(readFileSync(join(folder, 'real', name), 'utf8')).toBe('rows')
    for (const link of [name, `to-${name}`]) expect(lstatSync(join(folder, link)).isSymbolicLink()).toBe(true)
  }
  expect(readdirSync(join(folder, 'real')).sort()).toEqual(['new.csv', 'old.csv'])
})

test.each(ways)('%s to a link that leads in a circle is an error', async (_, write) => {
  const folder = newFolder()
  symlinkSync('b', join(folder, 'a'))
  symlinkSync('a', join(folder, 'b'))
  await expect(write(join(folder, 'a'), 'rows')).rejects.toMatchObject({ code: 'ELOOP' })
  expect(readdirSync(folder).sort()).toEqual(['a', 'b'])
})

test.each(ways)('%s goes to the end of an open file, such as the standard output in a log', async (_, write) => {
  const folder = newFolder()
  const [log, link] = [join(folder, 'log'), join(folder, 'stdout')]
  writeFileSync(log, 'before, ')
  const before = statSync(log).ino
  const open = openSync(log, 'a')
  symlinkSync(`/dev/fd/${open}`, link)
  await write(link, 'rows')
  closeSync(open)
  expect(readFileSync(log, 'utf8')).toBe('before, rows')
  expect(statSync(log).ino).toBe(before)
  expect(readdirSync(folder).sort()).toEqual(['log', 'stdout'])
})

test('what is given up leaves the old file and no draft', async () => {
  const folder = newFolder()
  const file = join(folder, 'answer.csv')
  writeFileSync(file, 'old')
  const output = await openOutput(file)
  await output.write('new')
  await output.discard()
  expect(readFileSync(file, 'utf8')).toBe('old')
  expect(readdirSync(folder)).toEqual(['answer.csv'])
})
