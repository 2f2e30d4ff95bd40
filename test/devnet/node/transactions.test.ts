import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signedAtomicTx } from '../../../codec/c.ts'
import { putChecksum, sha256 } from '../../../codec/hash.ts'
import { addressText, decodeCb58, idText } from '../../../codec/ids.ts'
import { decodeExactly, encode, versioned } from '../../../codec/linear.ts'
import { pUtxo } from '../../../codec/p.ts'
import { accountKeys } from '../../../devnet/c/state.ts'
import { rpcEndpoint } from '../../../devnet/http/json-rpc.ts'
import { memoryStore } from '../../../devnet/index/store.ts'
import { chainIds, networkId } from '../../../devnet/network/genesis.ts'
import { named } from '../../../devnet/node/chains.ts'
import { cxMethods } from '../../../devnet/node/cx.ts'
import { pTransactionMethods, xTransactionMethods } from '../../../devnet/node/transactions.ts'
import { recordedStores } from '../../../devnet/replay/recording.ts'
import { type Devnet, startDevnet } from '../../../devnet/serve.ts'
import { parseNodeJson, recordingFolder } from '../../recorded.ts'
import { answerTo, callNode, recordedOf, resultOf } from './calling.ts'

const cacheDir = mkdtempSync(join(tmpdir(), 'devnet-transactions-'))
afterAll(() => rmSync(cacheDir, { recursive: true, force: true }))

describe('transactions of recorded containers', () => {
  const stores = recordedStores(recordingFolder('granite'))
  const storeOf = (path: string) => stores.get(path) ?? memoryStore([])
  const nobody = () => Promise.reject(new Error('no state is needed to read transactions'))
  const methods = {
    ...named('platform', 'node', pTransactionMethods(storeOf('P/block'))),
    ...named('xvm', 'node', xTransactionMethods({ linear: storeOf('X/block'), before: memoryStore([]) })),
    ...named(
      'cx',
      'node',
      cxMethods({
        store: storeOf('C/block'),
        primary: { state: nobody },
        evm: { atHead: nobody },
        mempool: { issue: () => {}, pending: () => [] },
      }),
    ),
  }

  test.each([
    ['platform.getTx', 20],
    ['platform.getTxStatus', 10],
    ['avm.getTx', 20],
    ['avm.getTxStatus', 8],
    ['avax.getAtomicTx', 10],
    ['avax.getAtomicTxStatus', 3],
    ['avax.issueTx', 1],
  ])('%s returns the same responses as the recorded node', async (method, least) => {
    const calls = recordedOf('granite', new RegExp(`^${method.replace('.', '\\.')}$`))
    expect(calls.length).toBeGreaterThanOrEqual(least)
    for (const { name, request, answer } of calls) {
      const found = parseNodeJson(await answerTo(rpcEndpoint(methods), request.body!))
      expect({ name, found }).toEqual({ name, found: parseNodeJson(answer!.body) })
    }
  })
})

describe('transactions of the simulated network', () => {
  test('are served also from before the X-Chain was linear', async () => {
    const devnet = await startDevnet({ seed: 17, blocks: 500, cacheDir, legacy: true })
    const { containers } = await resultOf(devnet, '/ext/index/X/tx', 'index.getContainerRange', {
      startIndex: 0,
      numToFetch: 20,
      encoding: 'hex',
    })
    for (const { id, bytes } of containers) {
      expect((await resultOf(devnet, '/ext/bc/X', 'avm.getTx', { txID: id })).tx).toBe(bytes)
      expect((await resultOf(devnet, '/ext/bc/X', 'avm.getTx', { txID: id, encoding: 'json' })).tx.id).toBe(id)
    }
    const block = await resultOf(devnet, '/ext/bc/X', 'avm.getBlockByHeight', { height: 1, encoding: 'json' })
    const [{ id, ...tx }] = block.block.txs
    const found = await resultOf(devnet, '/ext/bc/X', 'avm.getTx', { txID: id, encoding: 'json' })
    expect(found.tx).toEqual({ ...tx, id })
    expect(await resultOf(devnet, '/ext/bc/X', 'avm.getTxStatus', { txID: id })).toEqual({ status: 'Accepted' })
    await devnet.close()
  })
})

