import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDevnet } from '../../devnet/serve.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { chainlake, mainPath } from '../cli/spawn.ts'

/** What a reader of a document has: a folder with a lake and the files of the checkout, and a node. */
export type DocumentFolder = {
  readonly path: string
  /** Variables that stand for the terminal of the reader. */
  readonly env: Readonly<Record<string, string>>
  /** Replaces the address of the node in a text by that of the simulated network. */
  readonly withNode: (text: string) => string
  readonly remove: () => Promise<void>
}

/** Makes the folder of one document, with a copy of the lake as `output` and a simulated network of its own. */
export async function makeDocumentFolder(lake: string): Promise<DocumentFolder> {
  const root = await mkdtemp(join(tmpdir(), 'chainlake-document-'))
  const path = join(root, 'chainlake')
  const programs = join(root, 'bin')
  const home = join(root, 'home')
  await Promise.all([path, programs, home].map((folder) => mkdir(folder)))
  await cp(lake, join(path, 'output'), { recursive: true })
  // Copies, so that no command of a document can change the checkout.
  for (const name of ['examples', 'pipelines', 'schemas', 'chainlake.schema.json'])
    await cp(join(packageRoot(), name), join(path, name), { recursive: true })
  const views = await chainlake(['views', '--lake', join(path, 'output')])
  if (views.code !== 0) throw new Error(`The copy of the lake has no views:\n${views.stderr}`)
  await writeProgram(join(programs, 'npx'), npx)
  const { url, port, close } = await startDevnet()
  return {
    path,
    env: {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('CHAINLAKE_'))),
      PATH: `${programs}:${process.env['PATH']}`,
      HOME: home,
      NO_COLOR: '1',
      DEVNET_URL: url,
      CHAINLAKE_NODE_URL: url,
      CHAINLAKE_DATA_URL: url,
      CHAINLAKE_METRICS_URL: url,
    },
    withNode: (text) => text.replace(/\b(127\.0\.0\.1|localhost):9650\b/g, `127.0.0.1:${port}`),
    remove: async () => {
      await close()
      await rm(root, { recursive: true, force: true })
    },
  }
}

async function writeProgram(path: string, text: string): Promise<void> {
  await writeFile(path, text)
  await chmod(path, 0o755)
}

/** npx of a checkout that was built. A deadline of seconds may leave work on a busy machine (exit code 7), as the documents say. */
const npx = `#!/bin/sh
if [ "$1" != chainlake ]; then echo "The test has no npx $1." >&2; exit 127; fi
shift
case "$*" in
  *--deadline*) '${process.execPath}' '${mainPath}' "$@" || { code=$?; [ $code = 7 ] || exit $code; } ;;
  *) exec '${process.execPath}' '${mainPath}' "$@" ;;
esac
`
