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
export { identityColumns } from './identity-columns.ts'
export { latestView, latestViews } from './latest-view.ts'
export { type Parameter, type Parameters, p, type ValuesOf } from './parameter.ts'
export { emptyQuery, parquetQuery } from './parquet-query.ts'
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
  type AnyPipeline,
  type Blockchain,
  type DecodePage,
  type Keyed,
  type List,
  type Observation,
  type OldestFirst,
  type Page,
  type PageChain,
  type PageItem,
  type RangeWalk,
  type ReadingContext,
  type Series,
  type ServicePipeline,
  type ServiceRequest,
  type ServiceSettings,
  type ServiceStream,
  type ServiceWalk,
  type Subject,
  servicePipeline,
  type Weight,
} from './service.ts'
export { serviceStream } from './stream.ts'
export {
  type ColumnIds,
  day,
  type Field,
  fieldsOf,
  type History,
  identity,
  month,
  type PartitionKey,
  type RowOf,
  rowGroupRows,
  type Table,
  type TableDeclaration,
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
