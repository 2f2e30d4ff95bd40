import { describe, expect, test } from 'vitest'
import { addressText } from '../../codec/ids.ts'
import { restUtxosPipeline } from '../../pipelines/rest-utxos.ts'
import {
  type Observation,
  type ServiceSettings,
  type StreamDeclaration,
  serviceStream,
} from '../../src/define/index.ts'
import { ConfigError } from '../../src/errors.ts'
import { streamId } from '../../src/model.ts'
import { serviceSettings } from '../../src/sources/service-profile.ts'
import { profileAt } from '../sources/service-profile-at.ts'
import { ofService } from './of-service.ts'
import { streamsOf } from './streams-of.ts'

const profile = profileAt('http://data', 'http://metrics')
const { getAddresses, postAddresses } = profile

function addressesOf(count: number): string[] {
  return Array.from({ length: count }, (_, at) => {
    const bytes = Buffer.alloc(20)
    bytes.writeUInt32BE(at)
    return addressText('fuji', bytes)
  })
}

function streams(given: object, limits: Partial<ServiceSettings> = {}): readonly StreamDeclaration[] {
  const absent = Object.fromEntries(Object.keys(restUtxosPipeline.parameters).map((name) => [name, undefined]))
  const values = { ...absent, network: 'fuji', blockchain: 'p-chain', ...given }
  return streamsOf(restUtxosPipeline, values as never, { ...serviceSettings(profile), ...limits })
}

/** The first request of each stream: method, page size and number of addresses. */
function requested(given: object, limits: Partial<ServiceSettings> = {}) {
  return streams(given, limits).map(({ walk }) => {
    const { method, query, body } = ofService((walk as Observation).subjects[0]!.lists[0]!.request(null))
    const list = String(query['addresses'] ?? (body as { addresses?: string } | undefined)?.addresses ?? '')
    return [method, query['pageSize'], list === '' ? 0 : list.split(',').length]
  })
}

describe('the UTXOs of addresses', () => {
  test('are requested with the larger pages, which cost the same', () => {
    expect(requested({ addresses: addressesOf(1) })).toEqual([['POST', 1024, 1]])
    expect(requested({ addresses: addressesOf(64), 'page-size': 101 })).toEqual([['POST', 101, 64]])
    expect(requested({ addresses: addressesOf(64), 'page-size': 100 })).toEqual([['GET', 100, 64]])
    expect(requested({ addresses: addressesOf(65), 'page-size': 100 })).toEqual([['POST', 100, 65]])
    expect(requested({})).toEqual([['GET', 100, 0]])
  })

  test('are requested with the method and page size of the job', () => {
    expect(requested({ addresses: addressesOf(3), method: 'post', 'page-size': 7 })).toEqual([['POST', 7, 3]])
    expect(requested({ addresses: addressesOf(3), method: 'get' })).toEqual([['GET', 100, 3]])
    expect(requested({ addresses: addressesOf(65), method: 'get' })).toEqual([
      ['GET', 100, 64],
      ['GET', 100, 1],
    ])
    expect(requested({ method: 'get' })).toEqual([['GET', 100, 0]])
  })

  test('keep the stream names of earlier versions, so that existing lakes resume', () => {
    for (const [count, size] of [
      [1, getAddresses],
      [64, getAddresses],
      [65, postAddresses],
      [1001, postAddresses],
    ] as const) {
      const addresses = addressesOf(count)
      const ids = Array.from({ length: Math.ceil(count / size) }, (_, at) =>
        streamId(
          serviceStream('fuji', 'rest-utxos/P', {
            addresses: addresses.slice(at * size, (at + 1) * size),
            includeSpent: true,
          }),
        ),
      )
      for (const method of [undefined, 'post'])
        expect(streams({ addresses, method }).map(({ stream }) => streamId(stream))).toEqual(ids)
    }
    const [got] = streams({ addresses: addressesOf(64), method: 'get' })
    expect(streamId(got!.stream)).toBe(streamId(streams({ addresses: addressesOf(64) })[0]!.stream))
  })

  test('are split so that no request has more addresses than its method takes', () => {
    const limits = { getAddresses: 64, postAddresses: 20 }
    expect(requested({ addresses: addressesOf(30) }, limits)).toEqual([['GET', 100, 30]])
    expect(requested({ addresses: addressesOf(30), method: 'post' }, limits)).toEqual([
      ['POST', 1024, 20],
      ['POST', 1024, 10],
    ])
  })

  test.each([
    [{ method: 'post' }, /the job names none/, /leave method out/],
    [{ method: 'get', addresses: [`C-${addressesOf(1)[0]}`] }, /Only method post takes C- addresses/, /set it to post/],
    [{ method: 'get', addresses: addressesOf(2), 'page-size': 101 }, /page-size above 100/, /leave method out/],
    [{ 'page-size': 1024 }, /page-size above 100/, /Set page-size to at most 100/],
  ])('with %j are refused, with a hint', (given, message, hint) => {
    const failure = (() => {
      try {
        return streams(given)
      } catch (error) {
        return error
      }
    })()
    expect(failure).toBeInstanceOf(ConfigError)
    expect(failure).toMatchObject({ code: 'config.parameter', message: expect.stringMatching(message) })
    expect((failure as ConfigError).hint).toMatch(hint)
  })
})
