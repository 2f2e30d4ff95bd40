import { type EvmLog, evmLogs } from '../schemas/evm-blocks.ts'
import { evmEventFailures } from '../schemas/evm-contracts.ts'
import { readLogRows } from '../src/decode/evm/blocks.ts'
import {
  type Connection,
  type DeclaredStream,
  p,
  pipeline,
  type Range,
  type RangeSource,
  type ReadStoredRows,
  serviceStream,
} from '../src/define/index.ts'
import type { EvmBlockLogs } from '../src/model.ts'
import type { StoredLogs } from '../src/sources/stored-logs.ts'
import { type EventTable, eventTables } from './shared/contract-abi.ts'
import {
  askEvmChain,
  blockRange,
  evmChainParameter,
  finalityParameter,
  headsParameter,
  once,
} from './shared/evm-chain.ts'
import {
  evmAddresses,
  evmAddressRule,
  exampleContract,
  parameterError,
  rangeParameters,
  requestedBounds,
} from './shared/parameters.ts'

const event = {
  pattern: {
    source: '^\\s*(event\\s.*\\).*|[A-Za-z_$][A-Za-z0-9_$]*\\s*)$',
    says: 'must be an event as in Solidity, or the name of an event of abi',
  },
}
const tableName = { pattern: { source: '^[a-z][a-z0-9_]{0,127}$', says: 'must be letters a to z, digits and _' } }

export const evmEventsPipeline = pipeline({
  name: 'evm-events',
  comment:
    'Events of contracts of an EVM chain, decoded by their ABI, from its JSON-RPC: one table per event, evm_event_ and the name of the event.',
  parameters: {
    chain: evmChainParameter,
    events: p.list(
      'Events as in Solidity, such as event Transfer(address indexed from, address indexed to, uint256 value), or names of events of abi (default: all events of abi).',
      { ...event, example: 'event Transfer(address indexed from, address indexed to, uint256 value)' },
    ),
    abi: p.abi(
      'File with the ABI of the contracts, or with the artifact of a compiler; for a proxy that of its implementation.',
    ),
    contracts: p.list('Only events of these contracts: 0x addresses; inline, from a file or a query (default: any).', {
      ...evmAddressRule,
      example: exampleContract,
    }),
    table: p.text(
      'Name of the table, for a job with one event (default: evm_event_ and the name of the event).',
      tableName,
    ),
    ...rangeParameters('block number', 'the last final block'),
    finality: finalityParameter,
    'ws-url': headsParameter,
  },
  reads: 'node',
  walks: ['range'],
  tables: { failures: evmEventFailures },
  async streams({ chain, events, abi, contracts, table, finality, 'ws-url': wsUrl, ...part }, facts) {
    const bounds = requestedBounds(part)
    const requested = await eventTables({ events, abi, table })
    const addresses = evmAddresses(contracts ?? []).sort()
    const nameless = requested.find(({ anonymous }) => anonymous)
    if (nameless !== undefined && addresses.length === 0)
      throw parameterError(
        `The anonymous event ${nameless.types} has no topic of its own, so that logs of any contract would be its logs.`,
        'Give contracts that emit the event.',
      )
    const answers = await askEvmChain(chain, facts, { wsUrl, finality })
    const { route, network, chainId } = answers
    /** All streams share the requests to a node. */
    const nodeLogs = once(async (connection: Connection) => {
      const [{ createEventLogs }, { createEvmLogs }] = await Promise.all([
        import('../src/sources/stored-logs.ts'),
        import('../src/sources/evm-logs.ts'),
      ])
      return createEventLogs<EvmBlockLogs, RangeSource<EvmBlockLogs>>(
        (filter) => createEvmLogs(connection, route, { filter, finality }),
        (log) => ({
          contract: String(log['address']).toLowerCase(),
          topic: String((log['topics'] as readonly unknown[] | undefined)?.[0]).toLowerCase(),
        }),
      )
    })
    const storedLogs = once(async (rows: ReadStoredRows) => {
      const { createEventLogs, createStoredLogs } = await import('../src/sources/stored-logs.ts')
      return createEventLogs<StoredLogs<EvmLog>>(
        (filter) => createStoredLogs(rows, { network, chainId }, filter),
        ({ address, topic0 }: EvmLog) => ({ contract: address, topic: topic0 }),
      )
    })
    const { holdsLogs } = await import('../src/sources/stored-logs.ts')

    /** The events of one contract, or of any. */
    const streamOf = (own: EventTable, address: string | null): DeclaredStream => {
      const any = `evm-events/${chainId}/${own.table.name}`
      const one = `${any}/contract`
      const named = { event: own.types }
      const ofAny = { ...serviceStream(network, any, named), kind: 'evm-events', chain: chainId }
      const tables = { events: own.table, failures: evmEventFailures }
      const counted = { others: 0 }
      const logs = { contract: address, topic: own.decoder.topic }
      const walk: Range<EventRecord> = {
        ...blockRange(answers),
        what: `the logs of chain ${chainId}`,
        source: async (connection) => (await nodeLogs(connection))(logs),
        stored: {
          table: evmLogs,
          column: 'block_number',
          isHeld: (covered) => holdsLogs(covered, { ...logs, network, chainId }),
          source: async (rows) => (await storedLogs(rows))(logs),
        },
        ...bounds,
        unit: null,
        ...(address === null ? { overlapping: [one] } : { overlapping: [any], within: [ofAny] }),
        outputs: [{ tables, read: (record, context) => eventRows(record, context, own, counted) }],
        afterwards: () => othersText(own, counted),
      }
      const stream = address === null ? ofAny : { ...ofAny, path: one, parameters: { contract: address, ...named } }
      return { stream, tables, walk, chain: answers }
    }
    return requested.flatMap((own) =>
      (addresses.length === 0 ? [null] : addresses).map((address) => streamOf(own, address)),
    )
  },
})

/** The logs of a block as a node returns them, or as the lake has them. */
type EventRecord = EvmBlockLogs | StoredLogs<EvmLog>
type EventRows = { readonly events: object[]; readonly failures: object[] }
type Counted = { others: number }

function eventRows(
  record: EventRecord,
  context: Parameters<typeof readLogRows>[1],
  { decoder }: EventTable,
  counted: Counted,
): EventRows {
  const rows: EventRows = { events: [], failures: [] }
  for (const log of 'block' in record ? readLogRows(record, context) : record.logs) {
    if (!decoder.isOf(log)) {
      counted.others++
      continue
    }
    const decoded = decoder.decode(log)
    if ('row' in decoded) rows.events.push(decoded.row)
    else rows.failures.push(decoded.failure)
  }
  return rows
}

/** Logs of another event that shares the topic: ERC-20 and ERC-721 declare the same Transfer with other indexing. */
function othersText({ types, anonymous }: EventTable, counted: Counted): string | null {
  const { others } = counted
  counted.others = 0
  if (others === 0) return null
  return anonymous
    ? `${others} logs of the contracts have other topics than ${types}: they are logs of other events and not stored.`
    : `${others} logs have the first topic of ${types} but another number of topics: they are logs of another event and not stored.`
}
