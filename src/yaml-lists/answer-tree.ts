import {
  finish,
  ignore,
  optionalObject,
  optionalObjects,
  pathOf,
  type Reading,
  raw,
  required,
  wrong,
} from '../decode/json/fields.ts'
import { pathSteps } from './json-path.ts'

/** The values that were read, by name. */
export type ReadValues = Record<string, unknown>

/** A field to read, under a name of its own. */
export type TreeField = {
  readonly name: string
  readonly path: string
  /** Whether the value may be missing; a list of elements is null then. */
  readonly nullable: boolean
  readonly read: (at: Reading, field: string) => unknown
}

/** Reads all fields below an object into `values`. Fields that are not in the tree count as unknown when the object ends. */
export type ReadTree = (at: Reading, values: ReadValues) => void

type Node = {
  readonly leaves: (TreeField & { readonly field: string })[]
  readonly elements: (TreeField & { readonly field: string })[]
  readonly objects: Map<string, Node>
  readonly lists: Map<string, Node>
  readonly ignored: string[]
}

/**
 * Makes a reader of fields by their paths. It visits each object of an answer once, whatever the number of fields in it, so that a field is
 * reported as unknown only if no path names it.
 */
export function readTree(fields: readonly TreeField[], ignored: readonly string[]): ReadTree {
  const root = newNode()
  for (const field of fields) addField(root, field)
  for (const path of ignored) {
    const { node, field } = nodeAt(root, path)
    node.ignored.push(field)
  }
  return (at, values) => readNode(root, at, values)
}

function newNode(): Node {
  return { leaves: [], elements: [], objects: new Map(), lists: new Map(), ignored: [] }
}

function addField(root: Node, field: TreeField): void {
  const { node, field: name, each } = nodeAt(root, field.path)
  const added = { ...field, field: name }
  if (each) node.elements.push(added)
  else node.leaves.push(added)
}

/** The node with the last field of a path, and that field. */
function nodeAt(root: Node, path: string): { readonly node: Node; readonly field: string; readonly each: boolean } {
  const steps = pathSteps(path)
  const last = steps?.at(-1)
  if (steps === null || last === undefined) throw new RangeError(`${path} is no path.`)
  let node = root
  for (const { name, each } of steps.slice(0, -1)) {
    const below = each ? node.lists : node.objects
    const next = below.get(name) ?? newNode()
    below.set(name, next)
    node = next
  }
  return { node, field: last.name, each: last.each }
}

function readNode(node: Node, at: Reading, values: ReadValues): void {
  for (const { name, field, read } of node.leaves) values[name] = read(at, field)
  for (const element of node.elements) values[element.name] = readElements(element, at)
  ignore(at, ...node.ignored)
  for (const [name, inner] of node.objects) readObject(inner, at, name, values)
  for (const [name, inner] of node.lists) readList(inner, at, name, values)
}

/** Reads an object that may be missing if all of its fields may be. */
function readObject(node: Node, at: Reading, name: string, values: ReadValues): void {
  const found = optionalObject(at, name, (inner) => {
    readNode(node, inner, values)
    return true
  })
  if (found === null) setMissing(node, at, name, values)
}

/** Reads a list of objects: each field becomes the list of its values. */
function readList(node: Node, at: Reading, name: string, values: ReadValues): void {
  const items = optionalObjects(at, name, (inner) => {
    const item: ReadValues = {}
    readNode(node, inner, item)
    return item
  })
  if (items === null) setMissing(node, at, name, values)
  else for (const field of fieldsOf(node)) values[field.name] = items.map((item) => item[field.name])
}

function setMissing(node: Node, at: Reading, name: string, values: ReadValues): void {
  for (const field of fieldsOf(node)) {
    if (!field.nullable) required(null, at, name)
    values[field.name] = null
  }
}

function fieldsOf(node: Node): TreeField[] {
  const below = [...node.objects.values(), ...node.lists.values()]
  return [...node.leaves, ...node.elements, ...below.flatMap(fieldsOf)]
}

/** Reads a list of texts or numbers. */
function readElements({ nullable, read, field }: TreeField & { readonly field: string }, at: Reading): unknown {
  const value = raw(at, field)
  if (value === undefined) return nullable ? null : required(null, at, field)
  if (!Array.isArray(value)) throw wrong(pathOf(at, field), 'is no list', value)
  return value.map((item, position) => {
    const name = `${field}[${position}]`
    const shape = { known: new Set<string>(), usual: [], inner: new Map() }
    return read({ ...at, object: { [name]: item }, shape }, name)
  })
}

/** Reads an object with a tree and reports its unknown fields. */
export function readWhole(tree: ReadTree, at: Reading): ReadValues {
  const values: ReadValues = {}
  tree(at, values)
  finish(at)
  return values
}
