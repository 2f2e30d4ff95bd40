import { describe, expect, test } from 'vitest'
import { listRoute, plainRoute } from '../../../devnet/service/plumbing/route.ts'
import {
  amount,
  boolean,
  choice,
  commaList,
  evmAddress,
  integer,
  repeated,
  required,
  text,
} from '../../../devnet/service/plumbing/rules.ts'
import { asking } from './asking.ts'

const seen: unknown[] = []
const routes = [
  listRoute({
    path: '/v1/things/{network}/{blockchainId}',
    parameters: {
      addresses: commaList(evmAddress, 2),
      kinds: repeated(['a', 'b']),
      least: amount(),
      spent: boolean(),
      height: required(integer({ least: 0, most: 9 })),
      sortOrder: choice(['asc', 'desc']),
      asset: text(),
    },
    pageSize: { default: 10, most: 100 },
    cost: 'medium',
    handle: ({ parts, query }) => {
      seen.push({ ...parts, ...query })
      return { items: 'things', rows: [{ n: 1 }], extra: { chainInfo: { network: parts.network } } }
    },
  }),
  plainRoute({
    path: '/v1/chains/{chainId}/addresses/{address}/things:listAll',
    parameters: {},
    cost: 'small',
    handle: ({ parts }) => ({ body: { ...parts, big: 2n ** 64n } }),
  }),
  plainRoute({
    path: '/v2/metrics',
    host: 'metrics',
    parameters: { a: required(integer({ least: 1 })) },
    cost: 'small',
    handle: () => ({ body: {} }),
  }),
]
const path = '/v1/things/fuji/p-chain'
const address = '0x00000000000000000000000000000000000000AA'

describe('request parameters', () => {
  test('are parsed when they are valid, and unknown ones are ignored', async () => {
    const ask = asking(routes)
    const query = `height=9&addresses=${address},${address}&kinds=a&kinds=b&least=18446744073709551616&spent=false&sortOrder=asc&more=1`
    const { status, body } = await ask(`${path}?${query}`)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { things: [{ n: 1 }], chainInfo: { network: 'fuji' } },
    })
    expect(seen.at(-1)).toEqual({
      network: 'fuji',
      blockchainId: 'P',
      addresses: [address.toLowerCase(), address.toLowerCase()],
      kinds: ['a', 'b'],
      least: 2n ** 64n,
      spent: false,
      height: 9,
      sortOrder: 'asc',
    })
  })

  test.each([
    ['height=10', 'height must not be greater than 9'],
    ['height=-1', 'height must not be less than 0'],
    ['height=1.5', 'height must be an integer number'],
    ['', 'height should not be empty'],
    ['height=1&spent=1', 'spent must be a boolean value'],
    ['height=1&sortOrder=up', 'sortOrder must be one of the following values: asc, desc'],
    ['height=1&kinds=a&kinds=c', 'each value in kinds must be one of the following values: a, b'],
    ['height=1&addresses=0x1', 'each value in addresses must be an Ethereum address'],
    ['height=1&addresses=', 'addresses should not be empty'],
    [`height=1&addresses=${Array(3).fill(address)}`, 'addresses must contain no more than 2 elements'],
    ['height=1&least=-1', 'least must be a whole number of at least 0'],
    ['height=1&pageSize=0', 'pageSize must not be less than 1'],
    ['height=1&pageSize=101', 'pageSize must not be greater than 100'],
  ])('are refused: %s', async (query, message) => {
    const { status, body } = await asking(routes)(`${path}?${query}`)
    expect(status).toBe(400)
    expect(body).toEqual({ message: [message], statusCode: 400, error: 'Bad Request' })
  })

  test('have one error text on the data host of the spec dialect, and a list of errors on the metrics host', async () => {
    const ask = asking(routes, { dialect: 'spec' })
    expect((await ask(`${path}?height=x&spent=x`)).body.message).toBe(
      'spent must be a boolean value, height must be an integer number',
    )
    expect((await ask('/v2/metrics')).body.message).toEqual(['a should not be empty'])
    expect((await asking(routes)('/v1/nothing')).body.message).toBe('Cannot GET /v1/nothing')
  })

  test('in the path are checked too', async () => {
    const ask = asking(routes)
    expect((await ask('/v1/things/other/p-chain?height=1')).body).toMatchObject({ statusCode: 400 })
    expect((await ask('/v1/things/fuji/q-chain?height=1')).body).toMatchObject({ statusCode: 400 })
    expect((await ask('/v1/things/mainnet/x-chain?height=1')).body).toMatchObject({ things: [] })
    const ids = await ask('/v1/things/testnet/11111111111111111111111111111111LpoYY?height=1')
    expect(ids.body).toMatchObject({ things: [{ n: 1 }], chainInfo: { network: 'testnet' } })
    const wallet = `/v1/chains/43112/addresses/${address}/things:listAll`
    expect((await ask(wallet)).body).toEqual({
      chainId: '43112',
      address: address.toLowerCase(),
      big: 2 ** 64,
    })
    expect((await ask(wallet.replace('things:', 'things%3A'))).status).toBe(200)
    expect((await ask(wallet.replace('43112', '43114'))).body).toMatchObject({ statusCode: 404, error: 'Not Found' })
    expect((await ask(wallet.replace('43112', 'C'))).body).toMatchObject({ statusCode: 400 })
    expect((await ask(wallet, { method: 'POST', body: {} })).status).toBe(404)
  })
})
