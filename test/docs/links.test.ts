import { statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageRoot } from '../../src/lib/files/package-root.ts'
import { checkoutFiles, readDocument } from './documents.ts'
import { anchorsOf, linksOf, longLines } from './markdown.ts'

const files = checkoutFiles()
const documents = files.filter((path) => path.endsWith('.md'))
const pictures = files.filter((path) => path.startsWith('docs/pictures/'))
const links = documents.flatMap((document) =>
  linksOf(readDocument(document))
    .filter(({ target }) => !/^([a-z][a-z+.-]*:|\/\/)/i.test(target))
    .map((link) => ({ ...link, document, file: fileOf(document, link.target), anchor: anchorOf(link.target) })),
)

function fileOf(document: string, target: string): string {
  const [path = ''] = target.split('#')
  if (path === '') return document
  return posix.normalize(posix.join(posix.dirname(document), decodeURIComponent(path))).replace(/\/$/, '')
}

function anchorOf(target: string): string | undefined {
  const at = target.indexOf('#')
  return at === -1 ? undefined : decodeURIComponent(target.slice(at + 1))
}

/** Folders are shown with what they contain. */
const exists = (file: string): boolean =>
  file === '.' || files.includes(file) || files.some((path) => path.startsWith(`${file}/`))

describe('links of the documents', () => {
  test('lead to files of the checkout, pictures too', () => {
    expect(links.length).toBeGreaterThan(50)
    const dead = links.filter(({ file }) => !exists(file))
    expect(dead.map(({ document, line, target }) => `${document}:${line}: ${target}`)).toEqual([])
  })

  test('lead to headings', () => {
    const anchors = new Map<string, Set<string>>()
    const anchorsIn = (path: string) => {
      if (!anchors.has(path)) anchors.set(path, anchorsOf(readDocument(path)))
      return anchors.get(path)!
    }
    const dead = links.filter(
      ({ file, anchor }) => anchor !== undefined && documents.includes(file) && !anchorsIn(file).has(anchor),
    )
    expect(dead.map(({ document, line, target }) => `${document}:${line}: ${target}`)).toEqual([])
  })
})

describe('what a reader sees at once', () => {
  test('the README has at most 150 lines', () => {
    expect(readDocument('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150)
  })

  test('no line of prose is longer than 140 characters', () => {
    const long = documents.flatMap((document) =>
      longLines(readDocument(document), 140).map((line) => `${document}:${line}`),
    )
    expect(long).toEqual([])
  })

  test('each picture is in a document, and together they have at most 200 kB', () => {
    const shown = new Set(links.map(({ file }) => file))
    expect(pictures.filter((path) => !path.endsWith('.md') && !shown.has(path))).toEqual([])
    const bytes = pictures.reduce((sum, path) => sum + statSync(join(packageRoot(), path)).size, 0)
    expect(bytes).toBeLessThanOrEqual(200_000)
  })
})
