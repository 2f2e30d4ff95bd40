import { describe, expect, test } from 'vitest'
import { decodeCContainer } from '../../src/decode/c/rows.ts'
import { decodePContainer } from '../../src/decode/p/rows.ts'
import { decodeXContainer, decodeXTransaction, decodeXVertex } from '../../src/decode/x/rows.ts'
import { OtherSourceError } from '../../src/errors.ts'
import type { ChainContext, Container } from '../../src/model.ts'
import { recordedContainers } from '../recorded.ts'
import { contextOf, type RecordingName } from './recordings.ts'

type Decode = (container: Container, context: ChainContext) => Readonly<Record<string, readonly object[]>>

const chains = { P: decodePContainer, X: decodeXContainer, C: decodeCContainer } as const
type Chain = keyof typeof chains

/** The first container that a decoder refuses because of its network, and the error. */
function refusal(containers: readonly Container[], decode: Decode, context: ChainContext) {
  for (const container of containers)
    try {
      decode(container, context)
    } catch (error) {
      if (error instanceof OtherSourceError) return { container, error }
      throw error
    }
  return null
}

const recorded = (recording: RecordingName, chain: Chain) =>
  recordedContainers(`${recording}/${chain.toLowerCase()}-containers`).slice(0, 400)

describe.each(['granite', 'helicon'] as const)('containers of %s', (recording) => {
  const other = recording === 'granite' ? 'helicon' : 'granite'

  test.each(['P', 'X', 'C'] as const)('of the %s chain are refused when the lake has another network id', (chain) => {
    const decode: Decode = chains[chain]
    const containers = recorded(recording, chain)
    const own = contextOf(recording, chain)
    expect(refusal(containers, decode, own)).toBeNull()
    const wrong = { ...own, networkId: contextOf(other, chain).networkId }
    const { container, error } = refusal(containers, decode, wrong)!
    expect(error).toMatchObject({
      exitCode: 5,
      code: 'catalog.other-source',
      message: expect.stringMatching(
        new RegExp(
          `^Container ${container.index} of the ${chain} chain of .* holds a transaction of network ${own.networkId}`,
        ),
      ),
      details: {
        container: container.id,
        index: container.index,
        transaction: expect.stringMatching(/^[1-9A-Za-z]{40,}$/),
        'network id stated': own.networkId,
        'network id of the lake': wrong.networkId,
      },
      hint: expect.stringContaining('Nothing of this unit was written.'),
    })
  })

  test.each(['P', 'X', 'C'] as const)(
    'of the %s chain are refused when the lake has another blockchain id',
    (chain) => {
      const decode: Decode = chains[chain]
      const own = contextOf(recording, chain)
      const blockchainId = contextOf(recording, chain === 'X' ? 'C' : 'X').blockchainId
      const { error } = refusal(recorded(recording, chain), decode, { ...own, blockchainId })!
      expect(error.message).toMatch(/ holds another blockchain\.$/)
      expect(error.details).toMatchObject({
        'blockchain stated': own.blockchainId,
        'blockchain of the lake': blockchainId,
        transaction: expect.any(String),
      })
      // Without a known blockchain id, or when the chain was requested by its id, there is nothing to compare.
      expect(refusal(recorded(recording, chain), decode, { ...own, blockchainId, chain: blockchainId })).toBeNull()
      expect(refusal(recorded(recording, chain), decode, { ...own, blockchainId: chain })).toBeNull()
    },
  )

  test('of the C-Chain are refused when a transaction was signed for another EVM chain', () => {
    const own = contextOf(recording, 'C')
    const containers = recorded(recording, 'C')
    const { error } = refusal(containers, decodeCContainer, { ...own, evmChainId: 43_113 })!
    expect(error.message).toMatch(/ holds a transaction that was signed for EVM chain 43112\.$/)
    expect(error.details).toMatchObject({ 'EVM chain id signed': 43_112n, transaction: expect.stringMatching(/^0x/) })
    expect(refusal(containers, decodeCContainer, { ...own, evmChainId: null })).toBeNull()
  })
})

test('transactions and vertices from before the linear X-Chain are refused for another network or blockchain', () => {
  const own = contextOf('legacy', 'X')
  const transactions = recordedContainers('legacy/x-transactions').slice(0, 50)
  const vertices = recordedContainers('legacy/x-vertices').slice(0, 50)
  expect(refusal(transactions, decodeXTransaction, own)).toBeNull()
  expect(refusal(vertices, decodeXVertex, own)).toBeNull()
  expect(refusal(transactions, decodeXTransaction, { ...own, networkId: 5 })?.error.message).toMatch(
    /of network 12345\.$/,
  )
  const other = { ...own, blockchainId: contextOf('helicon', 'X').blockchainId }
  expect(refusal(vertices, decodeXVertex, other)?.error.message).toMatch(/ holds another blockchain\.$/)
})
