import type { RestErc20Transfer } from '../../../../schemas/rest-erc20-transfers.ts'
import { object, optionalObject, optionalText, type Reading } from '../../json/fields.ts'
import { digits, optionalCount } from '../../json/number-fields.ts'
import type { Positions } from '../../json/positions.ts'
import { address } from '../../json/text-fields.ts'
import { checkStandard, decimal38, type EvmPlace, noPrice, readPrice } from '../../json/token-fields.ts'
import { type KeyedRow, keyOf, positionIn, readEvent } from './erc-transfer-event.ts'

/** Returns the row of an ERC-20 transfer (specification 2.7). */
export function erc20Row(item: Reading, place: EvmPlace, positions: Positions): KeyedRow<RestErc20Transfer> {
  const event = readEvent(item, place)
  const value = digits(item, 'value')
  const token = object(item, 'erc20Token', readErc20Token)
  const position = event.log_index === null ? positionIn(positions, event, token.address, '', value) : null
  return {
    key: keyOf(event, position),
    row: {
      network: event.network,
      chain_id: event.chain_id,
      block_number: event.block_number,
      log_index: event.log_index,
      transaction_hash: event.transaction_hash,
      position,
      block_time: event.block_time,
      block_hash: event.block_hash,
      from_address: event.from_address,
      from_name: event.from_name,
      from_symbol: event.from_symbol,
      from_decimals: event.from_decimals,
      from_logo_uri: event.from_logo_uri,
      to_address: event.to_address,
      to_name: event.to_name,
      to_symbol: event.to_symbol,
      to_decimals: event.to_decimals,
      to_logo_uri: event.to_logo_uri,
      amount: decimal38(value),
      amount_raw: value,
      token_address: token.address,
      standard: 'erc20',
      token_name: token.name,
      token_symbol: token.symbol,
      token_decimals: token.decimals,
      token_logo_uri: token.logoUri,
      price_currency: token.price.currency,
      price: token.price.value,
    },
  }
}

function readErc20Token(at: Reading) {
  checkStandard(at, 'erc20')
  return {
    address: address(at, 'address'),
    name: optionalText(at, 'name'),
    symbol: optionalText(at, 'symbol'),
    decimals: optionalCount(at, 'decimals'),
    logoUri: optionalText(at, 'logoUri'),
    price: optionalObject(at, 'price', readPrice) ?? noPrice,
  }
}
