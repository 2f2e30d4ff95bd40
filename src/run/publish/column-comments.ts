import { type Field, fieldsOf, type Table } from '../../define/index.ts'

/** What a declaration says of its columns, nested ones too, by their ids. */
export function commentsOf(table: Table): Map<number, string> {
  const visit = (field: Field): [number, string][] => [
    [field.id, field.column.comment],
    ...field.children.flatMap(visit),
  ]
  return new Map(fieldsOf(table).flatMap(visit))
}
