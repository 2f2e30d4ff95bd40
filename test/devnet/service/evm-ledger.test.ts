import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeCBlock, evmSender } from '../../../codec/c.ts'
import { unwrap } from '../../../codec/containers.ts'
import { recoverPublicKey } from '../../../codec/secp256k1.ts'
import { mostOfToken, tokenContracts, wholeWord } from '../../../devnet/c/contracts.ts'
import { type GrowingNetwork, openGrowingNetwork } from '../../../devnet/chains/growing-network.ts'
import { createEvmLedger, senderOf } from '../../../devnet/service/evm/execute.ts'
import { holdersOf, holdingsOf, walletsOf } from '../../../devnet/service/evm/holdings.ts'
import type { EvmState, EvmTransfer } from '../../../devnet/service/evm/state.ts'

const zero = `0x${'0'.repeat(40)}`
const blocks = 1_500

describe('the EVM ledger', () => {
  const cacheDir = mkdtempSync(join(tmpdir(), 'chainlake-evm-'))
  let network: GrowingNetwork
  let state: EvmState
  const of = (standard: string): EvmTransfer[] => state.transfers.filter(({ token }) => token.standard === standard)

  beforeAll(async () => {
    network = await openGrowingNetwork({ cacheDir, seed: 3, accepted: blocks })
    state = await createEvmLedger(network.stores['C/block']).atHead()
  })

  afterAll(async () => {
    await network.close()
    rmSync(cacheDir, { recursive: true, force: true })
  })

  test('links its blocks by parent hash, with consistent transaction counts, gas and fees', async () => {
    expect(state.blocks).toHaveLength(blocks)
    let cumulative = 0
    state.blocks.forEach((block, at) => {
      expect(block.number).toBe(at + 1)
      if (at > 0) expect(block.parentHash).toBe(state.blocks[at - 1]!.hash)
      cumulative += block.txCount
      expect(block.cumulativeTransactions).toBe(cumulative)
      expect(block.gasUsed).toBeLessThanOrEqual(block.gasLimit)
      // A transaction pays at least the base fee, for the gas that the header counts.
      expect(block.feesSpent).toBeGreaterThanOrEqual(block.gasUsed * block.baseFee)
      expect(block.feesSpent === 0n).toBe(block.gasUsed === 0n)
    })
  })

  test('finds the same senders as a recovery from the signatures', async () => {
    const texts = await network.stores['C/block'].texts(0, 60)
    const containers = JSON.parse(`[${texts}]`) as { bytes: string }[]
    const transactions = containers.flatMap(({ bytes }) => {
      return decodeCBlock(unwrap(Buffer.from(bytes.slice(2, -8), 'hex')).block, 'block').block.transactions
    })
    expect(transactions.length).toBeGreaterThan(50)
    for (const tx of transactions)
      expect(Buffer.from(senderOf(tx))).toEqual(Buffer.from(evmSender(tx, recoverPublicKey)))
  })

  test('has transfers of every contract in the order of the chain, in 30 to 50% of the transactions', () => {
    for (const { address } of tokenContracts) expect(state.transfersOf(address).length).toBeGreaterThan(20)
    const transactions = new Set(state.transfers.map(({ txHash }) => txHash))
    const share = transactions.size / state.blocks.at(-1)!.cumulativeTransactions
    expect(share).toBeGreaterThan(0.3)
    expect(share).toBeLessThan(0.5)
    state.transfers.forEach((transfer, at) => {
      const before = state.transfers[at - 1]
      if (before?.block !== transfer.block) expect(transfer.logIndex).toBeLessThan(transfer.block.txCount)
      else if (transfer.token.standard === 'ERC-1155' && before.txHash === transfer.txHash)
        expect(transfer.logIndex).toBe(before.logIndex)
      else expect(transfer.logIndex).toBeGreaterThan(before.logIndex)
    })
    expect(state.reverted).toBeGreaterThan(0)
    expect(state.reverted).toBeLessThan(transactions.size / 20)
  })

  test('never makes a balance negative, and all balances add up to the minted minus the burned amounts', () => {
    const balances = new Map<string, bigint>()
    for (const { token, tokenId, from, to, value } of state.transfers) {
      const change = (wallet: string, by: bigint): void => {
        const key = `${token.address} ${tokenId ?? ''} ${wallet}`
        const after = (balances.get(key) ?? 0n) + by
        if (wallet !== zero && (after < 0n || after > mostOfToken)) throw new Error(`${key}: ${after}`)
        balances.set(key, after)
      }
      change(from, -value)
      change(to, value)
    }
    // The negative balance of the zero address equals the sum of all other balances.
    const held = [...balances].filter(([key]) => !key.endsWith(zero)).reduce((sum, [, amount]) => sum + amount, 0n)
    const owed = [...balances].filter(([key]) => key.endsWith(zero)).reduce((sum, [, amount]) => sum - amount, 0n)
    expect(held).toBe(owed)
    for (const wallet of walletsOf(state)) {
      for (const standard of ['ERC-721', 'ERC-1155'] as const) {
        for (const { token, tokenId, amount } of holdingsOf(state, wallet, standard)) {
          expect(amount).toBe(balances.get(`${token.address} ${tokenId} ${wallet}`))
        }
      }
    }
  })

  test('makes the last receiver the only owner of each ERC-721 token', () => {
    const owners = new Map<string, string>()
    for (const { token, tokenId, from, to } of of('ERC-721')) {
      const key = `${token.address} ${tokenId}`
      expect(owners.get(key) ?? zero).toBe(from)
      owners.set(key, to)
    }
    const held = walletsOf(state).flatMap((wallet) => {
      return holdingsOf(state, wallet, 'ERC-721').map(({ token, tokenId, amount }) => {
        expect(amount).toBe(1n)
        expect(state.ownerOf(token.address, tokenId!)).toBe(wallet)
        return `${token.address} ${tokenId}`
      })
    })
    expect(new Set(held).size).toBe(held.length)
    expect(held.length).toBe([...owners.values()].filter((owner) => owner !== zero).length)
  })

  test('lists as transfers of a wallet exactly the transfers from it and to it', () => {
    for (const wallet of walletsOf(state)) {
      const filtered = of('ERC-20').filter(({ from, to }) => from === wallet || to === wallet)
      expect(state.transfersWith(wallet, 'ERC-20')).toEqual(filtered)
    }
  })

  test('has small amounts and amounts of up to 256 bits', () => {
    const values = of('ERC-20').map(({ value }) => value)
    expect(values).toContain(mostOfToken)
    expect(values.filter((value) => value >= 10n ** 38n).length).toBeGreaterThan(20)
    expect(state.transfersOf(wholeWord.address).length).toBeLessThan(values.length / 2)
  })

  test('lists holders with their balances, and for a window those above the threshold within it', () => {
    const { address } = tokenContracts[0]!
    const transfers = state.transfersOf(address)
    const balances = new Map<string, bigint>()
    for (const { from, to, value } of transfers) {
      balances.set(from, (balances.get(from) ?? 0n) - value)
      balances.set(to, (balances.get(to) ?? 0n) + value)
    }
    const all = holdersOf(transfers, 0n, () => 'in')
    expect(all.filter(({ balance }) => balance > 0n)).toHaveLength(
      [...balances].filter(([wallet, balance]) => wallet !== zero && balance > 0n).length,
    )
    for (const holder of all) expect(holder.balance).toBe(balances.get(holder.address))
    const half = transfers[transfers.length >> 1]!.block.time
    const later = holdersOf(transfers, 0n, (time) => (time < half ? 'before' : 'in'))
    expect(later.length).toBeLessThanOrEqual(all.length)
    const threshold = 10n ** 12n
    for (const { address: wallet } of holdersOf(transfers, threshold, (time) => (time < half ? 'in' : 'after'))) {
      let balance = 0n
      let most = 0n
      for (const { block, from, to, value } of transfers) {
        if (block.time >= half) break
        if (from === wallet) balance -= value
        if (to === wallet) balance += value
        most = balance > most ? balance : most
      }
      expect(most).toBeGreaterThan(threshold)
    }
  })

  test('has no account with a negative native balance at any block', () => {
    for (const wallet of walletsOf(state)) {
      for (let number = 0; number <= blocks; number += 50) {
        expect(state.nativeBalance(wallet, number)).toBeGreaterThanOrEqual(0n)
      }
    }
  })

  test('has the same state after growing with the head as after reading the whole chain at once', async () => {
    const ledger = createEvmLedger(network.stores['C/block'])
    const before = await ledger.atHead()
    const length = before.transfers.length
    await network.grow(40)
    const grown = await ledger.atHead()
    const whole = await createEvmLedger(network.stores['C/block']).atHead()
    expect(grown.blocks).toHaveLength(blocks + 40)
    expect(grown.transfers.length).toBeGreaterThan(length)
    expect(grown.transfers).toEqual(whole.transfers)
    expect(grown.blocks).toEqual(whole.blocks)
    for (const wallet of walletsOf(grown)) {
      expect(grown.nativeBalance(wallet, blocks + 40)).toBe(whole.nativeBalance(wallet, blocks + 40))
    }
  })
})
