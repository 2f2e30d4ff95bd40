import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { queryLake } from '../../src/views/query.ts'
import { chainlake } from '../cli/spawn.ts'
import { type BlockKind, kindOf } from './block-kinds.ts'
import { type DocumentFolder, makeDocumentFolder } from './document-folder.ts'
import type { DocumentBlock } from './documents.ts'
import { openShell, type Shell } from './shell.ts'

type Reader = { readonly folder: DocumentFolder; readonly shell: Shell }

/**
 * Does what a reader of a document does, from its first block to its last one, in one folder with a copy of the lake. Returns what failed,
 * with the line of the document.
 */
export async function runDocument(blocks: readonly DocumentBlock[], lake: string): Promise<string[]> {
  const folder = await makeDocumentFolder(lake)
  const shell = openShell(folder.path, folder.env)
  const failures: string[] = []
  try {
    for (const block of blocks) {
      const kind = kindOf(block)
      if (kind === undefined) continue
      const text = folder.withNode(block.text)
      const failure = await ways[kind](text, { folder, shell })
      if (failure !== undefined)
        failures.push(`${block.document}:${block.line + failure.line}: ${failure.command}\n${failure.message}`)
    }
  } finally {
    shell.close()
    await folder.remove()
  }
  return failures
}

/** A failure in a block: the line is from 1 in its text. */
type Failure = { readonly line: number; readonly command: string; readonly message: string }

const ways: Readonly<Record<BlockKind, (text: string, reader: Reader) => Promise<Failure | undefined>>> = {
  commands: async (text, { shell }) => {
    const { failed, stderr } = await shell.type(text)
    return failed && { ...failed, message: stderr }
  },
  query: async (text, { folder }) => {
    try {
      const { chunks } = await queryLake(join(folder.path, 'output'), text)
      for await (const _ of chunks);
      return undefined
    } catch (error) {
      return { line: 1, command: 'query', message: String(error) }
    }
  },
  settings: async (text, { folder }) => {
    const config = writeSettings(text, folder.path)
    const { code, stderr } = await chainlake(['validate', '--config', config], { cwd: folder.path, env: folder.env })
    return code === 0 ? undefined : { line: 1, command: 'chainlake validate', message: stderr }
  },
}

/**
 * Settings of a document become its chainlake.yaml, which later commands read and later settings replace. One that a command wrote stays;
 * settings after it are only examples.
 */
function writeSettings(text: string, folder: string): string {
  const [config, last] = [join(folder, 'chainlake.yaml'), join(folder, 'last-settings.yaml')]
  const isOurs =
    !existsSync(config) || (existsSync(last) && readFileSync(config, 'utf8') === readFileSync(last, 'utf8'))
  writeFileSync(last, text)
  if (isOurs) writeFileSync(config, text)
  return isOurs ? config : last
}
