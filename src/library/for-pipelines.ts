/** What pipelines need of the package `chainlake`. Threads offer this part to the modules that they load. */

export { sha256 } from '../../codec/hash.ts'
export { addressBytes, addressText, decodeCb58, encodeCb58, idText, nodeIdBytes, nodeIdText } from '../../codec/ids.ts'
export { keccak256 } from '../../codec/keccak.ts'
export { pipelines } from '../../pipelines/index.ts'
export { askEvmChain, evmChainParameter } from '../../pipelines/shared/evm-chain.ts'
export { indexPipeline } from '../../pipelines/shared/index-pipeline.ts'
export { tables } from '../../schemas/index.ts'
export { networkColumn } from '../../schemas/shared/block-columns.ts'
export { wideColumns } from '../../schemas/shared/evm-columns.ts'
export { observationColumns, presentColumn, versionColumns } from '../../schemas/shared/service-columns.ts'
export { decodeCContainer } from '../decode/c/rows.ts'
export { type Given, type ListDeclaration, type ListReader, listReader } from '../decode/list-reader.ts'
export { decodePContainer } from '../decode/p/rows.ts'
export { decodeXContainer } from '../decode/x/rows.ts'
export {
  type Answer,
  type Blockchain,
  type BlockLink,
  type Bound,
  type Column,
  type ColumnEncoding,
  type ColumnIds,
  type Columns,
  type ColumnType,
  type Connection,
  type ConnectionRequest,
  type DeclaredStream,
  type Decode,
  type DecodePage,
  type DerivedView,
  day,
  derivedView,
  type Endpoint,
  type Facts,
  type Heads,
  type History,
  identity,
  type Keyed,
  type KeyedQuestion,
  type List,
  type ListWalk,
  month,
  type NetworkChain,
  type NetworkIdentity,
  type NodeCall,
  type NodeGet,
  type NodeGetAnswer,
  nodeStream,
  type Observation,
  type OldestFirst,
  type Page,
  type PageChain,
  type PageItem,
  type Parameter,
  type Parameters,
  type ParsedRequest,
  type PartitionKey,
  type Pipeline,
  p,
  pipeline,
  type Question,
  type Range,
  type RangeOutput,
  type RangeSource,
  type RangeWalk,
  type ReadingContext,
  type ReadRecord,
  type ReadRefusal,
  type RecordLink,
  type RecordTime,
  type Refusal,
  type RefusedParameter,
  type Requested,
  type RequestedRange,
  type RequestedValues,
  type RowOf,
  type RowOfColumns,
  type RowsOf,
  type Series,
  type ServiceRequest,
  type ServiceSettings,
  type StatusAdvice,
  type StreamDeclaration,
  type Subject,
  serviceStream,
  type Table,
  type TableDeclaration,
  type Tables,
  t,
  table,
  theNode,
  type ValueOf,
  type ValuesOf,
  type ViewColumn,
  type ViewColumns,
  viewColumn,
  type Walk,
  type Weight,
} from '../define/index.ts'
export * from '../errors.ts'
export type { Container, Slice, Stream, Unit } from '../model.ts'
export { createEvmBlocks } from '../sources/evm-blocks.ts'
export { createEvmLogs } from '../sources/evm-logs.ts'
export { askNode } from '../sources/node.ts'
export { createIndexRange } from '../sources/node-index.ts'
export type { ServiceProfile } from '../sources/service-profile.ts'
export { windowTooLarge } from '../sources/window-size.ts'
export * as fields from './fields.ts'
