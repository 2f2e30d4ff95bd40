import { statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageRoot } from '../../src/lib/package.ts'
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

describe('documents about the code', () => {
  const aboutCode = documents.filter((path) =>
    /^(CONTRIBUTING\.md|(src|pipelines|docs\/explanation)\/.*\.md)$/.test(path),
  )

  /** Each word of a document that ends like a file of code, and each code word that ends like a folder. */
  const namedIn = (text: string): string[] => [
    ...[...text.matchAll(/[\w@./-]+\.(?:ts|mjs|sql)\b/g)].map(([name]) => name),
    ...[...text.matchAll(/`((?:[\w.-]+\/)+)`/g)].map(([, name]) => name!),
  ]
  const isKnown = (name: string): boolean => {
    const path = `/${name.replace(/^(\.\.?\/)+/, '')}`
    return files.some((file) => (path.endsWith('/') ? `/${file}`.includes(path) : `/${file}`.endsWith(path)))
  }

  test('name files and folders that exist', () => {
    // Patterns of names, and what a build or a run writes.
    const isNoFile = (name: string) => /^(x\.|views\.sql$|data\/$|dist\/$)/.test(name)
    const named = aboutCode.flatMap((document) => namedIn(readDocument(document)).map((name) => ({ document, name })))
    expect(named.length).toBeGreaterThan(100)
    const dead = named.filter(({ name }) => !isNoFile(name) && !isKnown(name))
    expect(dead.map(({ document, name }) => `${document}: ${name}`)).toEqual([])
  })

  test('src/README.md says what each folder of src/ and of src/run/ is for', () => {
    const text = readDocument('src/README.md')
    const folders = files.flatMap((path) => /^src\/(?:run\/)?([\w-]+)\//.exec(path)?.[1] ?? [])
    expect([...new Set(folders)].filter((folder) => !text.includes(`\`${folder}/\``))).toEqual([])
  })

  test('name scripts that exist', () => {
    const { scripts } = JSON.parse(readDocument('package.json')) as { scripts: Record<string, string> }
    const dead = documents.flatMap((document) =>
      [...readDocument(document).matchAll(/\bnpm run ([\w:-]+)|(?<![\w/])(\.ci\/[\w-]+)/g)]
        .filter(([, script, part]) => (script === undefined ? !files.includes(part!) : !(script in scripts)))
        .map(([text]) => `${document}: ${text}`),
    )
    expect(dead).toEqual([])
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
