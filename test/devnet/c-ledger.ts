import * as avalanche from '@avalabs/avalanchejs'
import { decodeExtData, type EvmTx, type HashedCBlock } from '../../codec/c.ts'
import { idText } from '../../codec/ids.ts'
import { keccak256 } from '../../codec/keccak.ts'
import { encodeRlp, type Rlp } from '../../devnet/c/rlp.ts'
import { evmChainId } from '../../devnet/c/state.ts'
import { exportFrom, type Traffic } from './traffic.ts'

/** The types of the package import files without their extension, which the compiler does not find. */
const { secp256k1 } = avalanche as unknown as {
  secp256k1: {
    recoverPublicKey(digest: Uint8Array, signature: Uint8Array): Uint8Array
    publicKeyToEthAddress(publicKey: Uint8Array): Uint8Array
  }
}

/** Follows the C-Chain block by block and collects contradictions. */
export type CLedger = {
  readonly problems: string[]
  /** Types of transactions with their special properties, and their counts. */
  readonly seen: Map<string, number>
  add(block: HashedCBlock, where: string): void
}

/** `recovered`: number of blocks with recovered senders, because recovery is slow. */
export function createCLedger(nativeAsset: string, traffic: Traffic, recovered: number): CLedger {
  const problems: string[] = []
  const seen = new Map<string, number>()
  const nonces = new Map<string, bigint>()
  let blocks = 0
  const see = (what: string): void => {
    seen.set(what, (seen.get(what) ?? 0) + 1)
  }
  const useNonce = (address: string, nonce: bigint, where: string): void => {
    const expected = nonces.get(address) ?? 0n
    if (blocks <= recovered && nonce !== expected)
      problems.push(`${where}: nonce ${nonce} of ${address}, not ${expected}`)
    nonces.set(address, nonce + 1n)
  }
  return {
    problems,
    seen,
    add: ({ block }, where) => {
      blocks += 1
      for (const tx of block.transactions) {
        see(kindOf(tx))
        if (blocks <= recovered) useNonce(senderOf(tx), tx.nonce, where)
      }
      const { txs, txIds, encoding } = decodeExtData(block.extData, where)
      if (txs.length > 1) see(`${encoding} of several`)
      txs.forEach(({ unsignedTx: tx }, at) => {
        see(`${encoding} ${tx.type}`)
        if (tx.type === 'ExportTx') {
          exportFrom('C', traffic, txIds[at]!, 0, tx)
          const [{ address, nonce }] = tx.inputs as [(typeof tx.inputs)[number]]
          useNonce(Buffer.from(address).toString('hex'), nonce, where)
          const paid = amountsOf(tx.inputs)
          const moved = amountsOf(tx.exportedOutputs.map(({ assetID, output }) => ({ assetID, amount: output.amount })))
          for (const [asset, amount] of paid) {
            const burned = amount - (moved.get(asset) ?? 0n)
            if (asset === nativeAsset ? burned <= 0n : burned !== 0n) problems.push(`${where} burns ${burned}`)
          }
        } else {
          for (const input of tx.importedInputs) {
            const { amount } = input.input
            traffic.import('C', tx.sourceChain, input, { asset: idText(input.assetID), amount })
          }
          const brought = amountsOf(tx.importedInputs.map(({ assetID, input }) => ({ assetID, amount: input.amount })))
          for (const [asset, amount] of amountsOf(tx.outputs)) {
            const burned = (brought.get(asset) ?? 0n) - amount
            if (asset === nativeAsset ? burned <= 0n : burned !== 0n) problems.push(`${where} burns ${burned}`)
          }
        }
      })
    },
  }
}

function kindOf(tx: EvmTx): string {
  const facts: string[] = [tx.type]
  if (tx.to === null) facts.push('creation')
  if ('accessList' in tx && tx.accessList.length > 0) facts.push('access list')
  if (tx.type === 'LegacyTx' && tx.v < 35n) facts.push('without chain id')
  return facts.join(' ')
}

function amountsOf(items: readonly { readonly assetID: Uint8Array; readonly amount: bigint }[]): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const { assetID, amount } of items) sums.set(idText(assetID), (sums.get(idText(assetID)) ?? 0n) + amount)
  return sums
}

/** The signer as hex, recovered from the digest that signers of this type sign (EIP-155, 2930, 1559). */
export function senderOf(tx: EvmTx): string {
  const parity = tx.type !== 'LegacyTx' ? tx.v : tx.v < 35n ? tx.v - 27n : (tx.v - 35n) % 2n
  const word = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex')
  const signature = Buffer.concat([word(tx.r), word(tx.s), Uint8Array.of(Number(parity))])
  const publicKey = secp256k1.recoverPublicKey(keccak256(signedPart(tx)), signature)
  return Buffer.from(secp256k1.publicKeyToEthAddress(publicKey)).toString('hex')
}

function signedPart(tx: EvmTx): Uint8Array {
  const action: Rlp[] = [tx.gas, tx.to ?? new Uint8Array(), tx.value, tx.input]
  if (tx.type === 'LegacyTx') {
    const fields = [tx.nonce, tx.gasPrice, ...action]
    return encodeRlp(tx.v < 35n ? fields : [...fields, evmChainId, 0, 0])
  }
  const prices = tx.type === 'AccessListTx' ? [tx.gasPrice] : [tx.maxPriorityFeePerGas, tx.maxFeePerGas]
  const list = tx.accessList.map(({ address, storageKeys }) => [address, storageKeys])
  const fields = encodeRlp([tx.chainId, tx.nonce, ...prices, ...action, list])
  return Buffer.concat([Uint8Array.of(tx.type === 'AccessListTx' ? 1 : 2), fields])
}
