import { expect, test } from 'vitest'
import { takeBytes } from '../../bench/answer-bytes.ts'
import { recordedEvmBlocks } from '../../bench/recorded-evm-blocks.ts'
import { recordedLines } from '../recorded.ts'

test('the floor extracts the bytes of containers from an answer of the index', () => {
  const containers = recordedLines('granite/p-containers').map((line) => JSON.parse(line))
  const length = containers.reduce((sum, { bytes }) => sum + bytes.length / 2 - 1, 0)
  expect(takeBytes.containers({ result: { containers } })).toBe(length)
})

test('the floor extracts from blocks and receipts the bytes that EVM tables store as bytes', () => {
  const { block, receipts } = recordedEvmBlocks().find(({ receipts }) => receipts.some(({ logs }) => logs.length > 0))!
  const texts = [
    ...[block['logsBloom'], block['extraData'], block['blockExtraData']],
    ...block['transactions'].map(({ input }: any) => input),
    ...receipts.flatMap(({ logs }) => logs.map(({ data }: any) => data)),
  ]
  const length = texts.reduce((sum, text) => sum + text.length / 2 - 1, 0)
  expect(takeBytes.evmBlocks([{ result: block }, { result: receipts }])).toBe(length)
})
