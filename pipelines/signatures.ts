import { createHash } from 'node:crypto'
import { decodeExactly } from '../codec/linear.ts'
import { warpMessage, warpSignature } from '../codec/warp.ts'
import { restSignedMessages } from '../schemas/rest-networks.ts'
import { wrong } from '../src/decode/json/fields.ts'
import { listReader } from '../src/decode/list-reader.ts'
import { p, pipeline, type RowOf, serviceStream, type ValuesOf } from '../src/define/index.ts'
import { requestOf, serviceRoute } from '../src/sources/service-routes.ts'
import { idPattern, lakeNetwork, network, parameterError } from './shared/parameters.ts'

/** The columns of a row that come from the request. */
type SignatureRequest = Omit<RowOf<typeof restSignedMessages>, 'signed_message' | 'observed_at'>

/** The fields of a request with a message, a justification or both (specification 4.1), by their columns. */
const fields = {
  message: 'message',
  justification: 'justification',
  signing_subnet_id: 'signingSubnetId',
  quorum_percentage: 'quorumPercentage',
  quorum_percentage_buffer: 'quorumPercentageBuffer',
  p_chain_height: 'pChainHeight',
} as const
type Aggregation = Pick<SignatureRequest, keyof typeof fields>
const columns = Object.keys(fields) as (keyof typeof fields)[]

/** The request for the message of a transaction, as columns of its row. */
export function byTransaction(network: string, txHash: string): SignatureRequest {
  const none = Object.fromEntries(columns.map((column) => [column, null])) as Aggregation
  return { network, request_hash: requestHash({ network, method: 'GET', txHash }), tx_id: txHash, ...none }
}

/**
 * The request with a message or justification, as columns of its row. Texts that differ only in `0x` or case are equal, and height 0 is the
 * proposed height.
 */
export function byMessage(network: string, requested: Aggregation): SignatureRequest {
  const content: Aggregation = {
    message: prefixedHex(requested.message),
    justification: prefixedHex(requested.justification),
    signing_subnet_id: subnetId(requested.signing_subnet_id),
    quorum_percentage: requested.quorum_percentage,
    quorum_percentage_buffer: requested.quorum_percentage_buffer,
    p_chain_height: requested.p_chain_height === 0 ? null : requested.p_chain_height,
  }
  const named = Object.fromEntries(columns.map((column) => [fields[column], content[column]]))
  return { network, request_hash: requestHash({ network, method: 'POST', ...named }), tx_id: null, ...content }
}

/** The body of the request. It has the signing subnet under each name in the profile. */
function bodyOf(request: SignatureRequest, signingSubnetFields: readonly string[]): object {
  const named = columns.flatMap((column) => {
    if (request[column] === null) return []
    const names = column === 'signing_subnet_id' ? signingSubnetFields : [fields[column]]
    return names.map((name) => [name, request[column]])
  })
  return Object.fromEntries(named)
}

/** SHA-256 of the canonical JSON of the request: names sorted, without fields that profiles may rename. */
function requestHash(content: object): string {
  const sorted = Object.entries(content).sort(([a], [b]) => (a < b ? -1 : 1))
  return `0x${createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(sorted)))
    .digest('hex')}`
}

function prefixedHex(text: string | null): string | null {
  return text === null ? null : `0x${text.toLowerCase().replace(/^0x/, '')}`
}

/** CB58 text unchanged, 32 bytes of hexadecimal digits in canonical form. */
function subnetId(text: string | null): string | null {
  return text !== null && /^(0x)?[0-9a-f]{64}$/i.test(text) ? prefixedHex(text) : text
}

const aggregate = '/v1/signatureAggregator/{network}/aggregateSignatures'
export const signatureOfTransactionRoute = serviceRoute(`${aggregate}/{txHash}`, 'medium', null)
export const signatureOfMessageRoute = { ...serviceRoute(aggregate, 'medium', null), method: 'POST' } as const

/**
 * The answer of the signature aggregator (specification 4.1): hexadecimal text of a message and its signature. The message is that of the
 * request; if it has none, any message of Warp. The row stores the text with `0x`.
 */
export const signaturesList = listReader({
  tables: { messages: restSignedMessages },
  items: null,
  token: null,
  complete(row) {
    if (!row.signed_message.startsWith('0x')) row.signed_message = `0x${row.signed_message}`
    if (!row.signed_message.startsWith(row.message ?? ''))
      throw wrong('signedMessage', 'is not the signed form of the message that was sent', row.signed_message)
    const signed = Buffer.from(row.signed_message.slice((row.message ?? '0x').length), 'hex')
    const { signers } =
      row.message === null
        ? decodeExactly(warpMessage, signed, 'signedMessage').signature
        : decodeExactly(warpSignature, signed, 'signedMessage')
    if (signers.every((bits: number) => bits === 0))
      throw wrong('signedMessage', 'is signed by no validator', row.signed_message)
  },
  key: ['request_hash'],
})

