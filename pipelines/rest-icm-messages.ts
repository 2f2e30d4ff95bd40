import { idText } from '../codec/ids.ts'
import { restIcmMessages } from '../schemas/rest-networks.ts'
import { id, type Reading, raw, required } from '../src/decode/json/fields.ts'
import { listReader, secondsOf } from '../src/decode/list-reader.ts'
import { p, pipeline, serviceStream } from '../src/define/index.ts'
import { serviceRoute } from '../src/sources/service-routes.ts'
import { evmAddressRule, idPattern, lakeNetwork, network, pageSize, trailingSeconds } from './shared/parameters.ts'
import { checkStandard, defaultTrailing, listOf, requestedValues } from './shared/service.ts'

/** The statuses of messages with a transaction on the source chain, and with one on the destination chain. */
const sent = ['pending', 'delivered']
const delivered = ['delivered', 'delivered_source_not_indexed']

export const restIcmMessagesList = listReader({
  tables: { messages: restIcmMessages },
  items: 'messages',
  readers: {
    source_blockchain_id: asCb58('sourceBlockchainId'),
    destination_blockchain_id: asCb58('destinationBlockchainId'),
  },
  ignore: ['rewardDetails.ercType'],
  complete(row, message) {
    if (sent.includes(row.message_status)) mustHave(message, 'sourceTransaction')
    if (delivered.includes(row.message_status)) mustHave(message, 'destinationTransaction')
    checkStandard(message, 'rewardDetails', 'erc20')
    row.standard = 'erc20'
  },
  key: ['message_id'],
  time: ({ source_time, destination_time }) =>
    source_time === null && destination_time === null ? null : secondsOf(source_time ?? destination_time),
})

function mustHave(message: Reading, transaction: string): void {
  required(raw(message, transaction) ?? null, message, transaction)
}

/** The id of a blockchain as CB58, so that jobs and rows spell it alike. */
function asCb58(name: string) {
  return (_: unknown, message: Reading): string => {
    const text = id(message, name)
    return text.startsWith('0x') ? idText(Buffer.from(text.slice(2), 'hex')) : text
  }
}

const blockchainIdRule = { pattern: { source: `^${idPattern}$`, says: 'must be the id of a blockchain' } }

export const restIcmMessagesRoute = serviceRoute('/v1/icm/messages', 'medium', 100)
export const restIcmMessagesPipeline = pipeline({
  name: 'rest-icm-messages',
  comment:
    'ICM (Avalanche Interchain Messaging) messages between blockchains, newest first, from the REST service. Each run reads the list again down to the oldest pending message, and stores messages that changed.',
  parameters: {
    network,
    'source-blockchain-id': p.text('Only messages from this blockchain (default: all).', blockchainIdRule),
    'destination-blockchain-id': p.text('Only messages to this blockchain (default: all).', blockchainIdRule),
    'blockchain-id': p.text('Only messages from or to this blockchain (default: all).', blockchainIdRule),
    'from-address': p.text('Only messages of this sender: a 0x address (default: all).', evmAddressRule),
    'to-address': p.text('Only messages to this receiver: a 0x address (default: all).', evmAddressRule),
    'trailing-seconds': trailingSeconds,
    'page-size': pageSize(restIcmMessagesRoute.mostItems),
  },
  tables: { messages: restIcmMessages },
  reads: 'service',
  walks: ['pageChain'],
  streams: (values, { service: settings }) => {
    const network = lakeNetwork(values.network)
    const { 'trailing-seconds': trailing = defaultTrailing, 'page-size': pageSize } = values
    const [source, destination] = [values['source-blockchain-id'], values['destination-blockchain-id']]
    const either = values['blockchain-id']
    const [from, to] = [values['from-address']?.toLowerCase(), values['to-address']?.toLowerCase()]
    const stream = serviceStream(network, 'rest-icm-messages', {
      'source-blockchain-id': source,
      'destination-blockchain-id': destination,
      'blockchain-id': either,
      'from-address': from,
      'to-address': to,
    })
    const query = {
      network: settings.networkInPath(network),
      sourceBlockchainId: source,
      destinationBlockchainId: destination,
      blockchainId: either,
      from,
      to,
      pageSize,
    }
    const filters = {
      values: [
        ...requestedValues({ source_blockchain_id: source, destination_blockchain_id: destination }),
        ...(either === undefined ? [] : [{ source_blockchain_id: [either], destination_blockchain_id: [either] }]),
        ...requestedValues({ from_address: from, to_address: to }),
      ],
    }
    const list = listOf(restIcmMessagesRoute, {}, query, restIcmMessagesList({ network }), filters)
    const open = { where: { message_status: ['pending'] }, time: 'source_time' }
    return [{ stream, walk: { kind: 'pageChain', list, trailing, open } }]
  },
})
