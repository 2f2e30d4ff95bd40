import { evmTraces } from '../../../schemas/evm-contracts.ts'
import type { RowOf } from '../../define/index.ts'
import type { EvmBlockTraces } from '../../model.ts'
import { finish, type Reading, required } from '../json/fields.ts'
import { partsReader } from '../list-reader.ts'
import { blockPlace, type EvmContext, type EvmTransactionPlace, indicesOf, readingBlock } from './blocks.ts'
import { hexShape, objects, optionalObjects, text, topFields } from './hex-fields.ts'

type EvmTrace = RowOf<typeof evmTraces>

/** The call type of a transaction that the chain does not trace, such as one of the chain itself. */
export const untraced = 'UNTRACED'

const [headerShape, tracesShape] = [hexShape(), hexShape()]
/** A call within a call has the same fields: all depths share what the decoder knows about them. */
const callShape = hexShape()

const readCall = partsReader<EvmTrace>(evmTraces.columns, callShape, {
  ignore: ['calls'],
  readers: { call_type: (_, at) => text(at, 'type').toUpperCase() },
})

/** In the place of the call of a transaction that the chain does not trace. */
const noFrame = {}

/** Returns the calls of the transactions of a block, as the call tracer lists them. Throws `DecodeError` with block and field. */
export function readEvmTraces(record: EvmBlockTraces, context: EvmContext): { readonly traces: EvmTrace[] } {
  return readingBlock(record.number, context, () => rowsOf(record, context))
}

function rowsOf({ block, transactionHashes, traces: [calls] }: EvmBlockTraces, context: EvmContext) {
  const header = topFields(block, headerShape)
  const place = blockPlace(header, context)
  const traces: EvmTrace[] = []
  const unknown = new Set<string>()
  const { transactions } = block
  // Block 0 has no traces. The source leaves hashes in the place of transactions where the header proves that there are no gaps.
  const areInPlace = calls?.length === 0 || (Array.isArray(transactions) && typeof transactions[0] === 'string')
  const indices = areInPlace ? null : indicesOf(header, objects(header, 'transactions'), (path) => unknown.add(path))
  const frames = calls?.map((frame) => frame ?? noFrame)
  const answer = topFields({ traces: frames }, tracesShape, (path) =>
    unknown.add(`calls[]${path.slice(path.lastIndexOf('.'))}`),
  )
  for (const [at, frame] of objects(answer, 'traces', callShape).entries()) {
    const own = {
      transaction_index: indices === null ? at : indices[at]!,
      transaction_hash: transactionHashes[at]!,
      ...place,
    }
    if (frame.object === noFrame) traces.push({ ...noCall, ...own })
    else addCalls(frame, own, traces)
  }
  for (const field of unknown) context.unknownField?.(field)
  return { traces }
}

/** What the row of a transaction without a trace says of it. */
const noCall = {
  trace_index: 0,
  trace_address: '',
  depth: 0,
  call_type: untraced,
  ...({ from_address: null, to_address: null, value: null, value_raw: null, gas: null, gas_used: null } as const),
  ...({ input: null, output: null, error: null, revert_reason: null } as const),
  reverted: false,
  child_count: 0,
}

function isFailedCreation({ call_type: type, error }: EvmTrace): boolean {
  return error !== null && type.startsWith('CREATE')
}

/** What a call inherits from the calls around it. */
type Around = {
  readonly path: string
  readonly depth: number
  readonly reverted: boolean
  /** The call around it uses the storage and the balance of this contract; null for the call of the transaction. */
  readonly contract: string | null
}

/** Appends the rows of a call and of the calls within it, each call before the calls that it made. */
function addCalls(frame: Reading, place: EvmTransactionPlace, rows: EvmTrace[]): void {
  const first = rows.length
  const add = (at: Reading, { path, depth, reverted: aroundReverted, contract }: Around): void => {
    const calls = optionalObjects(at, 'calls', callShape) ?? []
    const { error } = at.object
    const reverted = aroundReverted || (error !== undefined && error !== null && error !== '')
    const row = readCall(at, {
      trace_index: rows.length - first,
      trace_address: path,
      depth,
      reverted,
      child_count: calls.length,
      ...place,
    })
    // Older clients and Kaia state nothing about a contract that destroys itself.
    if (row.call_type === 'SELFDESTRUCT') row.from_address ??= contract
    // Only a transaction without a trace has none.
    required(row.from_address, at, 'from')
    rows.push(row)
    finish(at)
    const isBorrowed = row.call_type === 'DELEGATECALL' || row.call_type === 'CALLCODE'
    const inside = { depth: depth + 1, reverted, contract: isBorrowed ? row.from_address : row.to_address }
    // Nodes of Erigon write zeros there, and those of Nethermind the address that the contract would have got.
    if (isFailedCreation(row)) row.to_address = null
    for (const [position, call] of calls.entries())
      add(call, { ...inside, path: path === '' ? `${position}` : `${path}.${position}` })
  }
  add(frame, { path: '', depth: 0, reverted: false, contract: null })
}
