import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { idText, utxoId } from '../../../codec/ids.ts'
import { decodeExactly, versioned } from '../../../codec/linear.ts'
import { pUtxo, signedPTx } from '../../../codec/p.ts'
import type { ChainContext } from '../../../src/model.ts'
import { dataPath } from '../../external-data.ts'
import { containerOf } from '../../recorded.ts'
import { rowsOfAll } from './recording.ts'

/** 221 consecutive containers of a network with id 162, as its index API returned them, unsorted. */
const context: ChainContext = {
  network: 'network-162',
  networkId: 162,
  hrp: 'custom',
  chain: 'P',
  blockchainId: '11111111111111111111111111111111LpoYY',
  evmChainId: null,
  nativeAssetId: '2926a6918c208c7b163ebc3e47d4a8b6f01ccd1bd3b9080c7275ce9194cdfb63c',
  durangoTime: null,
  fxs: null,
}

function read(file: string): any {
  return JSON.parse(readFileSync(dataPath(`real/p-chain-containers/${file}`), 'utf8'))
}

function payload(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex.slice(2, -8), 'hex'))
}

describe('221 containers of a real network', () => {
  const containers = (): ReturnType<typeof containerOf>[] =>
    read('containers.json')
      .map(containerOf)
      .sort((a: { index: number }, b: { index: number }) => a.index - b.index)

  test('give rows with consecutive heights, and each block is the child of the one before', () => {
    const { blocks } = rowsOfAll(containers(), context)
    expect(blocks.length).toBe(221)
    blocks.forEach((block, i) => {
      expect(block.height).toBe(i + 1)
      if (i === 0) return
      expect(block.parent_id).toBe(blocks[i - 1]!.block_id)
      expect(block.wrapper_parent_id).toBe(blocks[i - 1]!.container_id)
    })
    expect(new Set(blocks.map(({ wrapper }) => wrapper))).toEqual(new Set(['block', 'option']))
    expect(blocks.some(({ proposer_node_id }) => proposer_node_id !== null)).toBe(true)
  })

  test('contain the transactions that the RPC of the node returns, with the same ids', () => {
    const rows = rowsOfAll(containers(), context)
    const known = new Map(rows.transactions.map((row) => [row.tx_id, row]))
    for (const { id, tx } of read('rpc-data.json')) {
      const { unsignedTx } = decodeExactly(signedPTx, payload(tx), 'tx')
      expect(known.get(id)?.tx_type).toBe(unsignedTx.type)
    }
  })

  test('have reward UTXOs with indexes after the outputs and the stake of their transaction', () => {
    const rows = rowsOfAll(containers(), context)
    const known = new Map(rows.transactions.map((row) => [row.tx_id, row]))
    let rewards = 0
    for (const { id, utxos } of read('rpc-data.json'))
      for (const hex of utxos) {
        const utxo = decodeExactly(versioned(pUtxo), payload(hex), 'utxo')
        expect(idText(utxo.txID)).toBe(id)
        expect(idText(utxoId(utxo.txID, utxo.outputIndex))).not.toBe(id)
        expect(utxo.outputIndex).toBeGreaterThanOrEqual(Number(known.get(id)!.output_count))
        rewards++
      }
    expect(rewards).toBeGreaterThan(0)
  })
})
