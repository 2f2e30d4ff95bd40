import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { kinds } from '../../src/decode/json/kinds.ts'
import { t } from '../../src/define/index.ts'
import { packageRoot } from '../../src/lib/package.ts'
import { codeBlock, markdownTable, type Pages } from './markdown.ts'

/** The pages that are made of types and docstrings of sources. */
export const sourcePages: Pages = {
  // For programs that read the output of `--json`, log lines and events.
  'docs/reference/json.md': {
    types: (...names) => `<!-- not run: types, not a program -->\n${codeBlock('ts', names.map(typeText).join('\n\n'))}`,
  },
  // What modules declare: columns, paths, readers, lists with their hooks, and walks.
  'docs/reference/library.md': {
    columns: () =>
      markdownTable(
        ['column', 'holds', 'read as, unless `at` says otherwise'],
        membersOf(column, 'export const t = {')
          .filter(({ name }) => name !== 'list' && name !== 'struct')
          .map(({ name, comment }) => [`\`t.${name}\``, comment, `\`${readerOf(name)}\``]),
      ),
    methods: () => table('method', column, 'export type DeclaredColumn<V = any> = Column<V> & {'),
    readers: () =>
      markdownTable(
        ['reader', 'reads', 'refuses'],
        membersOf('src/decode/json/kinds.ts', 'export const kinds = {').map(({ name, comment }) => [
          `\`${name}\``,
          comment,
          refusalOf(name),
        ]),
      ),
    lists: () =>
      table('field of the declaration', readers, 'export type ListDeclaration<T extends Tables> = RowHooks & {'),
    hooks: () => table('hook of rows', readers, 'type RowHooks = {'),
    walk: (name) => table('field', list, `export type ${name}<T extends Tables = any> = {`),
  },
}

/**
 * The declaration of a type of src/, with its comments, as readers of JSON need it: without `export` and `readonly`, which say nothing about
 * values. It is written as `TYPE`, or as `FILE.ts#TYPE` where several files declare one of this name.
 */
export function typeText(written: string): string {
  const [file, name] = written.includes('#') ? written.split('#', 2) : ['', written]
  const declared = new RegExp(`^(?:export )?type ${name}\\b`, 'm')
  const found = sources().flatMap(([path, text]) => {
    const at = path.endsWith(`/${file}`) || file === '' ? text.search(declared) : -1
    return at < 0 ? [] : [text.slice(at)]
  })
  const [declaration, ...others] = found
  if (declaration === undefined || others.length > 0)
    throw new RangeError(`${found.length} files of src/ declare the type ${written}: name it as FILE.ts#TYPE.`)
  // The formatter ends a declaration with the first line that is not indented and begins no member of a union.
  const lines = declaration.split('\n')
  const end = lines.findIndex((line, number) => number > 0 && (line === '' || /^[})]/.test(line)))
  const last = lines[end] === '' ? end : end + 1
  return lines
    .slice(0, last)
    .join('\n')
    .replace(/^export /, '')
    .replaceAll(/\breadonly /g, '')
}

let read: readonly (readonly [path: string, text: string])[] | undefined

/** The files of src/ and their texts. */
function sources() {
  const folder = join(packageRoot(), 'src')
  read ??= readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => [`/${path}`, readFileSync(join(folder, path), 'utf8')] as const)
  return read
}

const [column, list, readers] = ['src/define/column.ts', 'src/define/list.ts', 'src/decode/list-reader.ts']

function readerOf(name: string): string {
  return (t[name as 'text']('A column.') as { readonly reader: string }).reader
}

function refusalOf(name: string): string {
  const { complaint } = kinds[name as keyof typeof kinds]
  return typeof complaint === 'string' ? complaint : complaint({})
}

function table(what: string, file: string, start: string): string {
  return markdownTable(
    [what, 'meaning'],
    membersOf(file, start)
      .filter(({ name }) => name !== 'kind' && name !== 'parts')
      .map(({ name, comment }) => [`\`${name}\``, comment]),
  )
}

type Member = { readonly name: string; readonly comment: string }

/** The members of a declaration in a source, with their docstrings. */
function membersOf(file: string, start: string): Member[] {
  const text = readFileSync(join(packageRoot(), file), 'utf8')
  const from = text.indexOf(start)
  if (from < 0) throw new RangeError(`${file} has no ${start}`)
  const body = text.slice(from + start.length, text.indexOf('\n}', from))
  const members = [...body.matchAll(/(?:\n {2}\/\*\*((?:[^*]|\*(?!\/))*)\*\/)?\n {2}(?:readonly )?(\w+)\??[:,(]/g)]
  return members.map(([, comment = '', name = '']) => ({
    name,
    comment: comment
      .replace(/\n\s*\*/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  }))
}