describe('issued atomic transactions', () => {
  const atomic = '/ext/bc/C/avax'
  const blocks = 960
  let devnet: Devnet
  beforeAll(async () => {
    devnet = await startDevnet({ seed: 19, blocks, cacheDir })
  })
  afterAll(() => devnet.close())

  const hexOf = (bytes: Uint8Array): string => {
    const checksum = new Uint8Array(4)
    putChecksum(bytes, checksum, 0)
    return `0x${Buffer.concat([bytes, checksum]).toString('hex')}`
  }
  const address = accountKeys[3]!.address

  /** An output that waits for the C-Chain, and an import of it. */
  async function someImport(fee: bigint) {
    const all = await (await fetch(`${devnet.url}/devnet/addresses?of=c`)).text()
    const addresses = all
      .trim()
      .split('\n')
      .map((text) => `C-${text}`)
    const waiting = async () =>
      (await resultOf(devnet, atomic, 'avax.getUTXOs', { addresses, sourceChain: 'P' })).utxos as string[]
    let utxos = await waiting()
    for (let tries = 0; utxos.length === 0 && tries < 50; tries += 1) {
      await devnet.grow(1)
      utxos = await waiting()
    }
    const utxo: any = decodeExactly<any>(versioned(pUtxo), Buffer.from(utxos[0]!.slice(2, -8), 'hex'), 'utxo')
    const { amount, threshold } = utxo.output
    const signatureIndices = Array.from({ length: threshold }, (_, at) => at)
    const input = { type: 'secp256k1fx.TransferInput' as const, amount, signatureIndices }
    return encode(signedAtomicTx, {
      unsignedTx: {
        type: 'ImportTx',
        networkID: networkId,
        blockchainID: chainIds.C,
        sourceChain: chainIds.P,
        importedInputs: [{ txID: utxo.txID, outputIndex: utxo.outputIndex, assetID: utxo.assetID, input }],
        outputs: [{ address, amount: amount - fee, assetID: utxo.assetID }],
      },
      credentials: [
        { type: 'secp256k1fx.Credential', signatures: signatureIndices.map(() => new Uint8Array(65).fill(7)) },
      ],
    })
  }

  test('are in the next block of the chain, and the network builds on them', async () => {
    const bytes = await someImport(1_000_000n)
    const txID = idText(sha256(bytes))
    const status = () => resultOf(devnet, atomic, 'avax.getAtomicTxStatus', { txID })
    expect(await status()).toEqual({ status: 'Unknown' })
    expect(await resultOf(devnet, atomic, 'avax.issueTx', { tx: hexOf(bytes), encoding: 'hex' })).toEqual({ txID })
    expect(await status()).toEqual({ status: 'Processing' })
    const twice = await callNode(devnet, atomic, 'avax.issueTx', { tx: hexOf(bytes) })
    expect(twice.error?.message).toBe(`tx ${txID} already known`)
    const before = await resultOf(devnet, '/ext/index/C/block', 'index.getContainerByIndex', { index: blocks - 1 })
    await devnet.grow(2)
    expect(await status()).toEqual({ status: 'Accepted', blockHeight: String(blocks + 1) })
    const found = await resultOf(devnet, atomic, 'avax.getAtomicTx', { txID })
    expect(found).toEqual({ tx: hexOf(bytes), encoding: 'hex', blockHeight: String(blocks + 1) })
    // Earlier containers stay unchanged, and the new ones follow them.
    const after = await resultOf(devnet, '/ext/index/C/block', 'index.getContainerByIndex', { index: blocks - 1 })
    expect(after).toEqual(before)
    const block = async (number: number) =>
      (await resultOf(devnet, '/ext/bc/C/rpc', 'eth_getBlockByNumber', [`0x${number.toString(16)}`, false])) as any
    const [last, own, next] = [await block(blocks), await block(blocks + 1), await block(blocks + 2)]
    expect([own.parentHash, next.parentHash]).toEqual([last.hash, own.hash])
    expect(own.blockExtraData).toContain(Buffer.from(bytes.subarray(2)).toString('hex'))
    // No later transaction imports it again, however far the network grows; otherwise the network's own ledger would fail.
    await devnet.grow(200)
    const again = await callNode(devnet, atomic, 'avax.issueTx', { tx: hexOf(bytes) })
    expect(again.error?.message).toMatch(/not found/)
    const summary: any = await (await fetch(`${devnet.url}/devnet/summary`)).json()
    expect(summary.heads['C/block']).toBe(blocks + 202)
  })

  test.each([
    ['a wrong checksum', async (bytes: Uint8Array) => `${hexOf(bytes).slice(0, -2)}00`, /invalid input checksum/],
    ['no prefix', async (bytes: Uint8Array) => hexOf(bytes).slice(2), /missing 0x prefix/],
    ['other bytes', async () => hexOf(Uint8Array.of(0, 0, 0, 0, 0, 9)), /problem parsing transaction/],
    ['another network', async (bytes: Uint8Array) => hexOf(withByte(bytes, 9, 1)), /wrong network ID/],
    ['another chain', async (bytes: Uint8Array) => hexOf(withByte(bytes, 12, 1)), /wrong chain ID/],
    ['nothing for the fee', async () => hexOf(await someImport(0n)), /insufficient funds/],
  ])('are refused: %s', async (_, made, message) => {
    const { error } = await callNode(devnet, atomic, 'avax.issueTx', { tx: await made(await someImport(1_000n)) })
    expect(error).toMatchObject({ code: -32000n, message: expect.stringMatching(message) })
  })

  describe('exports', () => {
    const sender = accountKeys[5]!.address
    const text = `0x${Buffer.from(sender).toString('hex')}`
    const nonceNow = async () => BigInt(await resultOf(devnet, '/ext/bc/C/rpc', 'eth_getTransactionCount', [text]))
    const nativeAsset = async () =>
      decodeCb58((await resultOf(devnet, '/ext/bc/P', 'platform.getStakingAssetID')).assetID)

    /** An export to an address that the network does not know. */
    async function someExport(nonce: bigint, amount = 5_000_000n) {
      const assetID = await nativeAsset()
      const owner = { locktime: 0n, threshold: 1, addresses: [new Uint8Array(20).fill(0x42)] }
      return encode(signedAtomicTx, {
        unsignedTx: {
          type: 'ExportTx',
          networkID: networkId,
          blockchainID: chainIds.C,
          destinationChain: chainIds.P,
          inputs: [{ address: sender, amount: amount + 1_000_000n, assetID, nonce }],
          exportedOutputs: [{ assetID, output: { type: 'secp256k1fx.TransferOutput', amount, ...owner } }],
        },
        credentials: [{ type: 'secp256k1fx.Credential', signatures: [new Uint8Array(65).fill(9)] }],
      })
    }
    const issue = (bytes: Uint8Array) => callNode(devnet, atomic, 'avax.issueTx', { tx: hexOf(bytes), encoding: 'hex' })

    test('debit an account, increase its nonce, and wait for their import on the other chain', async () => {
      const nonce = await nonceNow()
      const bytes = await someExport(nonce)
      const { result } = await issue(bytes)
      expect((await issue(await someExport(nonce, 7_000_000n))).error?.message).toBe(
        'tx conflicts with another issued tx',
      )
      await devnet.grow(1)
      expect(await nonceNow()).toBe(nonce + 1n)
      const head = await resultOf(devnet, '/ext/bc/C/rpc', 'eth_blockNumber', [])
      expect(await resultOf(devnet, atomic, 'avax.getAtomicTxStatus', { txID: result.txID })).toEqual({
        status: 'Accepted',
        blockHeight: String(Number(head)),
      })
      const [before, after] = [Number(head) - 1, Number(head)].map((number) => `0x${number.toString(16)}`)
      const balances = await Promise.all(
        [before, after].map((at) => resultOf(devnet, '/ext/bc/C/rpc', 'eth_getBalance', [text, at])),
      )
      expect(BigInt(balances[0]) - BigInt(balances[1])).toBe(6_000_000n * 10n ** 9n)
      const addresses = [`P-${addressText('local', new Uint8Array(20).fill(0x42))}`]
      const waiting = await resultOf(devnet, '/ext/bc/P', 'platform.getUTXOs', { addresses, sourceChain: 'C' })
      expect(waiting.utxos).toHaveLength(1)
      // The account continues with the nonce after the export.
      await devnet.grow(150)
      expect(await nonceNow()).toBeGreaterThan(nonce)
    })

    test('are refused with a wrong nonce and with an amount above the balance', async () => {
      const nonce = await nonceNow()
      expect((await issue(await someExport(nonce + 1n))).error?.message).toBe('invalid nonce')
      expect((await issue(await someExport(nonce, 10n ** 18n))).error?.message).toBe('insufficient funds')
    })
  })

  function withByte(bytes: Uint8Array, at: number, value: number): Uint8Array {
    const copy = bytes.slice()
    copy[at] = value
    return copy
  }
})
