/** The part of a JSON Schema that documents show. */
export type JsonSchema = {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: JsonSchema | boolean
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly required?: readonly string[]
}

/** A key with how its value is written and what it means. */
export type KeyRow = readonly [key: string, value: string, meaning: string]

/** The keys of an object of a schema, each followed by the keys below it. A key of the user's choice is called NAME. */
export function keyRows(schema: JsonSchema, path: string): KeyRow[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([key, value]) =>
    withinRows(value, path === '' ? key : `${path}.${key}`, schema.required?.includes(key) === true),
  )
  return [...own, ...namedRows(schema, path)]
}

function namedRows({ additionalProperties: named }: JsonSchema, path: string): KeyRow[] {
  if (typeof named !== 'object') return []
  const inner = `${path}.NAME`
  return named.description !== undefined || named.properties === undefined
    ? withinRows(named, inner, false)
    : keyRows(named, inner)
}

/** The row of a key itself, and those of its alternatives and of what is below it. */
function withinRows(schema: JsonSchema, path: string, isRequired: boolean): KeyRow[] {
  const meaning = `${schema.description ?? ''}${isRequired ? ' Required.' : ''}`.trim()
  const kinds = alternatives(schema).filter(({ properties }) => properties !== undefined)
  return [
    [path, valueText(schema), meaning],
    ...kinds.flatMap((kind) => kindRows(kind, path)),
    ...keyRows(schema, path),
  ]
}

/** An alternative of an object with the key `kind`, whose description says what it does, or one without. */
function kindRows(schema: JsonSchema, path: string): KeyRow[] {
  const { kind, ...others } = schema.properties ?? {}
  const rows = keyRows({ ...schema, properties: others }, path)
  if (kind?.const === undefined) return rows
  const name = String(kind.const)
  return [
    [`${path}.kind`, `\`${name}\``, kind.description ?? ''],
    ...rows.map(([key, value, meaning]): KeyRow => [key, value, `With kind \`${name}\`: ${lowered(meaning)}`]),
  ]
}

function alternatives({ anyOf, oneOf }: JsonSchema): readonly JsonSchema[] {
  return anyOf ?? oneOf ?? []
}

function valueText(schema: JsonSchema): string {
  const { enum: choices, const: only } = schema
  if (only !== undefined) return `\`${String(only)}\``
  if (choices !== undefined) return choices.map((choice) => `\`${String(choice)}\``).join(', ')
  const others = alternatives(schema)
  const measure = [schema, ...others].flatMap(({ pattern = '' }) => measures[pattern] ?? [])[0]
  if (measure !== undefined) return measure
  if (others.length > 0) return [...new Set(others.map(valueText))].filter((text) => text !== '').join(' or ')
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [])
  return types.map((type) => typeText(type, schema)).join(' or ')
}

/** How amounts are written, by the pattern of their text. */
const measures: Readonly<Record<string, string>> = {
  '^\\d+(\\.\\d+)?(ms|s|m|h)?$': 'duration such as 30s',
  '^\\d+(\\.\\d+)?(ms|s|m|h|d)?$': 'age such as 30d',
  '^\\d+(\\.\\d+)? ?(B|kB|MB|GB|TB)?$': 'size such as 2GB',
}

function typeText(type: string, { minimum, items }: JsonSchema): string {
  if (type === 'integer') return minimum === undefined || minimum < 0 ? 'whole number' : `whole number from ${minimum}`
  if (type === 'boolean') return 'true or false'
  if (type === 'string') return 'text'
  if (type === 'object') return 'keys'
  if (type === 'array') return items === undefined ? 'list' : `list of ${valueText(items)}`
  return type
}

function lowered(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? `${text.slice(0, 1).toLowerCase()}${text.slice(1)}` : text
}
