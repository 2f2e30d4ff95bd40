import { describe, expect, test } from 'vitest'
import {
  columnNames,
  eventTable,
  parseSignature,
  snakeCase,
  usualTableName,
} from '../../../src/decode/events/events.ts'
import { type Columns, duckdbType } from '../../../src/define/index.ts'

/** The columns of the parameters with their types. */
function columnsOf(signature: string): string[] {
  const event = parseSignature(signature, 'events')
  const columns = Object.entries(eventTable(event, usualTableName(event)).columns as Columns)
  return columns.slice(8).map(([name, { type, nullable }]) => `${name} ${duckdbType(type)}${nullable ? ' NULL' : ''}`)
}

describe('the table of an event', () => {
  test('begins with the place of the log', () => {
    const table = eventTable(parseSignature('event Sync()', 'events'), 'evm_event_sync')
    expect(Object.keys(table.columns)).toEqual([
      'network',
      'chain_id',
      'block_number',
      'block_time',
      'transaction_index',
      'transaction_hash',
      'log_index',
      'contract',
    ])
    expect(table.key).toEqual(['network', 'chain_id', 'block_number', 'transaction_index', 'log_index'])
    expect(table.comment).toBe('One row per log of the event: event Sync()')
  })

  test.each([
    ['address a', 'a VARCHAR'],
    ['bytes32 a', 'a VARCHAR'],
    ['function a', 'a VARCHAR'],
    ['bool a', 'a BOOLEAN'],
    ['string a', 'a VARCHAR'],
    ['bytes a', 'a BLOB'],
    ['uint8 a', 'a BIGINT'],
    ['uint56 a', 'a BIGINT'],
    ['int64 a', 'a BIGINT'],
    ['uint64 a', 'a DECIMAL(20,0)'],
    ['uint72 a', 'a DECIMAL(38,0)'],
    ['int72 a', 'a DECIMAL(38,0)'],
    ['uint120 a', 'a DECIMAL(38,0)'],
    ['uint128 a', 'a_raw VARCHAR; a DECIMAL(38,0) NULL'],
    ['int256 a', 'a_raw VARCHAR; a DECIMAL(38,0) NULL'],
    ['uint256[] a', 'a VARCHAR[]'],
    ['uint8[2][] a', 'a BIGINT[][]'],
    [
      '(uint256 amount, (bool ok, bytes)[] innerPart) a',
      'a STRUCT(amount VARCHAR, inner_part STRUCT(ok BOOLEAN, arg1 BLOB)[])',
    ],
    ['string indexed a', 'a VARCHAR'],
    ['uint8[] indexed a', 'a VARCHAR'],
    ['(uint8 b) indexed a', 'a VARCHAR'],
  ])('has for %s: %s', (parameter, columns) => {
    expect(columnsOf(`event A(${parameter})`).join('; ').replaceAll('"', '')).toBe(columns)
  })

  test.each([
    ['event A(address, uint8, address)', ['arg0', 'arg1', 'arg2']],
    ['event A(bool network, bool contract, bool blockNumber)', ['network_arg', 'contract_arg', 'block_number_arg']],
    ['event A(bool a, bool A, bool _a, bool a_arg)', ['a', 'a_arg', 'a_arg_arg', 'a_arg_arg_arg']],
    ['event A(uint256 value, bool valueRaw)', ['value_raw', 'value', 'value_raw_arg']],
    ['event A(bool valueRaw, uint256 value)', ['value_raw', 'value_arg_raw', 'value_arg']],
    ['event A(bool $, bool arg0)', ['arg0', 'arg0_arg']],
    ['event A(bool __proto__, bool constructor, bool _1x)', ['proto', 'constructor', 'arg2']],
  ])('names columns after parameters, and renames clashes: %s', (signature, names) => {
    expect(columnsOf(signature).map((column) => column.split(' ')[0])).toEqual(names)
  })

  test('names fields of structs by the same rules', () => {
    expect(
      columnNames(
        [
          { name: 'tokenId', withRaw: false },
          { name: 'token_id', withRaw: false },
        ],
        [],
      ),
    ).toEqual(['token_id', 'token_id_arg'])
  })

  test.each([
    ['amount0In', 'amount0_in'],
    ['sqrtPriceX96', 'sqrt_price_x96'],
    ['tokenURI', 'token_uri'],
    ['ERC20Paused', 'erc20_paused'],
    ['_from', 'from'],
    ['$', ''],
  ])('has names in snake case: %s is %s', (name, snake) => {
    expect(snakeCase(name)).toBe(snake)
  })

  test.each(['$', '_', 'a'.repeat(129)])('has no name of its own for an event %s', (name) => {
    const event = parseSignature(`event ${name}()`, 'events')
    expect(() => usualTableName(event)).toThrow('cannot be the name of a table')
  })
})
