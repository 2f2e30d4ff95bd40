import { createHash } from 'node:crypto'
import { link, mkdir, open, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { tables } from '../../schemas/index.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import type { Table } from '../../src/define/index.ts'
import type { Part } from '../../src/model.ts'
import { dataFilePath } from '../../src/store/data-file-path.ts'
import { leafStats, readFooter } from '../../src/write/footer.ts'

type Copied = Omit<Part, 'path'> & { readonly lies: string; readonly of: Table }

/** Commits the files of a lake again under other names, for another stream, until there are `count` more files. */
export async function copyFiles(lake: string, count: number): Promise<void> {
  const catalog = await openCatalog({ folder: lake }, tables)
  const originals = await partsOf(lake, await catalog.files())
  const stream = { network: 'local', path: 'copies/block', parameters: {} }
  const run = await catalog.startRun({ streams: [stream], command: 'run' })
  const names = [...new Set(originals.map(({ table }) => table))]
  for (let from = 0; from * originals.length < count; from += 100) {
    const parts: Part[] = []
    for (let copy = from; copy < from + 100; copy++)
      for (const { lies, of, ...part } of originals) {
        const path = dataFilePath(of, part.partition, { from: copy, runId: run.id, sequence: parts.length })
        await mkdir(dirname(join(lake, path)), { recursive: true })
        await link(lies, join(lake, path))
        parts.push({ ...part, path })
      }
    const slice = { from, to: from + 100 }
    const progress = { kind: 'slice', slice, ends: null } as const
    await catalog.commit({ runId: run.id, stream, tables: names, parts, progress, basis: null })
  }
  await run.end('done')
}

async function partsOf(
  lake: string,
  { tables: known }: Awaited<ReturnType<Awaited<ReturnType<typeof openCatalog>>['files']>>,
): Promise<Copied[]> {
  const parts: Copied[] = []
  for (const { name, files } of known)
    for (const { path, rows, bytes, partition } of files) {
      const of = tables.find((table) => table.name === name)!
      const lies = join(lake, path)
      const file = await open(lies)
      const footer = await readFooter(file, bytes).finally(() => file.close())
      parts.push({
        table: name,
        rows,
        bytes,
        partition,
        footerBytes: footer.bytes,
        sha256: createHash('sha256')
          .update(await readFile(lies))
          .digest('hex'),
        stats: leafStats(of, footer),
        lies,
        of,
      })
    }
  return parts
}