const hex = '(0x)?([0-9a-fA-F]{2})+'
const percent = { least: 0, most: 100 }

const parameters = {
  network,
  'tx-hashes': p.list('P- or X-Chain transactions with a message to sign; inline, from a file or a query.', {
    pattern: { source: `^${idPattern}$`, says: 'must be the id of a transaction, as CB58 text' },
    example: '@tx-ids.txt',
  }),
  messages: p.list(
    'Unsigned messages as hexadecimal digits, with or without 0x; <message>+<justification> where both belong together.',
    {
      pattern: { source: `^${hex}(\\+${hex})?$`, says: 'must be hexadecimal digits, with or without 0x' },
    },
  ),
  justifications: p.list('Justifications as hexadecimal digits, with or without 0x, that are sent without a message.', {
    pattern: { source: `^${hex}$`, says: 'must be hexadecimal digits, with or without 0x' },
  }),
  'signing-subnet-id': p.text(
    'Subnet that signs, as CB58 or hexadecimal text (default: the subnet of the source chain).',
    {
      pattern: {
        source: `^((0x)?[0-9a-fA-F]{64}|${idPattern})$`,
        says: 'must be a subnet id: CB58 text or 64 hexadecimal digits',
      },
    },
  ),
  'quorum-percentage': p.whole('Share of the weight that must sign, in percent (default: 67).', percent),
  'quorum-percentage-buffer': p.whole('Additional share to try for, in percent (default: 0).', percent),
  'p-chain-height': p.whole('P-Chain height that determines the signing validators (default: 0, the proposed height).'),
}

export const signaturesPipeline = pipeline({
  name: 'signatures',
  comment: 'Messages signed by the validators of a subnet, from the signature aggregator.',
  parameters,
  tables: { messages: restSignedMessages },
  reads: 'service',
  walks: ['keyed'],
  streams: (values, { service: settings }) => {
    checkRules(values)
    const network = lakeNetwork(values.network)
    const parts = { network: settings.networkInPath(network) }
    const gets = (values['tx-hashes'] ?? []).map((txHash) => ({
      row: byTransaction(network, txHash),
      request: requestOf(signatureOfTransactionRoute, { ...parts, txHash }),
    }))
    const posts = aggregations(values).map((requested) => {
      const row = byMessage(network, requested)
      const body = bodyOf(row, settings.signingSubnetFields)
      return { row, request: requestOf(signatureOfMessageRoute, parts, {}, body) }
    })
    const unique = new Map([...gets, ...posts].map((requested) => [requested.row.request_hash, requested]))
    const keys = [...unique].map(([hash, { row, request }]) => ({
      key: { request_hash: hash },
      request,
      decode: signaturesList(row),
    }))
    return [{ stream: serviceStream(network, 'signatures', {}), walk: { kind: 'keyed', keys } }]
  },
})

type Values = ValuesOf<typeof parameters>

function aggregations(values: Values): Aggregation[] {
  const common = {
    signing_subnet_id: values['signing-subnet-id'] ?? null,
    quorum_percentage: values['quorum-percentage'] ?? 67,
    quorum_percentage_buffer: values['quorum-percentage-buffer'] ?? 0,
    p_chain_height: values['p-chain-height'] ?? null,
  }
  return [
    ...(values.messages ?? []).map((item) => {
      const [message = null, justification = null] = item.split('+')
      return { ...common, message, justification }
    }),
    ...(values.justifications ?? []).map((justification) => ({ ...common, message: null, justification })),
  ]
}

/** Parameters of requests with a message or a justification only. */
const ofBodies = ['signing-subnet-id', 'quorum-percentage', 'quorum-percentage-buffer', 'p-chain-height'] as const

function checkRules(values: Values): void {
  const { 'tx-hashes': txHashes, messages, justifications } = values
  if ((txHashes ?? messages ?? justifications) === undefined)
    throw parameterError(
      'The job requests no signature: tx-hashes, messages and justifications are missing.',
      'Give at least one of them.',
    )
  const needless = ofBodies.filter((name) => values[name] !== undefined)
  if ((messages ?? justifications) === undefined && needless.length > 0)
    throw parameterError(
      `${needless.join(', ')} go with messages or justifications, which are absent.`,
      'Leave them out: signatures of transactions take no further parameters.',
    )
  const { 'quorum-percentage': quorum = 67, 'quorum-percentage-buffer': buffer = 0 } = values
  if (quorum + buffer > 100)
    throw parameterError(
      `quorum-percentage ${quorum} and quorum-percentage-buffer ${buffer} are more than 100 together.`,
      quorum === 67
        ? 'Give a smaller buffer; quorum-percentage is 67 by default.'
        : 'Lower one of them: together they may be 100 at most.',
    )
}
