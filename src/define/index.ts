export { blockDate, blockTime, utcDate } from './block-date.ts'
export {
  below,
  type Column,
  type ColumnEncoding,
  type Columns,
  type ColumnType,
  type DeclaredColumn,
  type ReaderName,
  type RowOfColumns,
  t,
  type ValueOf,
} from './column.ts'
export type { Answer, Connection, ConnectionRequest, ParsedRequest, StatusAdvice } from './connection.ts'
export {
  type DerivedView,
  derivedView,
  redeclaredViews,
  type ViewColumn,
  type ViewColumns,
  viewColumn,
} from './derived-view.ts'
export { duckdbType } from './duckdb-type.ts'
export type { Facts, NetworkChain, NetworkIdentity } from './facts.ts'
export { identityColumns, observationColumns } from './identity-columns.ts'
export { latestView, latestViews } from './latest-view.ts'
export type {
  Blockchain,
  DecodePage,
  Interval,
  Keyed,
  KeyedQuestion,
  List,
  ListWalk,
  Observation,
  OldestFirst,
  Page,
  PageChain,
  PageItem,
  RangeWalk,
  ReadingContext,
  ReadRefusal,
  Requested,
  RequestedRange,
  RequestedValues,
  Series,
  ServiceSettings,
  Subject,
} from './list.ts'
export { clockTolerance } from './list.ts'
export {
  type AbiItems,
  type Bound,
  type GivenRange,
  type Parameter,
  type Parameters,
  p,
  type ValuesOf,
} from './parameter.ts'
export { emptyQuery, parquetQuery } from './parquet-query.ts'
export {
  type DeclaredStream,
  type EvmChainIdentity,
  type Pipeline,
  type PipelineModule,
  pipeline,
  type RefusedParameter,
  type StreamDeclaration,
  type Walk,
} from './pipeline.ts'
export type {
  EvmSubject,
  NodeCall,
  NodeCell,
  NodeGet,
  NodeGetAnswer,
  Question,
  Refusal,
  ServiceAnswer,
  ServiceRequest,
  Weight,
} from './question.ts'
export {
  type BlockLink,
  type Decode,
  type Endpoint,
  type Heads,
  type Range,
  type RangeOutput,
  type ReadRecord,
  type RowsOf,
  type Tables,
  type ThreadedOutput,
  theNode,
} from './range.ts'
export type { RangeSource, RecordLink, RecordTime, SharedRequests, WindowSource } from './range-source.ts'
export { hasBlockDate, isNullable, isShownAsText, shownColumns, shownQuery } from './shown-columns.ts'
export type { CoveredByStream, ReadStoredRows, StoredRecords, StoredRowsQuery } from './stored-records.ts'
export { nodeStream, serviceStream } from './stream.ts'
export {
  type ColumnIds,
  columnPaths,
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
