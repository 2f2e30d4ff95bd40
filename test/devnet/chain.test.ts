import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { encodeCb58, idText } from '../../src/codec/cb58.ts'
import { containerId } from '../../src/codec/container-id.ts'
import { pContainerParent } from '../../src/codec/container-parent.ts'
import { sha256 } from '../../src/codec/hash.ts'
import { decodeExactly, encode } from '../../src/codec/linear/index.ts'
import { pBlock } from '../../src/codec/p/blocks.ts'
import { unwrap } from '../../src/codec/proposervm.ts'
import { eras } from '../../src/devnet/chain/eras.ts'
import { createGenerator, type GeneratedContainer, generatorVersion } from '../../src/devnet/chain/generator.ts'
import { genesisBlockText, nativeAssetText } from '../../src/devnet/chain/genesis.ts'
import { createLedger, type Ledger } from './ledger.ts'

const count = 6_000

function generate(seed: number, containers: number): GeneratedContainer[] {
  const generator = createGenerator(seed)
  return Array.from({ length: containers }, () => generator.next())
}

function digest(containers: readonly GeneratedContainer[]): string {
  const hash = createHash('sha256')
  for (const { bytes, clock, nanoseconds } of containers) hash.update(bytes).update(`${clock}.${nanoseconds}`)
  return hash.digest('hex')
}

describe('the simulated P chain', () => {
  let containers: GeneratedContainer[]
  let ledger: Ledger
  const kinds = new Map<string, number>()
  beforeAll(() => {
    containers = generate(7, count)
    ledger = createLedger(nativeAssetText)
    containers.forEach(({ bytes }, index) => {
      const wrapper = unwrap(bytes)
      const block = decodeExactly(pBlock, wrapper.block, `container ${index}`)
      const kind = `${wrapper.kind} ${block.type}`
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
      ledger.add(block, `block ${block.height}`)
    })
  })

  test('is the same for the same seed, and begins the same whatever its length', () => {
    expect(digest(generate(7, 1_500))).toBe(digest(containers.slice(0, 1_500)))
    expect(digest(generate(8, 1_500))).not.toBe(digest(containers.slice(0, 1_500)))
  })

  test('is what this version of the generator makes: another digest needs another generatorVersion', () => {
    expect(generatorVersion).toBe(2)
    expect(digest(containers)).toMatchInlineSnapshot(
      `"9528e38ed67f55e7052493e2bc077b808464434a4f7921eb2b595f5a608e219c"`,
    )
  })

  test('ids derive from bytes, parents join, heights count up', () => {
    let parent = genesisBlockText(7)
    let parentBlock = parent
    containers.forEach(({ bytes, id }, index) => {
      expect(containerId(bytes)).toBe(encodeCb58(id))
      expect(pContainerParent(bytes)).toBe(parent)
      const inner = unwrap(bytes).block
      const block = decodeExactly(pBlock, inner, `container ${index}`)
      expect(block.height).toBe(BigInt(index + 1))
      expect(idText(block.parentID)).toBe(parentBlock)
      expect(Buffer.from(encode(pBlock, block)).equals(inner)).toBe(true)
      parent = encodeCb58(id)
      parentBlock = encodeCb58(sha256(inner))
    })
  })

  test('times never go back, and no block is later than the next era allows', () => {
    let last = 0
    for (const { bytes, clock } of containers) {
      const wrapper = unwrap(bytes)
      const block = decodeExactly(pBlock, wrapper.block, 'block')
      const time = 'time' in block ? Number(block.time) : clock
      expect(time).toBeGreaterThanOrEqual(last)
      expect(clock).toBe(time)
      last = time
    }
    expect(last).toBeGreaterThan(eras.at(-1)!.time)
  })

  test('every input spends an earlier output once, and every fee is above zero', () => {
    expect(ledger.problems).toEqual([])
    expect(ledger.spent.genesis).toBeGreaterThan(50)
    expect(ledger.spent.rewards).toBeGreaterThan(100)
    expect(ledger.spent.stakes).toBeGreaterThan(100)
    expect(ledger.spent.refunds).toBeGreaterThan(10)
  })

  test('has every kind of block and wrapper', () => {
    expect([...kinds.keys()].sort()).toMatchInlineSnapshot(`
      [
        "block ApricotAtomicBlock",
        "block ApricotProposalBlock",
        "block ApricotStandardBlock",
        "block BanffProposalBlock",
        "block BanffStandardBlock",
        "granite BanffProposalBlock",
        "granite BanffStandardBlock",
        "none ApricotAbortBlock",
        "none ApricotAtomicBlock",
        "none ApricotCommitBlock",
        "none ApricotProposalBlock",
        "none ApricotStandardBlock",
        "option ApricotAbortBlock",
        "option ApricotCommitBlock",
        "option BanffAbortBlock",
        "option BanffCommitBlock",
      ]
    `)
  })

  test('has every type of transaction', () => {
    expect([...ledger.txTypes.keys()].sort()).toMatchInlineSnapshot(`
      [
        "AddAutoRenewedValidatorTx",
        "AddDelegatorTx",
        "AddPermissionlessDelegatorTx",
        "AddPermissionlessValidatorTx",
        "AddSubnetValidatorTx",
        "AddValidatorTx",
        "AdvanceTimeTx",
        "BaseTx",
        "ConvertSubnetToL1Tx",
        "CreateChainTx",
        "CreateSubnetTx",
        "DisableL1ValidatorTx",
        "ExportTx",
        "ImportTx",
        "IncreaseL1ValidatorBalanceTx",
        "RegisterL1ValidatorTx",
        "RemoveSubnetValidatorTx",
        "RewardAutoRenewedValidatorTx",
        "RewardValidatorTx",
        "SetAutoRenewedValidatorConfigTx",
        "SetL1ValidatorWeightTx",
        "TransferSubnetOwnershipTx",
        "TransformSubnetTx",
      ]
    `)
  })
})
