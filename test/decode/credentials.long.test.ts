import { ECDH } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { unwrap } from '../../codec/containers.ts'
import { keccak256 } from '../../codec/keccak.ts'
import { loadLibrary, recoverPublicKey } from '../../codec/secp256k1.ts'
import { decodeCContainer } from '../../src/decode/c/rows.ts'
import {
  createCCredentialReader,
  createPCredentialReader,
  createXCredentialReader,
  createXTransactionCredentialReader,
} from '../../src/decode/credentials.ts'
import { decodePContainer } from '../../src/decode/p/rows.ts'
import { decodeXContainer, decodeXTransaction } from '../../src/decode/x/rows.ts'
import { recordedContainers } from '../recorded.ts'
import { expectTable } from './expect-rows.ts'
import { contextOf, recordedRows, recordingNames, rowsOfAll } from './recordings.ts'

const decodePCredentials = createPCredentialReader(null)
const decodeXCredentials = createXCredentialReader(null)
const decodeCCredentials = createCCredentialReader(null)
const decodePSigners = createPCredentialReader(recoverPublicKey)
const decodeXSigners = createXCredentialReader(recoverPublicKey)
const decodeCSigners = createCCredentialReader(recoverPublicKey)
const decodeXTransactionSigners = createXTransactionCredentialReader(recoverPublicKey)

type Input = {
  tx_id: string
  input_index: number
  source_tx_id: string
  source_output_index: number | bigint
  signature_indices: readonly number[] | null
  operation_index?: number | null
}
type Output = { tx_id: string; output_index: number | bigint; addresses: readonly string[] }
type Credential = {
  tx_id: string
  credential_index: number
  signature_index: number
  address: string | null
  public_key: string | null
  signature: Uint8Array
}

/** Expects that the owner named by an input made each signature, if the UTXO is in the recording. Returns how many it compared. */
function expectOwners(
  credentials: readonly Credential[],
  inputs: readonly Input[],
  outputs: readonly Output[],
): number {
  const owners = new Map(outputs.map(({ tx_id, output_index, addresses }) => [`${tx_id} ${output_index}`, addresses]))
  const signed = new Map(credentials.map((one) => [`${one.tx_id} ${one.credential_index} ${one.signature_index}`, one]))
  let compared = 0
  for (const { tx_id, input_index, source_tx_id, source_output_index, signature_indices } of inputs) {
    const addresses = owners.get(`${source_tx_id} ${source_output_index}`)
    if (addresses === undefined) continue
    ;(signature_indices ?? []).forEach((owner, position) => {
      expect(signed.get(`${tx_id} ${input_index} ${position}`)?.address).toBe(addresses[owner])
      compared++
    })
  }
  return compared
}

function evmAddressOf(compressed: string): string {
  const key = ECDH.convertKey(compressed.slice(2), 'secp256k1', 'hex', undefined, 'uncompressed') as Buffer
  return `0x${Buffer.from(keccak256(key.subarray(1)).subarray(12)).toString('hex')}`
}

