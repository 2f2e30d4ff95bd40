import { t } from '../../src/define/index.ts'
import { networkColumn } from './block-columns.ts'

const nullable = { nullable: true } as const

/** What tables of EVM chains begin with. */
export const evmChainColumns = {
  ...networkColumn,
  chain_id: t.address('EVM chain id or blockchain id, as the job named the chain.'),
}

/** What every table of token transfers begins with. */
export const transferPlaceColumns = {
  ...evmChainColumns,
  block_number: t.int64('Number of the block.'),
  log_index: t.int64(
    'Position of the event among all events of the block; null where the answer does not say it.',
    nullable,
  ),
  transaction_hash: t.hex('Hash of the transaction.'),
}

/** When and between whom a transfer was. */
export const transferPartyColumns = {
  block_time: t.timestamp('Time of the block (UTC), in milliseconds where the answer has them.'),
  block_hash: t.hex('Hash of the block.'),
  ...partyColumns('from', 'Sender; the zero address: minted.'),
  ...partyColumns('to', 'Receiver; the zero address: burnt.'),
}

function partyColumns<const P extends string>(party: P, comment: string) {
  const columns = {
    address: t.address(comment),
    name: t.text('Name that the service knows the address by.', nullable),
    symbol: t.text('Symbol of the token at the address.', nullable),
    decimals: t.int64('Decimal places of the token at the address.', nullable),
    logo_uri: t.text('Where the logo of the address is.', nullable),
  }
  return prefixed(party, columns)
}

type Prefixed<P extends string, C> = { [K in keyof C & string as `${P}_${K}`]: C[K] }

function prefixed<const P extends string, C extends object>(prefix: P, columns: C): Prefixed<P, C> {
  const renamed = Object.entries(columns).map(([name, column]) => [`${prefix}_${name}`, column])
  return Object.fromEntries(renamed) as Prefixed<P, C>
}

/** Amounts of tokens, which have up to 256 bits. */
export const tokenAmountColumns = {
  amount: t.decimal38('Amount in the least unit of the token; null when over 38 digits.', nullable),
  amount_raw: t.text('Amount in the least unit of the token as text, always exact.'),
}

/** Which token a row is about. */
export const tokenAddressColumns = {
  token_address: t.address('Contract of the token.'),
  standard: t.text('Standard of the token: erc20, erc721 or erc1155.'),
}

export const tokenNameColumns = {
  token_name: t.text('Name of the token.', nullable),
  token_symbol: t.text('Symbol of the token.', nullable),
}

/** A price that an answer may leave out. */
export const optionalPriceColumns = {
  price_currency: t.text('Currency of the price, such as usd.', nullable),
  price: t.double('Price of a whole token in that currency when the service answered.', nullable),
}

export const collectibleColumns = {
  token_id: t.text('Id of the token in its contract, in decimal digits.'),
  token_uri: t.text('Where the metadata of the token is.', nullable),
  metadata: t.struct(
    {
      index_status: t.text(
        'How far the service got with the metadata, as it spells it: INDEXED, UNINDEXED, …',
        nullable,
      ),
      metadata_updated_at: t.timestamp('When the service last read the metadata (UTC).', nullable),
      name: t.text('Name of the token.', nullable),
      symbol: t.text('Symbol of the token.', nullable),
      image_uri: t.text('Where its image is.', nullable),
      description: t.text('Description.', nullable),
      animation_uri: t.text('Where its animation is.', nullable),
      external_url: t.text('Page about it.', nullable),
      background: t.text('Background colour.', nullable),
      attributes: t.text('Attributes as the service gives them (ERC-721).', nullable),
      decimals: t.int64('Decimal places (ERC-1155).', nullable),
      properties: t.text('Properties as the service gives them (ERC-1155).', nullable),
    },
    'What the service read about the token at its URI; null where the answer has nothing.',
    nullable,
  ),
}

export const ownerColumn = {
  owner: t.address('The wallet that holds it.'),
}

export const tokenBalanceColumns = {
  balance: t.decimal38('Amount held in the least unit of the token; null when over 38 digits.', nullable),
  balance_raw: t.text('Amount held in the least unit of the token as text, always exact.'),
}
