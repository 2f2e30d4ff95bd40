import { expect, test } from 'vitest'
import { restUtxosList } from '../../../pipelines/rest-utxos.ts'
import { statedChainName } from '../../../pipelines/shared/service.ts'
import { answerObject } from '../../../src/decode/json/fields.ts'
import { DecodeError, OtherSourceError } from '../../../src/errors.ts'
import { testContext } from './reading.ts'

const check = (chainInfo: unknown, network = 'fuji') =>
  statedChainName(answerObject({ chainInfo }, 'answer', testContext()), { alias: 'P', parts: { network } })

test.each([
  { chainName: 'p-chain', network: 'fuji' },
  { chainName: 'P-Chain', network: 'Testnet' },
  { network: 'testnet' },
  { chainName: 'p-chain' },
  { chainName: '11111111111111111111111111111111LpoYY', network: 'fuji' },
  { chainName: '', network: '' },
  {},
  null,
  undefined,
])('chain info %j is accepted, since it matches the request or states nothing', (chainInfo) => {
  const name = chainInfo?.chainName ?? null
  expect(check(chainInfo)).toBe(name)
  expect(check(chainInfo, 'testnet')).toBe(name)
})

test.each([
  { chainName: 'p-chain', network: 'mainnet' },
  { network: 'local' },
  { chainName: 'x-chain', network: 'fuji' },
  { chainName: 'c-chain' },
])('chain info %j is refused, since it is of another chain or network', (chainInfo) => {
  expect(() => check(chainInfo)).toThrow(OtherSourceError)
})

test('a list of another network is refused; the error names both networks', () => {
  const decode = restUtxosList({ network: 'local', id: 'id', alias: 'X', parts: { network: 'fuji' } })
  const answer = { utxos: [], chainInfo: { chainName: 'x-chain', network: 'mainnet' } }
  expect(() => decode(answer, testContext())).toThrow(
    expect.objectContaining({
      exitCode: 5,
      details: { 'asked for': 'fuji x-chain', answered: 'mainnet x-chain' },
      hint: expect.stringContaining('Nothing of this unit was written.'),
    }),
  )
  expect(() => decode({ utxos: [], chainInfo: { network: {} } }, testContext())).toThrow(DecodeError)
})
