import type { RestErc1155Transfer } from '../../../../schemas/rest-erc1155-transfers.ts'
import { object, optionalText, type Reading } from '../../json/fields.ts'
import { digits } from '../../json/number-fields.ts'
import type { Positions } from '../../json/positions.ts'
import { address, tokenId } from '../../json/text-fields.ts'
import { checkStandard, decimal38, type EvmPlace, metadataOf } from '../../json/token-fields.ts'
import { type KeyedRow, keyOf, positionIn, readEvent } from './erc-transfer-event.ts'

/** Returns the row of one token id of an ERC-1155 transfer (real-service.md, ERC transfers). A batch has several with one log index. */
export function erc1155Row(item: Reading, place: EvmPlace, positions: Positions): KeyedRow<RestErc1155Transfer> {
  const event = readEvent(item, place)
  const value = digits(item, 'value')
  const token = object(item, 'erc1155Token', readErc1155Token)
  const position = positionIn(positions, event, token.address, token.id, value)
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
      standard: 'erc1155',
      token_id: token.id,
      token_uri: token.uri,
      metadata: token.metadata,
    },
  }
}

function readErc1155Token(at: Reading) {
  checkStandard(at, 'erc1155')
  return {
    address: address(at, 'address'),
    id: tokenId(at, 'tokenId'),
    uri: optionalText(at, 'tokenUri'),
    metadata: metadataOf(at),
  }
}
