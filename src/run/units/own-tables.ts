import { tables as builtIn } from '../../../schemas/index.ts'
import type { StreamDeclaration, Table, Tables } from '../../define/index.ts'
import { DefinitionError } from '../../errors.ts'
import type { GivenIds } from './unit-message.ts'

/**
 * The tables of streams whose columns get their ids from the lake.
 *
 * @throws DefinitionError for two different tables of one name, and for the name of a built-in table.
 */
export function ownTables(streams: readonly StreamDeclaration[]): Table[] {
  const own = new Map<string, Table>()
  for (const table of streams.flatMap(({ tables }) => Object.values(tables) as Table[])) {
    if (table.ids !== null) continue
    if (builtIn.some(({ name }) => name === table.name))
      throw nameTaken(table.name, 'chainlake has a table of this name.')
    const other = own.get(table.name)
    if (other !== undefined && other !== table && JSON.stringify(other) !== JSON.stringify(table))
      throw nameTaken(table.name, 'Two streams declare different tables of this name.')
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

function nameTaken(table: string, why: string): DefinitionError {
  return new DefinitionError(`The table name ${table} is taken. ${why}`, {
    code: 'definition.table-name',
    details: { table },
    hint: 'Give the table another name.',
  })
}
