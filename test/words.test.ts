import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageRoot } from '../src/lib/package.ts'

/** Phrases to avoid, and what to write instead. */
const phrases: readonly (readonly [phrase: RegExp, better: string])[] = [
  [/\banew\b/i, 'again'],
  [/\bnobody\b/i, 'name who: no process, no run, no caller'],
  [/\bof before\b(?![.?)])/i, 'from before, or earlier'],
  [/\blet be\b/i, 'left unchanged'],
  [/\bwhen absent\b/i, 'default'],
  [/\b(is|are) told\b(?! (apart|from))/i, 'is logged, is reported, or is called with'],
  [/\bmend(s|ed|ing)?\b/i, 'fix'],
  [/\bgone on with\b/i, 'resumed'],
  [/\black(s|ed|ing)?\b/i, 'is missing, or has no'],
  [/\bbeside\b/i, 'next to, compared with, or concurrent'],
  [/\bgo(es)? on\b/i, 'resumes, or continues'],
]

const root = packageRoot()
const below = (folder: string, ending: RegExp) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => ending.test(path))
    .map((path) => join(folder, path))

const documents = readdirSync(root).filter((name) => /\.md$/.test(name))
const sources = ['codec', 'devnet', 'src', 'pipelines', 'schemas', 'tools', 'examples', 'bench'].flatMap((folder) =>
  below(folder, /\.(ts|mjs|md|ya?ml|sh|py)$/),
)
const tests = below('test', /\.test\.ts$/)

/** Lines with one of the phrases, as `path:line: phrase (better)`. */
function found(path: string, isRead: (line: string) => boolean = () => true): string[] {
  const lines = readFileSync(join(root, path), 'utf8').split('\n')
  return lines.flatMap((line, at) =>
    phrases
      .filter(([phrase]) => isRead(line) && phrase.test(line))
      .map(([phrase, better]) => `${path}:${at + 1}: ${phrase.exec(line)?.[0]} (say: ${better})`),
  )
}

test('commands in messages quote the paths and names in them, so that a person can copy them', () => {
  const unquoted = /(--(lake|location|config|stream|except)|chainlake restore|chmod u\+w) \$\{(?!shellText\()/
  const messages = below('src', /\.ts$/).flatMap((path) => {
    const lines = readFileSync(join(root, path), 'utf8').split('\n')
    return lines.flatMap((line, at) => (unquoted.test(line) ? [`${path}:${at + 1}`] : []))
  })
  expect(messages).toEqual([])
})

describe('unclear phrases', () => {
  test('do not occur in sources and documents', () => {
    expect([...documents, ...sources].flatMap((path) => found(path))).toEqual([])
  })

  test('do not occur in titles of tests', () => {
    const isTitle = (line: string) => /\b(test|describe)(\.\w+)*\(/.test(line)
    expect(tests.filter((path) => path !== 'test/words.test.ts').flatMap((path) => found(path, isTitle))).toEqual([])
  })
})
