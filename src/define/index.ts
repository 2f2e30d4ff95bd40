export {
  type Column,
  type ColumnEncoding,
  type Columns,
  type ColumnType,
  type RowOfColumns,
  t,
  type ValueOf,
} from './column.ts'
export { type DerivedView, derivedView, type ViewColumn, type ViewColumns, viewColumn } from './derived-view.ts'
export { duckdbType } from './duckdb-type.ts'
export {
  type BlockLink,
  type Decode,
  type OptionalPart,
  optionalPart,
  type Pipeline,
  type PipelinePart,
  pipeline,
  type RowsOf,
  type Tables,
  type ThreadedPart,
} from './pipeline.ts'
export {
  day,
  type Field,
  fieldsOf,
  identity,
  month,
  type PartitionKey,
  type RowOf,
  rowGroupRows,
  type Table,
  table,
} from './table.ts'
export {
  type ContainerRange,
  containerRange,
  type IndexSource,
  indexContainers,
  type Source,
  type Walk,
} from './walk.ts'
