import { z } from 'zod'
import { listShape } from './list-schema.ts'
import { servicesSchema } from './service-schema.ts'

/** The parts of a JSON Schema that lead to keys. */
type Node = {
  readonly properties?: Readonly<Record<string, Node>>
  readonly additionalProperties?: Node | boolean
  readonly items?: Node
  readonly anyOf?: readonly Node[]
  readonly oneOf?: readonly Node[]
}

/** The allowed keys at a path of `services` or `lists`. */
export function keysOfLists(path: readonly PropertyKey[]): string[] {
  const whole = z.object({ services: servicesSchema, lists: z.record(z.string(), listShape) })
  let nodes = [z.toJSONSchema(whole, { io: 'input' }) as Node]
  for (const key of path) nodes = nodes.flatMap(alternatives).flatMap((node) => below(node, String(key)))
  return [...new Set(nodes.flatMap(alternatives).flatMap(({ properties = {} }) => Object.keys(properties)))]
}

function alternatives(node: Node): Node[] {
  return [node, ...(node.anyOf ?? []), ...(node.oneOf ?? [])]
}

function below({ properties = {}, additionalProperties, items }: Node, key: string): Node[] {
  const own = Object.hasOwn(properties, key) ? properties[key] : undefined
  const other = typeof additionalProperties === 'object' ? additionalProperties : items
  return [own ?? other].filter((node) => node !== undefined)
}
