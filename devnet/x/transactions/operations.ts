import type { Fx } from '../../../codec/fxs.ts'
import type { UnsignedXTx } from '../../../codec/x.ts'
import { compareCoins, ownerFields, plainDraft, signersOf, someWallet, takeAt } from '../../network/wallets.ts'
import type { XKind } from '../funding.ts'
import { builtX, fundX, type XCredential, xCredentialOf } from '../funding.ts'
import type { Right, Rights, XState } from '../state.ts'
import { keepAll, type Made, madeCoin, madeNft, madeRight } from '../state.ts'

type Operation = Extract<UnsignedXTx, { type: 'OperationTx' }>['operations'][number]['operation']

/** The operation on a right that it spends, and the outputs that it creates. */
type Act = { readonly operation: Operation; readonly keeps: readonly Made['keep'][] }

type Sort = {
  readonly spends: keyof Rights
  readonly credential: XCredential['type']
  readonly act: (state: XState, right: Right) => Act
}

/** Mints coins and keeps the right to mint. */
const mint: Sort = {
  spends: 'mint',
  credential: 'secp256k1fx.Credential',
  act: (state, { wallet }) => {
    const { random } = state.network
    const draft = plainDraft(someWallet(state), BigInt(random.between(1, 1_000_000)) * 1_000n)
    const owner = random.oneIn(8) ? someWallet(state) : wallet
    const keeps = [madeRight(state, 'mint', owner).keep, madeCoin(state, draft).keep]
    const transferOutput = { amount: draft.amount, ...ownerFields(draft.wallet) }
    const mintOutput = ownerFields(owner)
    const mintInput = { signatureIndices: signersOf(wallet) }
    return { operation: { type: 'secp256k1fx.MintOperation', mintInput, mintOutput, transferOutput }, keeps }
  },
}

/** Mints an NFT for each of some owners. This ends the right to mint. */
const nftMint: Sort = {
  spends: 'nftMint',
  credential: 'nftfx.Credential',
  act: (state, { wallet, groupID }) => {
    const { random } = state.network
    const payload = new TextEncoder().encode(`{"token":${random.below(1_000_000)}}`)
    const owners = Array.from({ length: random.between(1, 3) }, () => someWallet(state))
    return {
      operation: {
        type: 'nftfx.MintOperation',
        mintInput: { signatureIndices: signersOf(wallet) },
        groupID,
        payload,
        outputs: owners.map((owner) => ownerFields(owner)),
      },
      keeps: owners.map((owner) => madeNft(state, owner, { groupID, payload }).keep),
    }
  },
}

const nftTransfer: Sort = {
  spends: 'nft',
  credential: 'nftfx.Credential',
  act: (state, { wallet, groupID, payload }) => {
    const owner = someWallet(state)
    const input = { signatureIndices: signersOf(wallet) }
    const output = { groupID, payload, ...ownerFields(owner) }
    return {
      operation: { type: 'nftfx.TransferOperation', input, output },
      keeps: [madeNft(state, owner, { groupID, payload }).keep],
    }
  },
}

const propertyMint: Sort = {
  spends: 'propertyMint',
  credential: 'propertyfx.Credential',
  act: (state, { wallet }) => {
    const owner = someWallet(state)
    const mintInput = { signatureIndices: signersOf(wallet) }
    const [mintOutput, ownedOutput] = [ownerFields(wallet), ownerFields(owner)]
    return {
      operation: { type: 'propertyfx.MintOperation', mintInput, mintOutput, ownedOutput },
      keeps: [madeRight(state, 'propertyMint', wallet).keep, madeRight(state, 'property', owner).keep],
    }
  },
}

const propertyBurn: Sort = {
  spends: 'property',
  credential: 'propertyfx.Credential',
  act: (_, { wallet }) => {
    return { operation: { type: 'propertyfx.BurnOperation', signatureIndices: signersOf(wallet) }, keeps: [] }
  },
}

/** A transaction with one operation of each of the given sorts. */
function operationTx(name: string, weight: number, sorts: readonly Sort[]): XKind {
  return {
    type: `OperationTx ${name}`,
    fxs: sorts.map(({ credential }) => credential.split('.')[0] as Fx),
    since: 'apricot',
    weight,
    build: (state) => {
      if (sorts.some(({ spends }) => state.rights[spends].length === 0)) return null
      const funded = fundX(state, { wallet: someWallet(state) })
      if (funded === null) return null
      const acts = sorts
        .map(({ spends, credential, act }) => {
          const list = state.rights[spends]
          const right = takeAt(list, state.network.random.below(list.length))
          return { right, credential, ...act(state, right) }
        })
        .sort((a, b) => compareCoins(a.right, b.right))
      const credentials = [
        ...funded.credentials,
        ...acts.map(({ right, credential }) => xCredentialOf(state, right.wallet, credential)),
      ]
      const operations = acts.map(({ right: { asset, txId, index }, operation }) => {
        return { assetID: asset, inputIDs: [{ txID: txId, outputIndex: index }], operation }
      })
      return builtX(state, { ...funded, credentials }, { type: 'OperationTx', operations }, (txId) => {
        let index = funded.drafts.length
        for (const { right, keeps } of acts) {
          keepAll(keeps, txId, right.asset, index)
          index += keeps.length
        }
      })
    },
  }
}

export const operationKinds: readonly XKind[] = [
  operationTx('mint', 3, [mint]),
  operationTx('mint of NFTs', 3, [nftMint]),
  operationTx('transfer of an NFT', 3, [nftTransfer]),
  operationTx('mint of a property', 2, [propertyMint]),
  operationTx('burning of a property', 1, [propertyBurn]),
  operationTx('mint of several sorts', 1, [mint, nftMint, propertyMint]),
  operationTx('transfer and burning', 1, [nftTransfer, propertyBurn]),
]
