import { idText } from '../../codec/ids.ts'
import type { UnsignedXTx, XTx } from '../../codec/x.ts'
import { exportFrom, type Traffic } from './traffic.ts'

/** Follows the X-Chain transaction by transaction and collects contradictions. */
export type XLedger = {
  readonly problems: string[]
  /** Types of transactions, initial states and operations, and their counts. */
  readonly seen: Map<string, number>
  add(tx: XTx, txId: Uint8Array): void
}

/** An unspent output: its type, its asset and, if it has one, its amount. */
type Unspent = { readonly type: string; readonly asset: string; readonly amount: bigint | null }
type Operation = Extract<UnsignedXTx, { type: 'OperationTx' }>['operations'][number]['operation']

/** The output that an operation spends, and the outputs that it creates, in this order (wire-format.md 1.6). */
const operations: { readonly [T in Operation['type']]: readonly [string, (operation: any) => readonly string[]] } = {
  'secp256k1fx.MintOperation': ['secp256k1fx.MintOutput', () => ['secp256k1fx.MintOutput', 'coin']],
  'nftfx.MintOperation': ['nftfx.MintOutput', ({ outputs }) => outputs.map(() => 'nftfx.TransferOutput')],
  'nftfx.TransferOperation': ['nftfx.TransferOutput', () => ['nftfx.TransferOutput']],
  'propertyfx.MintOperation': ['propertyfx.MintOutput', () => ['propertyfx.MintOutput', 'propertyfx.OwnedOutput']],
  'propertyfx.BurnOperation': ['propertyfx.OwnedOutput', () => []],
}

export function createXLedger(nativeAsset: string, traffic: Traffic): XLedger {
  const unspent = new Map<string, Unspent>()
  const genesisSpent = new Set<string>()
  const problems: string[] = []
  const seen = new Map<string, number>()
  const see = (what: string): void => {
    seen.set(what, (seen.get(what) ?? 0) + 1)
  }
  const spend = (txID: Uint8Array, index: number, where: string): Unspent | null => {
    const key = `${idText(txID)}:${index}`
    const found = unspent.get(key)
    if (found === undefined && idText(txID) === nativeAsset && !genesisSpent.has(key)) {
      genesisSpent.add(key)
      return null
    }
    if (found === undefined) problems.push(`${where} spends ${key}, which is not there`)
    unspent.delete(key)
    return found ?? null
  }
  return {
    problems,
    seen,
    add: ({ unsignedTx: tx, credentials }, txId) => {
      const id = idText(txId)
      const where = `${tx.type} ${id}`
      see(tx.type)
      let index = 0
      const make = (type: string, asset: string, amount: bigint | null): void => {
        unspent.set(`${id}:${index++}`, { type, asset, amount })
      }
      const balance = new Map<string, bigint>()
      const move = (asset: Uint8Array, amount: bigint): void => {
        balance.set(idText(asset), (balance.get(idText(asset)) ?? 0n) + amount)
      }
      for (const { txID, outputIndex, assetID, input } of tx.inputs) {
        const coin = spend(txID, outputIndex, where)
        if (coin !== null && (coin.asset !== idText(assetID) || coin.amount !== input.amount))
          problems.push(`${where} misstates an input`)
        move(assetID, input.amount)
      }
      for (const { assetID, output } of tx.outputs) {
        make('coin', idText(assetID), output.amount)
        move(assetID, -output.amount)
      }
      let signers = tx.inputs.length
      if (tx.type === 'CreateAssetTx') {
        for (const { fxIndex, outputs } of tx.initialStates) {
          for (const output of outputs) {
            see(`${fxIndex} ${output.type}`)
            const coin = output.type === 'secp256k1fx.TransferOutput'
            make(coin ? 'coin' : output.type, id, coin ? output.amount : null)
          }
        }
      }
      if (tx.type === 'OperationTx') {
        signers += tx.operations.length
        for (const { assetID, inputIDs, operation } of tx.operations) {
          see(operation.type)
          const [spends, makes] = operations[operation.type]
          for (const { txID, outputIndex } of inputIDs) {
            const right = spend(txID, outputIndex, where)
            if (right?.type !== spends || right.asset !== idText(assetID)) problems.push(`${where} misuses a right`)
          }
          const amount = operation.type === 'secp256k1fx.MintOperation' ? operation.transferOutput.amount : null
          for (const type of makes(operation)) make(type, idText(assetID), type === 'coin' ? amount : null)
        }
      }
      if (tx.type === 'ExportTx') {
        exportFrom('X', traffic, txId, tx.outputs.length, tx)
        for (const { assetID, output } of tx.exportedOutputs) move(assetID, -output.amount)
      }
      if (tx.type === 'ImportTx') {
        signers += tx.importedInputs.length
        for (const input of tx.importedInputs) {
          const { amount } = input.input
          traffic.import('X', tx.sourceChain, input, { asset: idText(input.assetID), amount })
          move(input.assetID, amount)
        }
      }
      if (credentials.length !== signers) problems.push(`${where} has ${credentials.length} credentials for ${signers}`)
      for (const [asset, amount] of balance) {
        if (asset === nativeAsset ? amount <= 0n : amount !== 0n) problems.push(`${where} burns ${amount} of ${asset}`)
      }
    },
  }
}
