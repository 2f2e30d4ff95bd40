/**
 * Writes `schemas/index.ts` and `pipelines/index.ts`. Each file of these folders holds one declaration, named after the file. A new
 * declaration comes after the last one with the same first word; the others keep their order, which is that of the documentation. Also
 * writes `pipelines/shared/by-name.ts`. Plain JavaScript, because `npm run ids` runs it before it compiles.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { compare } = new Intl.Collator('en', { numeric: true })

function writeIndex({ folder, list, type, suffix, comment }) {
  const path = join(root, folder, 'index.ts')
  const constantOf = (name) => `${name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())}${suffix}`
  const names = readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.ts') && file !== 'index.ts')
    .map((file) => file.slice(0, -'.ts'.length))
    .sort(compare)
  const order = Array.from(readFileSync(path, 'utf8').matchAll(/^ {2}(\w+),$/gm), ([, constant]) => constant)
  const listed = order.flatMap((constant) => names.filter((name) => constantOf(name) === constant))
  for (const name of names.filter((name) => !listed.includes(name))) {
    const last = listed.findLastIndex((other) => other.split('-')[0] === name.split('-')[0])
    listed.splice(last === -1 ? listed.length : last + 1, 0, name)
  }
  const lines = [
    '// npm run ids writes this file from the files of its folder. You may change the order of the list.',
    `import type { ${type} } from '../src/define/index.ts'`,
    ...names.map((name) => `import { ${constantOf(name)} } from './${name}.ts'`),
    '',
    `/** ${comment}, in the order of the documentation. */`,
    `export const ${list}: readonly ${type}[] = [`,
    ...listed.map((name) => `  ${constantOf(name)},`),
    ']',
  ]
  writeFileSync(path, `${lines.join('\n')}\n`)
  return names.map((name) => [name, constantOf(name)])
}

writeIndex({ folder: 'schemas', list: 'tables', type: 'Table', suffix: '', comment: 'Every table of the lake' })
const pipelines = writeIndex({
  folder: 'pipelines',
  list: 'pipelines',
  type: 'Pipeline',
  suffix: 'Pipeline',
  comment: 'Every pipeline',
})

const lists = Array.from(
  readFileSync(join(root, 'pipelines/lists.yaml'), 'utf8').matchAll(/^([\w-]+):/gm),
  ([, name]) => name,
)
const keyOf = (name) => (name.includes('-') ? `'${name}'` : name)
writeFileSync(
  join(root, 'pipelines/shared/by-name.ts'),
  [
    '// npm run ids writes this file from the files of pipelines/ and from pipelines/lists.yaml.',
    "import type { Pipeline } from '../../src/define/index.ts'",
    '',
    '/** Loads one of the pipelines in code: a run loads those that its jobs name, and not the decoders of the others. */',
    'export const pipelineFiles: { readonly [name: string]: () => Promise<Pipeline> } = {',
    ...pipelines.map(
      ([name, constant]) => `  ${keyOf(name)}: async () => (await import('../${name}.ts')).${constant},`,
    ),
    '}',
    '',
    '/** The names of the lists that come with the package, which are known without reading and compiling them. */',
    'export const listNames: readonly string[] = [',
    ...lists.map((name) => `  '${name}',`),
    ']\n',
  ].join('\n'),
)
