import type { Fx, FxOrder } from '../../../codec/fxs.ts'
import type { UnsignedXTx } from '../../../codec/x.ts'
import { plainDraft, someWallet } from '../../network/wallets.ts'
import type { XKind } from '../funding.ts'
import { builtX, fundX } from '../funding.ts'
import type { XState } from '../state.ts'
import { keepAll, type Made, madeCoin, madeNft, madeNftMint, madeRight } from '../state.ts'

type InitialState = Extract<UnsignedXTx, { type: 'CreateAssetTx' }>['initialStates'][number]

/** The initial outputs of an asset, by feature extension. */
type Beginning = readonly { readonly fx: Fx; readonly made: readonly Made[] }[]

const names = ['Cedar', 'Harbour', 'Lantern', 'Meridian', 'Orchard', 'Quarry', 'Tideway', 'Willow'] as const

function createAsset(name: string, fxs: FxOrder, begin: (state: XState) => Beginning): XKind {
  return {
    fxs,
    type: `CreateAssetTx ${name}`,
    since: 'apricot',
    weight: 1,
    build: (state) => {
      const { random } = state.network
      const funded = fundX(state, { wallet: someWallet(state) })
      if (funded === null) return null
      const beginning = begin(state)
      const word = random.pick(names)
      return builtX(
        state,
        funded,
        {
          type: 'CreateAssetTx',
          name: `${word} ${name}`,
          symbol: word.slice(0, random.between(1, 4)).toUpperCase(),
          denomination: random.below(19),
          initialStates: beginning.map(({ fx, made }): InitialState => {
            return { fxIndex: state.chain.fxs.indexOf(fx), outputs: made.map(({ output }) => output) }
          }),
        },
        (txId) => {
          const keeps = beginning.flatMap(({ made }) => made.map(({ keep }) => keep))
          keepAll(keeps, txId, txId, funded.drafts.length)
        },
      )
    },
  }
}

function coins(state: XState, most: number): Made[] {
  const { random } = state.network
  return Array.from({ length: random.between(1, most) }, () => {
    const amount = 10n ** BigInt(random.between(6, 15)) * BigInt(random.between(1, 900))
    return madeCoin(state, plainDraft(someWallet(state), amount))
  })
}

function nftMints(state: XState): Made[] {
  return Array.from({ length: state.network.random.between(1, 5) }, (_, group) => {
    return madeNftMint(state, someWallet(state), group)
  })
}

function nft(state: XState): Made {
  return madeNft(state, someWallet(state), { groupID: 0, payload: new TextEncoder().encode('{"token":0}') })
}

function right(state: XState, sort: 'mint' | 'propertyMint' | 'property'): Made {
  return madeRight(state, sort, someWallet(state))
}

export const assetKinds: readonly XKind[] = [
  createAsset('of fixed supply', [], (state) => [{ fx: 'secp256k1fx', made: coins(state, 4) }]),
  createAsset('of open supply', [], (state) => [
    { fx: 'secp256k1fx', made: [right(state, 'mint'), ...coins(state, 2)] },
  ]),
  createAsset('collection', ['nftfx'], (state) => [{ fx: 'nftfx', made: nftMints(state) }]),
  createAsset('property', ['propertyfx'], (state) => [
    { fx: 'propertyfx', made: [right(state, 'propertyMint'), right(state, 'propertyMint')] },
  ]),
  createAsset('of every sort', ['nftfx', 'propertyfx'], (state) => [
    { fx: 'secp256k1fx', made: [right(state, 'mint'), ...coins(state, 2)] },
    { fx: 'nftfx', made: [...nftMints(state), nft(state)] },
    { fx: 'propertyfx', made: [right(state, 'propertyMint'), right(state, 'property')] },
  ]),
]
