import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../src/lib/package.ts'
import { documents } from '../../tools/docs/documents.ts'
import { proseOf } from './markdown.ts'

const generated = documents()

test.each(generated)('$path is up to date (`npm run docs` updates it)', ({ path, text }) => {
  expect(readFileSync(join(packageRoot(), path), 'utf8')).toBe(text)
})

test('every file of docs/reference is generated, except the table of error codes', () => {
  const files = readdirSync(join(packageRoot(), 'docs/reference'), { recursive: true, encoding: 'utf8' })
  const pages = files.filter((path) => path.endsWith('.md')).map((path) => `docs/reference/${path}`)
  const paths = generated.map(({ path }) => path).filter((path) => path.startsWith('docs/reference/'))
  expect(pages.toSorted()).toEqual([...paths, 'docs/reference/errors.md'].toSorted())
})

test('lines of generated prose have at most 120 columns', () => {
  const prose = generated.flatMap(({ path, text }) =>
    proseOf(text)
      .filter((line) => !line.text.startsWith('|') && !line.text.startsWith('<!--'))
      .map((line) => `${path}: ${line.text}`),
  )
  expect(prose.filter((line) => line.slice(line.indexOf(': ') + 2).length > 120)).toEqual([])
})
