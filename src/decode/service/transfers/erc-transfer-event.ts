import { object, optionalText, type Reading } from '../../json/fields.ts'
import { count, optionalCount } from '../../json/number-fields.ts'
import type { Positions } from '../../json/positions.ts'
import { address, hash } from '../../json/text-fields.ts'
import { blockTime, type EvmPlace } from '../../json/token-fields.ts'

/** A row and the key of its item in the list. */
export type KeyedRow<R> = { readonly row: R; readonly key: string }

/**
 * Reads the columns of transfers of every standard. Rows list these columns: with a spread of this size, decoding takes six times as long.
 */
export function readEvent(item: Reading, { network, chainId }: EvmPlace) {
  const from = object(item, 'from', readParty)
  const to = object(item, 'to', readParty)
  return {
    network,
    chain_id: chainId,
    block_number: count(item, 'blockNumber'),
    log_index: optionalCount(item, 'logIndex'),
    transaction_hash: hash(item, 'txHash'),
    block_time: blockTime(item),
    block_hash: hash(item, 'blockHash'),
    from_address: from.address,
    from_name: from.name,
    from_symbol: from.symbol,
    from_decimals: from.decimals,
    from_logo_uri: from.logoUri,
    to_address: to.address,
    to_name: to.name,
    to_symbol: to.symbol,
    to_decimals: to.decimals,
    to_logo_uri: to.logoUri,
  }
}

/** The columns of a sender or receiver. */
export function partyCells<const P extends 'from' | 'to'>(side: P, party: Party) {
  return {
    [`${side}_address`]: party.address,
    [`${side}_name`]: party.name,
    [`${side}_symbol`]: party.symbol,
    [`${side}_decimals`]: party.decimals,
    [`${side}_logo_uri`]: party.logoUri,
  } as { [K in `${P}_address`]: string } & { [K in `${P}_${'name' | 'symbol' | 'logo_uri'}`]: string | null } & {
    [K in `${P}_decimals`]: number | null
  }
}

type Party = ReturnType<typeof readParty>

export function readParty(at: Reading) {
  return {
    address: address(at, 'address'),
    name: optionalText(at, 'name'),
    symbol: optionalText(at, 'symbol'),
    decimals: optionalCount(at, 'decimals'),
    logoUri: optionalText(at, 'logoUri'),
  }
}

type TransferEvent = ReturnType<typeof readEvent>

/** Returns the position among the rows of the same log, or of the same transaction if answers have no log index. */
export function positionIn(
  positions: Positions,
  event: TransferEvent,
  token: string,
  id: string,
  value: string,
): number {
  return positions(groupOf(event), `${token} ${id} ${value} ${event.from_address} ${event.to_address}`)
}

function groupOf({ block_number, log_index, transaction_hash }: TransferEvent): string {
  return log_index === null ? transaction_hash : `${block_number}/${log_index}`
}

export function keyOf(event: TransferEvent, position: number | null): string {
  return position === null ? groupOf(event) : `${groupOf(event)}/${position}`
}
