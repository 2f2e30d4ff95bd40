import type { RestErc721Transfer } from '../../../../schemas/rest-erc721-transfers.ts'
import { object, optionalText, type Reading } from '../../json/fields.ts'
import type { Positions } from '../../json/positions.ts'
import { address, optionalAddress, tokenId } from '../../json/text-fields.ts'
import { checkStandard, type EvmPlace, metadataOf } from '../../json/token-fields.ts'
import { type KeyedRow, keyOf, positionIn, readEvent } from './erc-transfer-event.ts'

/** Returns the row of an ERC-721 transfer, which has no amount (real-service.md, ERC transfers). */
export function erc721Row(item: Reading, place: EvmPlace, positions: Positions): KeyedRow<RestErc721Transfer> {
  const event = readEvent(item, place)
  const token = object(item, 'erc721Token', readErc721Token)
  const position = event.log_index === null ? positionIn(positions, event, token.address, token.id, '') : null
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
      token_address: token.address,
      standard: 'erc721',
      token_name: token.name,
      token_symbol: token.symbol,
      token_id: token.id,
      token_uri: token.uri,
      metadata: token.metadata,
      token_owner_address: token.owner,
    },
  }
}

function readErc721Token(at: Reading) {
  checkStandard(at, 'erc721')
  return {
    address: address(at, 'address'),
    name: optionalText(at, 'name'),
    symbol: optionalText(at, 'symbol'),
    id: tokenId(at, 'tokenId'),
    uri: optionalText(at, 'tokenUri'),
    metadata: metadataOf(at),
    owner: optionalAddress(at, 'ownerAddress'),
  }
}
