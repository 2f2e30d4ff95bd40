import { parse } from 'yaml'
import type { DocumentBlock } from './documents.ts'

/** What `commands.long.test.ts` does with a block: it types the commands, runs the query, or validates the settings. */
export type BlockKind = 'commands' | 'query' | 'settings'

const kinds: Readonly<Record<string, BlockKind>> = { sh: 'commands', sql: 'query', yaml: 'settings' }

/** Languages of what a program prints, and of pictures: they need not run. */
const printed = ['', 'text', 'json', 'mermaid']

/** Blocks of other languages that another test runs. It names the document. */
export const runElsewhere: readonly { readonly document: string; readonly language: string; readonly test: string }[] =
  [{ document: 'examples/python/README.md', language: 'python', test: '.ci/full' }]

/** Commands of the checkout that other tests cover: `test/docs/commands.long.test.ts` and every run of the tests. */
const coveredCommands = ['npm run demo', 'npm test']

const isCovered = ({ language, text }: DocumentBlock): boolean =>
  language === 'sh' &&
  text
    .split('\n')
    .map((line) => line.replace(/\s*#.*/, '').trim())
    .every((line) => line === '' || coveredCommands.includes(line))

/** The kind of a block that runs; undefined for one with a reason, for text, and for commands that other tests cover. */
export function kindOf(block: DocumentBlock): BlockKind | undefined {
  return block.notRun === undefined && !isCovered(block) ? kinds[block.language] : undefined
}

/** First-level keys of a block of YAML. */
export function yamlKeys(text: string): string[] {
  const parsed: unknown = parse(text)
  return typeof parsed === 'object' && parsed !== null ? Object.keys(parsed) : []
}

/** What is wrong with a block that neither runs nor says why; empty for nothing. */
export function whyNeither(block: DocumentBlock): string {
  const { document, language, notRun } = block
  if (notRun !== undefined) return notRun.trim().split(/\s+/).length < 2 ? 'the reason needs at least two words' : ''
  if (kinds[language] !== undefined || printed.includes(language)) return ''
  if (runElsewhere.some((other) => other.document === document && other.language === language)) return ''
  return `no test runs ${language}: add <!-- not run: REASON --> in the line before the fence`
}