describe.each(recordingNames)('signatures of %s', (recording) => {
  test('on the P-Chain are made by the owners of the spent UTXOs', () => {
    const containers = recordedContainers(`${recording}/p-containers`)
    const context = contextOf(recording, 'P')
    const { credentials } = rowsOfAll(containers, decodePSigners, context)
    const { inputs, outputs, transactions } = rowsOfAll(containers, decodePContainer, context)
    expectTable('p_credentials', credentials)
    expect(credentials.length).toBe(transactions.reduce((sum, { signature_count }) => sum + Number(signature_count), 0))
    expect(expectOwners(credentials as never, inputs as never, outputs)).toBeGreaterThan(20)
    for (const { signature, public_key } of credentials) {
      expect(signature).toHaveLength(65)
      expect(public_key).toMatch(/^0x0[23][0-9a-f]{64}$/)
    }
  })

  test('on the X-Chain are made by the owners of the spent UTXOs', () => {
    const containers = recordedContainers(`${recording}/x-containers`)
    const context = contextOf(recording, 'X')
    const { credentials } = rowsOfAll(containers, decodeXSigners, context)
    const { inputs, outputs, transactions } = rowsOfAll(containers, decodeXContainer, context)
    expectTable('x_credentials', credentials)
    expect(credentials.length).toBe(transactions.reduce((sum, { signature_count }) => sum + Number(signature_count), 0))
    expect(expectOwners(credentials as never, inputs as never, outputs)).toBeGreaterThan(20)
    expect(new Set(credentials.map(({ fx_id }) => fx_id)).size).toBeGreaterThan(0)
  })

  test('on the C-Chain are made by the owners of imported UTXOs and by the exporting accounts', () => {
    const containers = recordedContainers(`${recording}/c-containers`)
    const context = contextOf(recording, 'C')
    const { credentials } = rowsOfAll(containers, decodeCSigners, context)
    const { atomicTransactions, atomicInputs } = rowsOfAll(containers, decodeCContainer, context)
    expectTable('c_credentials', credentials)
    expect(credentials.length).toBe(
      atomicTransactions.reduce((sum, { signature_count }) => sum + Number(signature_count), 0),
    )
    const exported = [
      ...recordedRows(recording, 'P', decodePContainer).outputs,
      ...recordedRows(recording, 'X', decodeXContainer).outputs,
    ]
    expect(expectOwners(credentials as never, atomicInputs as never, exported as never)).toBeGreaterThan(5)
    const accounts = atomicInputs.filter(({ kind }) => kind === 'evm')
    expect(accounts.length).toBeGreaterThan(5)
    for (const { tx_id, input_index, evm_address } of accounts) {
      const signed = credentials.find((one) => one.tx_id === tx_id && one.credential_index === input_index)
      expect(evmAddressOf(signed!.public_key!)).toBe(evm_address)
    }
  })
})

test('signatures of X-Chain transactions from before Cortina are made by the owners of the spent UTXOs', () => {
  const containers = recordedContainers('legacy/x-transactions')
  const context = contextOf('legacy', 'X')
  const { credentials } = rowsOfAll(containers, decodeXTransactionSigners, context)
  const { inputs, outputs } = rowsOfAll(containers, decodeXTransaction, context)
  expectTable('x_credentials', credentials)
  expect(expectOwners(credentials as never, inputs as never, outputs)).toBeGreaterThan(5)
})

describe('credentials that are decoded without key recovery', () => {
  const containers = recordedContainers('granite/p-containers')
  const context = contextOf('granite', 'P')

  test('are the same rows, but without public keys and addresses', () => {
    const bare = rowsOfAll(containers, decodePCredentials, context).credentials
    const { credentials } = rowsOfAll(containers, decodePSigners, context)
    expect(bare).toEqual(credentials.map((row) => ({ ...row, public_key: null, address: null })))
    expect(
      rowsOfAll(recordedContainers('granite/x-containers'), decodeXCredentials, contextOf('granite', 'X'))
        .credentials[0],
    ).toMatchObject({ address: null })
    const atomic = recordedContainers('granite/c-containers')
    const read = contextOf('granite', 'C')
    expect(rowsOfAll(atomic, decodeCCredentials, read).credentials).toEqual(
      rowsOfAll(atomic, decodeCSigners, read).credentials.map((row) => ({ ...row, public_key: null, address: null })),
    )
  })

  test('are the same from a block by height and from its container, except for the block time', () => {
    for (const container of containers) {
      const block = { height: container.index + 1, bytes: unwrap(container.bytes).block }
      const rows = decodePCredentials(block, context).credentials
      const own = decodePCredentials(container, context).credentials
      expect(rows.map(({ block_time: _, ...row }) => row)).toEqual(own.map(({ block_time: _, ...row }) => row))
    }
  })

  test('both libraries recover the same keys', async () => {
    const read = createPCredentialReader(await loadLibrary())
    for (const container of containers.slice(0, 60))
      expect(read(container, context)).toEqual(decodePSigners(container, context))
  })
})

test('a signature that no key can have made gives a null public key and a null address', () => {
  const read = createPCredentialReader(() => null)
  const container = recordedContainers('granite/p-containers').find(
    (one) => decodePCredentials(one, contextOf('granite', 'P')).credentials.length > 0,
  )!
  expect(read(container, contextOf('granite', 'P')).credentials[0]).toMatchObject({ public_key: null, address: null })
})
