/**
 * Writes `pipelines/shared/by-name.ts`, the list of all pipelines. Each file of `pipelines/` holds one, named after the file. A new pipeline
 * comes after the last one with the same first word; the others keep their order, which is that of the documentation. Plain JavaScript,
 * because `npm run ids` runs it before it compiles.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'pipelines')
const path = join(folder, 'shared/by-name.ts')
const { compare } = new Intl.Collator('en', { numeric: true })

const names = readdirSync(folder)
  .filter((file) => file.endsWith('.ts') && file !== 'index.ts')
  .map((file) => file.slice(0, -'.ts'.length))
  .sort(compare)
const before = Array.from(readFileSync(path, 'utf8').matchAll(/import\('\.\.\/([\w-]+)\.ts'\)/g), ([, name]) => name)
const listed = before.filter((name) => names.includes(name))
for (const name of names.filter((name) => !listed.includes(name))) {
  const last = listed.findLastIndex((other) => other.split('-')[0] === name.split('-')[0])
  listed.splice(last === -1 ? listed.length : last + 1, 0, name)
}

const lists = Array.from(readFileSync(join(folder, 'lists.yaml'), 'utf8').matchAll(/^([\w-]+):/gm), ([, name]) => name)
const keyOf = (name) => (name.includes('-') ? `'${name}'` : name)
const constantOf = (name) => `${name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())}Pipeline`
writeFileSync(
  path,
  [
    '// npm run ids writes this file from the files of pipelines/ and from pipelines/lists.yaml. You may change the order.',
    "import type { Pipeline } from '../../src/define/index.ts'",
    '',
    '/**',
    ' * Loads one of the pipelines in code: a run loads those that its jobs name, and not the decoders of the others. In the order of the',
    ' * documentation.',
    ' */',
    'export const pipelineFiles: { readonly [name: string]: () => Promise<Pipeline> } = {',
    ...listed.map((name) => `  ${keyOf(name)}: async () => (await import('../${name}.ts')).${constantOf(name)},`),
    '}',
    '',
    '/** The names of the lists that come with the package, which are known without reading and compiling them. */',
    'export const listNames: readonly string[] = [',
    ...lists.map((name) => `  '${name}',`),
    ']\n',
  ].join('\n'),
)
