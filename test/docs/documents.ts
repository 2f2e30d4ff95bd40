import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../src/lib/package.ts'
import { type Block, blocksOf } from './markdown.ts'

const root = packageRoot()

/** Every file of the checkout that git has or would add, from the root, with `/`. */
export function checkoutFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  return [...new Set(listed.split('\0'))].filter((path) => path !== '' && existsSync(join(root, path))).sort()
}

export function readDocument(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** A block of a document. */
export type DocumentBlock = Block & { readonly document: string }

const typedByReaders = /^(README\.md|docs\/.+\.md|examples\/(.+\/)?README\.md|pipelines\/README\.md|src\/README\.md)$/

/** The blocks of the documents whose commands, queries and settings a reader types, by document. */
export function blocksByDocument(): Map<string, DocumentBlock[]> {
  const paths = checkoutFiles().filter((path) => typedByReaders.test(path))
  return new Map(
    paths.map((document) => [document, blocksOf(readDocument(document)).map((block) => ({ ...block, document }))]),
  )
}
