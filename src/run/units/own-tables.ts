import type { StreamDeclaration, Table, Tables } from '../../define/index.ts'
import { DefinitionError } from '../../errors.ts'
import type { GivenIds } from './unit-message.ts'

/**
 * The tables that streams fill and that have no permanent column ids: the lake gives them.
 *
 * @throws DefinitionError for two different tables of one name.
 */
export function ownTables(streams: readonly StreamDeclaration[]): Table[] {
  const own = new Map<string, Table>()
  for (const table of streams.flatMap(({ tables }) => Object.values(tables) as Table[])) {
    if (table.ids !== null) continue
    const other = own.get(table.name)
    if (other !== undefined && other !== table && JSON.stringify(other) !== JSON.stringify(table))
      throw new DefinitionError(`Two jobs declare different tables named ${table.name}.`, {
        code: 'definition.taken',
        hint: 'Give each table its own name, or declare it once and import that declaration.',
      })
    own.set(table.name, table)
  }
  return [...own.values()]
}

/** The stream with the ids of the lake in its tables. */
export function withIds(declared: StreamDeclaration, ids: GivenIds): StreamDeclaration {
  const given = (tables: Tables): Tables =>
    Object.fromEntries(
      Object.entries(tables).map(([name, table]) => [name, { ...table, ids: table.ids ?? ids[table.name] ?? null }]),
    )
  const { tables, walk } = declared
  if ((Object.values(tables) as Table[]).every((table) => table.ids !== null)) return declared
  if (walk.kind !== 'range') return { ...declared, tables: given(tables) }
  const [first, ...others] = walk.outputs
  const outputs = [
    { ...first, tables: given(first.tables) },
    ...others.map((output) => ({ ...output, tables: given(output.tables) })),
  ] as const
  return { ...declared, tables: given(tables), walk: { ...walk, outputs } }
}
