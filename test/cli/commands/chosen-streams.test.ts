import { describe, expect, test } from 'vitest'
import { chosenStreams } from '../../../src/cli/commands/show-status.ts'
import { streamStatus } from './stream-status.ts'

const wallet = (digit: number) => `fuji/wallet-transfers/43113?wallet=0x${String(digit).repeat(40)}`
const names = ['fuji/P/block', 'fuji/X/block', 'mainnet/P/block', 'fuji/contracts/7?list=a', wallet(1), wallet(2)]
const streams = names.map((name) => streamStatus(name, {}))

const choose = (chosen: readonly string[], except?: string) =>
  chosenStreams(streams, chosen, except).map(({ stream }) => stream)

describe('streams are chosen', () => {
  test.each<[string, string[]]>([
    ['mainnet/P/block', ['mainnet/P/block']],
    ['mainnet', ['mainnet/P/block']],
    ['fuji/wallet-transfers/43113', [wallet(1), wallet(2)]],
    ['X/block', ['fuji/X/block']],
    ['wallet-transfers/43113', [wallet(1), wallet(2)]],
    ['contracts/7, list=a', ['fuji/contracts/7?list=a']],
  ])('by the name %s', (name, expected) => expect(choose([name])).toEqual(expected))

  test('in their order, each once, without those to leave out', () =>
    expect(choose(['mainnet', 'X/block', 'fuji'], 'wallet-transfers/43113,contracts/7')).toEqual([
      'fuji/P/block',
      'fuji/X/block',
      'mainnet/P/block',
    ]))

  test('by a listed name only if one network has it', () =>
    expect(() => choose(['P/block'])).toThrow(
      expect.objectContaining({
        message: 'Several networks have a stream "P/block": fuji, mainnet.',
        hint: 'Name the network, such as fuji/P/block.',
      }),
    ))

  test.each([
    ['X/blok', 'Did you mean X/block?'],
    ['mainet/P/block', 'Did you mean mainnet/P/block?'],
    ['q', '`chainlake status` lists the streams.'],
  ])('and for %s the error names the nearest one at most', (name, hint) =>
    expect(() => choose([name])).toThrow(
      expect.objectContaining({ message: `The lake has no stream ${JSON.stringify(name)}.`, hint }),
    ),
  )
})
