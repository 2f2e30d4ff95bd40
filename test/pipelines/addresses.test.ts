import { describe, expect, test } from 'vitest'
import { addressText } from '../../codec/ids.ts'
import { restTransactionsPipeline } from '../../pipelines/rest-transactions.ts'
import { restUtxosPipeline } from '../../pipelines/rest-utxos.ts'
import { rewardsPipeline } from '../../pipelines/rewards.ts'
import { baseProfile } from '../../src/config/profiles.ts'
import { serviceSettings } from '../../src/sources/service-profile.ts'
import { streamsOf } from './streams-of.ts'

const profile = baseProfile('devnet', {})
const id = '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed'
const chains = { 'network-88003': { P: id }, mine: { P: id } }
const settings = serviceSettings({
  ...profile,
  networks: { ...profile.networks, 'network-88003': 'fuji', mine: 'fuji' },
  chains: { ...profile.chains, ...chains },
})

const of = (prefix: string) => addressText(prefix, new Uint8Array(20).fill(7))
const prefixes = { mainnet: 'avax', fuji: 'fuji', testnet: 'fuji', local: 'local', 'network-88003': 'custom' }

const pipelines = [
  { pipeline: restUtxosPipeline, values: { blockchain: 'p-chain' } },
  { pipeline: restTransactionsPipeline, values: { blockchain: 'p-chain' } },
  { pipeline: rewardsPipeline, values: {} },
]

describe.each(pipelines)('the addresses of a $pipeline.name job', ({ pipeline, values }) => {
  const streams = (network: string, address: string) =>
    streamsOf(pipeline, { ...values, network, addresses: [address] } as never, settings)

  test.each(Object.entries(prefixes))(
    'on %s must begin with %s1, with or without a chain prefix',
    (network, prefix) => {
      for (const chain of ['', 'P-', 'X-']) expect(streams(network, `${chain}${of(prefix)}`)).toHaveLength(1)
      const others = ['avax', 'fuji', 'local', 'custom'].filter((other) => other !== prefix)
      for (const other of others)
        for (const chain of ['', 'P-'])
          expect(() => streams(network, `${chain}${of(other)}`)).toThrow(
            expect.objectContaining({
              exitCode: 2,
              code: 'config.address',
              message: expect.stringMatching(
                new RegExp(`^The address ${chain}${other}1\\S+ .*begin with ${prefix}1\\.$`),
              ),
              hint: expect.stringMatching(/./),
            }),
          )
    },
  )

  test('may begin with any prefix on a network of unknown id', () => {
    expect(streams('mine', of('avax'))).toHaveLength(1)
  })

  test('are refused when their checksum is wrong', () => {
    const address = of('fuji')
    const wrong = `${address.slice(0, 12)}${address[12] === 'q' ? 'p' : 'q'}${address.slice(13)}`
    expect(() => streams('fuji', wrong)).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringMatching(/has a wrong checksum/) }),
    )
  })
})
