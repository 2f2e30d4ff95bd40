import { below, t } from '../../src/define/index.ts'
import { networkColumn } from './block-columns.ts'

const nullable = { nullable: true } as const

/** First columns of tables of EVM chains. */
export const evmChainColumns = {
  ...networkColumn,
  chain_id: t.address('EVM chain id or blockchain id, as in the job.'),
}

/** First columns of every table of token transfers. */
export const transferPlaceColumns = {
  ...evmChainColumns,
  block_number: t.int64('Number of the block.').at('blockNumber').partlyUnproven(),
  log_index: t
    .int64('Position of the event among all events of the block; null where the service leaves it out.', nullable)
    .at('logIndex')
    .partlyUnproven(),
  transaction_hash: t.hex('Hash of the transaction.').at('txHash', 'hash').lasting().partlyUnproven(),
}

/** Time, sender and receiver of a transfer. */
export const transferPartyColumns = {
  block_time: t
    .timestamp('Time of the block (UTC), with milliseconds where the answer has them.')
    .at('blockTimestamp')
    .lasting()
    .partlyUnproven(),
  block_hash: t.hex('Hash of the block.').at('blockHash', 'hash').lasting().partlyUnproven(),
  ...partyColumns('from', 'Sender; the zero address for minted tokens.'),
  ...partyColumns('to', 'Receiver; the zero address for burned tokens.'),
}

/** A sender or receiver, and what only the service knows of it. */
export function partyColumns<const P extends string>(party: P, comment: string) {
  const columns = {
    address: t.address(comment).at('address').lasting().partlyUnproven(),
    name: t.text('Name of the address in the service.', nullable).at('name').unproven(),
    symbol: t.text('Symbol of the token at the address.', nullable).at('symbol').unproven(),
    decimals: t.int64('Decimal places of the token at the address.', nullable).at('decimals').unproven(),
    logo_uri: t.text('URL of the logo of the address.', nullable).at('logoUri').unproven(),
  }
  return prefixed(party, below(party, columns))
}

type Prefixed<P extends string, C> = { [K in keyof C & string as `${P}_${K}`]: C[K] }

function prefixed<const P extends string, C extends object>(prefix: P, columns: C): Prefixed<P, C> {
  const renamed = Object.entries(columns).map(([name, column]) => [`${prefix}_${name}`, column])
  return Object.fromEntries(renamed) as Prefixed<P, C>
}

/** Amounts of tokens, which have up to 256 bits. */
export const tokenAmountColumns = {
  amount: t
    .decimal38('Amount in the least unit of the token; null when it has more than 38 digits.', nullable)
    .at('value', 'digits'),
  amount_raw: t.text('Amount in the least unit of the token, as text with all digits.'),
}

/** The token of a row. */
export const tokenAddressColumns = {
  token_address: t.address('Contract of the token.').at('address'),
  standard: t.text('Standard of the token: erc20, erc721 or erc1155.'),
}

export const tokenNameColumns = {
  token_name: t.text('Name of the token.', nullable).at('name'),
  token_symbol: t.text('Symbol of the token.', nullable).at('symbol'),
}

/** How a token is shown. */
export const tokenLookColumns = {
  token_decimals: t.int64('Decimal places of the token.', nullable).at('decimals'),
  token_logo_uri: t.text('URL of the token logo.', nullable).at('logoUri'),
}

/** The value of a balance, which an answer may leave out. */
export const balanceValueColumns = {
  balance_value_currency: t
    .text('Currency of balance_value, such as usd.', nullable)
    .at('balanceValue.currencyCode', 'word'),
  balance_value: t
    .double('Value of the balance in that currency when the service answered.', nullable)
    .at('balanceValue.value'),
}

/** A price, which an answer may leave out. */
export const optionalPriceColumns = {
  price_currency: t.text('Currency of the price, such as usd.', nullable).at('price.currencyCode', 'word'),
  price: t.double('Price of one whole token in that currency when the service answered.', nullable).at('price.value'),
}

export const collectibleColumns = {
  token_id: t.text('Id of the token in its contract, in decimal digits.').at('tokenId', 'tokenId'),
  token_uri: t.text('URI of the metadata of the token.', nullable).at('tokenUri'),
  metadata: t
    .struct(
      {
        index_status: t
          .text('Status of the metadata in the service, as it spells it: INDEXED, UNINDEXED, …', nullable)
          .at('indexStatus', 'word'),
        metadata_updated_at: t
          .timestamp('When the service last read the metadata (UTC).', nullable)
          .at('metadataLastUpdatedTimestamp'),
        name: t.text('Name of the token.', nullable).at('name'),
        symbol: t.text('Symbol of the token.', nullable).at('symbol'),
        image_uri: t.text('URL of the image.', nullable).at('imageUri'),
        description: t.text('Description.', nullable).at('description'),
        animation_uri: t.text('URL of the animation.', nullable).at('animationUri'),
        external_url: t.text('URL of a page about the token.', nullable).at('externalUrl'),
        background: t.text('Background colour.', nullable).at('background'),
        attributes: t.text('Attributes as the service returns them (ERC-721).', nullable).at('attributes'),
        decimals: t.int64('Decimal places (ERC-1155).', nullable).at('decimals'),
        properties: t.text('Properties as the service returns them (ERC-1155).', nullable).at('properties'),
      },
      'Metadata that the service read from the URI of the token; null where the service leaves it out.',
      nullable,
    )
    .at('metadata'),
}

export const ownerColumn = {
  owner: t.address('Address of the wallet that holds the token.'),
}

export const tokenBalanceColumns = {
  balance: t
    .decimal38('Balance in the least unit of the token; null when it has more than 38 digits.', nullable)
    .at('balance', 'digits'),
  balance_raw: t.text('Balance in the least unit of the token, as text with all digits.'),
}
