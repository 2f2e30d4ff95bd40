import { parse } from 'yaml'
import type { DocumentBlock } from './documents.ts'

/** What `commands.long.test.ts` does with a block: it types the commands, runs the query, or validates the settings. */
export type BlockKind = 'commands' | 'query' | 'settings'

const kinds: Readonly<Record<string, BlockKind>> = { sh: 'commands', sql: 'query', yaml: 'settings' }

/** Languages of what a program prints, and of pictures: they need not run. */
const printed = ['', 'text', 'json', 'mermaid']

/** Blocks of other languages that another test runs. It names the document. */
export const runElsewhere: readonly { readonly document: string; readonly language: string; readonly test: string }[] =
  [{ document: 'examples/python/README.md', language: 'python', test: '.ci/analysts' }]

/** The kind of a block that runs; undefined for one with a reason, and for text. */
export function kindOf({ language, notRun }: DocumentBlock): BlockKind | undefined {
  return notRun === undefined ? kinds[language] : undefined
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
  if (kindOf(block) !== undefined || printed.includes(language)) return ''
  if (runElsewhere.some((other) => other.document === document && other.language === language)) return ''
  return `no test runs ${language}: add <!-- not run: REASON --> in the line before the fence`
}
