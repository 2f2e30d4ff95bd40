/**
 * Copies the declarations that programs need to `dist/types`: those of the library's entry, and those that they name. The compiler declares
 * everything of every module, and the types of all transactions of a chain alone take a megabyte. Plain JavaScript, because the build runs it.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const built = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist')
const folder = join(built, 'types')

/** A statement begins at the beginning of a line, with its comment. */
const beginning = /^(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?(?=(?:export|declare|import|type|interface) )/gm
const declaration = /^(?:export )?(?:declare )?(?:abstract )?(?:function|const|let|class|type|interface|enum) ([\w$]+)/
const listed = /^(?:import|export)(?: type)? \{([^}]*)\} from ['"](\.[^'"]+)\.[jt]s['"]/
const whole = /^(?:import|export)(?: type)? \*(?: as ([\w$]+))? from ['"](\.[^'"]+)\.[jt]s['"]/
const inline = /import\("(\.[^"]+)\.[jt]s"\)\.([\w$]+)/g

/** The statements of a declaration file, and which of them declare a name. */
function readDeclarations(path) {
  const file = { statements: [], own: new Map(), stars: [] }
  const source = readFileSync(path, 'utf8')
  const target = (from) => join(dirname(path), `${from}.d.ts`)
  const add = (name, meaning) => file.own.set(name, [...(file.own.get(name) ?? []), meaning])
  const starts = Array.from(source.matchAll(beginning), ({ index, 0: { length } }) => ({ index, length }))
  for (const [at, { index, length }] of starts.entries()) {
    const text = source.slice(index + length, starts[at + 1]?.index)
    const statement = { comment: source.slice(index, index + length), text, isKept: false, names: null, target }
    file.statements.push(statement)
    const list = listed.exec(text)
    const star = whole.exec(text)
    const name = declaration.exec(text)?.[1]
    if (list !== null) {
      statement.names = namesIn(list[1])
      for (const each of statement.names) add(each.alias, { statement, each, from: target(list[2]), name: each.name })
    } else if (star !== null && star[1] === undefined) file.stars.push({ statement, from: target(star[2]) })
    else if (star !== null) add(star[1], { statement, from: target(star[2]), name: null })
    else if (name !== undefined) add(name, { statement })
    else statement.isKept = true
  }
  return file
}

function namesIn(list) {
  const written = list.split(',').map((each) => each.trim())
  return written
    .filter((each) => each !== '')
    .map((each) => {
      const [name, alias = name] = each.replace(/^type /, '').split(' as ')
      return { written: each, name, alias, isKept: false }
    })
}

const files = new Map()
function fileAt(path) {
  const file = files.get(path) ?? readDeclarations(path)
  files.set(path, file)
  return file
}

function hasName(file, name) {
  return file.own.has(name) || file.stars.some(({ from }) => hasName(fileAt(from), name))
}

/** Keeps what a name means in a file, with all that it names itself. */
function keep(file, name) {
  const star = file.own.has(name) ? undefined : file.stars.find(({ from }) => hasName(fileAt(from), name))
  if (star !== undefined) {
    star.statement.isKept = true
    keep(fileAt(star.from), name)
  }
  for (const { statement, each = statement, from, name: original } of file.own.get(name) ?? []) {
    if (each.isKept) continue
    each.isKept = true
    statement.isKept = true
    if (from === undefined) keepNamed(file, statement)
    else if (original === null) keepExports(fileAt(from))
    else keep(fileAt(from), original)
  }
}

function keepNamed(file, { text, target }) {
  for (const [, path, name] of text.matchAll(inline)) keep(fileAt(target(path)), name)
  for (const [word] of text.matchAll(/[\w$]+/g)) keep(file, word)
}

function keepExports(file) {
  for (const [name, meanings] of file.own)
    if (meanings.some(({ statement }) => statement.text.startsWith('export '))) keep(file, name)
  for (const { statement, from } of file.stars) {
    statement.isKept = true
    keepExports(fileAt(from))
  }
}

keepExports(fileAt(join(built, 'src/index.d.ts')))

rmSync(folder, { recursive: true, force: true })
for (const [path, { statements }] of files) {
  const copy = join(folder, relative(built, path))
  mkdirSync(dirname(copy), { recursive: true })
  const kept = statements.filter(({ isKept }) => isKept)
  const texts = kept.map(({ comment, text, names }) => {
    const left = names?.filter(({ isKept }) => isKept).map(({ written }) => written)
    return comment + (left === undefined ? text : text.replace(/\{[^}]*\}/, `{ ${left.join(', ')} }`))
  })
  // The compiler indents deep types by up to 80 spaces, which is most of such a file.
  writeFileSync(
    copy,
    texts.join('').replace(/^(?: {4})+/gm, (spaces) => ' '.repeat(spaces.length / 4)),
  )
}
