import { expect, test } from 'vitest'
import * as library from '../../src/index.ts'
import * as forPipelines from '../../src/library/for-pipelines.ts'
import { notInThreads } from '../../src/pipeline-modules/find-pipeline.ts'
import { exportsOf } from './exports.ts'

const exported = exportsOf('src/index.ts')

test('the package exports what its entry names', () => {
  const values = exported.flatMap(({ name, isType }) => (isType || name.includes('.') ? [] : [name]))
  expect([...values, 'fields'].sort()).toEqual(Object.keys(library).sort())
})

test('threads offer all of it to modules, or refuse it', () => {
  expect([...Object.keys(forPipelines), ...notInThreads].sort()).toEqual(Object.keys(library).sort())
})

test('every export has a docstring', () => {
  expect(exported.filter(({ isDocumented }) => !isDocumented).map(({ name, path }) => `${name} of ${path}`)).toEqual([])
})

test('the package exports these names, and no others', () => {
  const namesOf = (isType: boolean) => exported.filter((each) => each.isType === isType).map(({ name }) => name)
  expect(namesOf(false).sort().join(' ')).toMatchInlineSnapshot(
    `"CatalogError CatalogUnreachableError ChainlakeError ConfigError DecodeError DefinitionError HttpError LockedError OtherSourceError PostponedError RateLimitError RpcError SchemaChangedError SchemaError StorageError StreamTakenError TimeoutError TransportError UnknownVersionError VerifyError addressBytes addressText askEvmChain askNode createEvmBlocks createEvmLogs createIndexRange day decodeCContainer decodeCb58 decodePContainer decodeXContainer derivedView encodeCb58 errorKind evmChainParameter fields.address fields.answerObject fields.count fields.digits fields.finish fields.flag fields.fraction fields.hash fields.hex fields.id fields.ids fields.ignore fields.nextPageToken fields.nodeId fields.object fields.objects fields.optionalAddress fields.optionalCount fields.optionalDigits fields.optionalFlag fields.optionalFraction fields.optionalHex fields.optionalId fields.optionalInt64 fields.optionalNodeId fields.optionalObject fields.optionalObjects fields.optionalText fields.optionalTexts fields.optionalTime fields.optionalU64 fields.optionalWord fields.pathOf fields.seconds fields.text fields.texts fields.time fields.u64 fields.word idText identity indexPipeline keccak256 lakeStatus listReader month networkColumn nodeIdBytes nodeIdText nodeStream observationColumns p pipeline pipelines planPipelines presentColumn republishLake runPipelines serviceStream sha256 t table tables theNode versionColumns viewColumn wideColumns windowTooLarge"`,
  )
  expect(namesOf(true).sort().join(' ')).toMatchInlineSnapshot(
    `"Answer BlockLink Blockchain Bound Column ColumnEncoding ColumnIds ColumnType Columns Connection ConnectionRequest Container DeclaredStream Decode DecodePage DerivedView EmitEvent Endpoint ErrorFacts ErrorKind ErrorOptions Facts Given Heads History Job JobPlan JobResult Keyed KeyedQuestion LakeLocation List ListDeclaration ListReader ListWalk NetworkChain NetworkIdentity NodeCall NodeGet NodeGetAnswer NodeOptions Observation OldestFirst Page PageChain PageItem Parameter Parameters ParsedRequest PartitionKey Pipeline Question Range RangeOutput RangeSource RangeWalk ReadRecord ReadRefusal ReadingContext RecordLink RecordTime Refusal RefusedParameter Requested RequestedRange RequestedValues RowOf RowOfColumns RowsOf RunEvent RunOptions RunSummary Series ServiceProfile ServiceRequest ServiceSettings Slice StatusAdvice Stream StreamDeclaration Subject Table TableDeclaration TableResult Tables Unit ValueOf ValuesOf ViewColumn ViewColumns Walk Weight fields.Reading"`,
  )
})
