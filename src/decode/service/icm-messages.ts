import { idText } from '../../../codec/cb58.ts'
import type { RestIcmMessage, restIcmMessages } from '../../../schemas/rest-icm-messages.ts'
import type { Page, ReadingContext } from '../../define/index.ts'
import {
  answerObject,
  finish,
  flag,
  nextPageToken,
  object,
  objects,
  optionalObject,
  optionalText,
  type Reading,
  required,
} from '../json/fields.ts'
import { digits, optionalCount, time } from '../json/number-fields.ts'
import { address, hash, id, optionalHex, word } from '../json/text-fields.ts'
import { checkStandard, decimal38, noPrice, optionalDecimal38, readPrice } from '../json/token-fields.ts'
import { secondsOf } from './list-page.ts'

/** Reads a page of `/v1/icm/messages`, newest first. */
export function decodeIcmMessages({ network }: { readonly network: string }) {
  return (answer: unknown, context: ReadingContext): Page<{ messages: typeof restIcmMessages }> => {
    const at = answerObject(answer, 'answer', context)
    const messages: RestIcmMessage[] = []
    const items = objects(at, 'messages', (item) => {
      const row = messageRow(item, network)
      messages.push(row)
      const known = row.source_time ?? row.destination_time
      return { key: row.message_id, time: known === null ? null : secondsOf(known) }
    })
    const next = nextPageToken(at)
    finish(at)
    return { rows: { messages }, items, next }
  }
}

/** The statuses of messages with a transaction on the source chain, and with one on the destination chain. */
const sent = ['pending', 'delivered']
const delivered = ['delivered', 'delivered_source_not_indexed']

function messageRow(at: Reading, network: string): RestIcmMessage {
  const { observationId, observedAt } = at.context
  const status = word(at, 'status')
  const nonce = digits(at, 'messageNonce')
  const source = transactionIn(at, 'sourceTransaction', sent.includes(status), readTransaction)
  const destination = transactionIn(at, 'destinationTransaction', delivered.includes(status), readDelivery)
  return {
    network,
    message_id: id(at, 'messageId'),
    observation_id: observationId,
    observed_at: observedAt,
    version_hash: '',
    message_status: status,
    icm_contract_address: address(at, 'icmContractAddress'),
    source_blockchain_id: blockchainId(at, 'sourceBlockchainId'),
    source_evm_chain_id: digits(at, 'sourceEvmChainId'),
    destination_blockchain_id: blockchainId(at, 'destinationBlockchainId'),
    destination_evm_chain_id: digits(at, 'destinationEvmChainId'),
    message_nonce: decimal38(nonce),
    message_nonce_raw: nonce,
    from_address: address(at, 'from'),
    to_address: address(at, 'to'),
    message_data: optionalHex(at, 'data'),
    message_executed: flag(at, 'messageExecuted'),
    receipts: objects(at, 'receipts', readReceipt),
    receipt_delivered: flag(at, 'receiptDelivered'),
    ...object(at, 'rewardDetails', readReward),
    source_transaction_hash: source?.hash ?? null,
    source_time: source?.time ?? null,
    source_gas_spent: optionalDecimal38(source?.gasSpent ?? null),
    source_gas_spent_raw: source?.gasSpent ?? null,
    destination_transaction_hash: destination?.hash ?? null,
    destination_time: destination?.time ?? null,
    destination_gas_spent: optionalDecimal38(destination?.gasSpent ?? null),
    destination_gas_spent_raw: destination?.gasSpent ?? null,
    reward_redeemer: destination?.rewardRedeemer ?? null,
    deliverer_address: destination?.delivererAddress ?? null,
  }
}

/** The id of a blockchain as CB58, so that jobs and rows spell it alike. */
function blockchainId(at: Reading, name: string): string {
  const text = id(at, name)
  return text.startsWith('0x') ? idText(Buffer.from(text.slice(2), 'hex')) : text
}

function transactionIn<V>(at: Reading, name: string, isNeeded: boolean, read: (at: Reading) => V): V | null {
  const found = optionalObject(at, name, read)
  return isNeeded ? required(found, at, name) : found
}

function readTransaction(at: Reading) {
  return { hash: hash(at, 'txHash'), time: time(at, 'timestamp'), gasSpent: digits(at, 'gasSpent') }
}

function readDelivery(at: Reading) {
  const rewardRedeemer = address(at, 'rewardRedeemer')
  return { ...readTransaction(at), rewardRedeemer, delivererAddress: address(at, 'delivererAddress') }
}

function readReceipt(at: Reading) {
  return {
    received_message_nonce: digits(at, 'receivedMessageNonce'),
    relayer_reward_address: address(at, 'relayerRewardAddress'),
  }
}

function readReward(at: Reading) {
  checkStandard(at, 'erc20')
  const value = digits(at, 'value')
  const price = optionalObject(at, 'price', readPrice) ?? noPrice
  return {
    token_address: address(at, 'address'),
    standard: 'erc20',
    token_name: optionalText(at, 'name'),
    token_symbol: optionalText(at, 'symbol'),
    token_decimals: optionalCount(at, 'decimals'),
    token_logo_uri: optionalText(at, 'logoUri'),
    price_currency: price.currency,
    price: price.value,
    reward_amount: decimal38(value),
    reward_amount_raw: value,
  }
}
