import { beforeAll, describe, expect, test } from 'vitest'
import { cBlock } from '../../codec/c.ts'
import { containerId, unwrap } from '../../codec/containers.ts'
import { sha256 } from '../../codec/hash.ts'
import { encodeCb58, idText } from '../../codec/ids.ts'
import { keccak256 } from '../../codec/keccak.ts'
import { encode } from '../../codec/linear.ts'
import { pBlock } from '../../codec/p.ts'
import { rlpBytes } from '../../codec/rlp.ts'
import { xBlock } from '../../codec/x.ts'
import { generatorVersion, type Step } from '../../devnet/chains/network.ts'
import type { GeneratedContainer } from '../../devnet/network/container.ts'
import { eras, nativeAssetText } from '../../devnet/network/genesis.ts'
import { genesisBlockText } from '../../devnet/p/chain.ts'
import { type CLedger, createCLedger } from './c-ledger.ts'
import { digest, type Followed, follow, generate } from './follow.ts'
import { createPLedger, type PLedger } from './p-ledger.ts'
import { createTraffic, type Traffic } from './traffic.ts'
import { createXLedger, type XLedger } from './x-ledger.ts'

const count = 2_000

describe('the simulated network', () => {
  let steps: Step[]
  let traffic: Traffic
  let p: PLedger
  let x: XLedger
  let c: CLedger
  let followed: Followed
  const containersOf = (path: keyof Step): GeneratedContainer[] => steps.flatMap((step) => step[path])

  beforeAll(() => {
    steps = generate({ seed: 7 }, count)
    traffic = createTraffic(nativeAssetText)
    p = createPLedger(nativeAssetText, traffic)
    x = createXLedger(nativeAssetText, traffic)
    c = createCLedger(nativeAssetText, traffic, 100)
    followed = follow(steps, { P: p, X: x, C: c })
  })

  test('is the same for the same seed, and begins the same whatever its length', () => {
    expect(digest(generate({ seed: 7 }, 800))).toBe(digest(steps.slice(0, 800)))
    expect(digest(generate({ seed: 8 }, 10))).not.toBe(digest(steps.slice(0, 10)))
  })

  test('is what this version of the generator makes: another digest needs another generatorVersion', () => {
    expect(generatorVersion).toBe(6)
    expect(digest(steps)).toMatchInlineSnapshot(`"3c20141a7b48f94357a7b72cc99bef25268860c994f835b5416be7702af92672"`)
  })

  test('ids derive from bytes and parents join', () => {
    for (const path of ['P/block', 'X/block', 'C/block'] as const) {
      let parent: string | null = null
      for (const { bytes, id } of containersOf(path)) {
        expect(containerId(bytes)).toBe(encodeCb58(id))
        const wrapper = unwrap(bytes)
        if (wrapper.type !== 'none' && parent !== null) expect(idText(wrapper.parentId)).toBe(parent)
        parent = encodeCb58(id)
      }
    }
  })

  test('inner blocks join, heights count up, bytes are what their values encode to', () => {
    const inner = (path: keyof Step) => containersOf(path).map(({ bytes }) => unwrap(bytes).block)
    let parent = genesisBlockText(7)
    inner('P/block').forEach((bytes, at) => {
      const block = followed.P[at]!
      expect([block.height, idText(block.parentID)]).toEqual([BigInt(at + 1), parent])
      if (at % 20 === 0) expect(Buffer.from(encode(pBlock, block)).equals(bytes)).toBe(true)
      parent = encodeCb58(sha256(bytes))
    })
    parent = idText(followed.X[0]!.parentID)
    inner('X/block').forEach((bytes, at) => {
      const block = followed.X[at]!
      expect([block.height, idText(block.parentID)]).toEqual([BigInt(at + 1), parent])
      expect(block.txs.length).toBeGreaterThan(0)
      if (at % 20 === 0) expect(Buffer.from(encode(xBlock, block)).equals(bytes)).toBe(true)
      parent = encodeCb58(sha256(bytes))
    })
    let hash = followed.C[0]!.block.header.parentHash
    inner('C/block').forEach((bytes, at) => {
      const { block } = followed.C[at]!
      expect(block.header.number).toBe(BigInt(at + 1))
      expect(Buffer.compare(block.header.parentHash, hash)).toBe(0)
      expect(block.transactions.length + block.extData.length).toBeGreaterThan(0)
      if (at % 20 === 0) expect(Buffer.from(encode(cBlock, block)).equals(bytes)).toBe(true)
      hash = followed.C[at]!.hash
    })
  })

  test('headers have the fields of their time, and the hash of their extData', () => {
    const fields = new Set<string>()
    followed.C.forEach(({ block: { header, extData } }, at) => {
      const set = Object.values(header).filter((value) => value !== null).length
      const zero = header.extDataHash.every((byte) => byte === 0)
      if (!zero) expect(header.extDataHash).toEqual(keccak256(encode(rlpBytes, extData)))
      const ms = header.timestampMilliseconds
      if (ms !== null) expect(ms / 1000n).toBe(header.timestamp)
      expect(header.timestamp).toBeGreaterThanOrEqual(followed.C[at - 1]?.block.header.timestamp ?? 0n)
      fields.add(`${set} fields, ${header.extraData.length > 86 ? 'results' : header.extraData.length} of extra data`)
      if (zero) fields.add('without hash of extData')
    })
    expect([...fields]).toMatchInlineSnapshot(`
      [
        "16 fields, 0 of extra data",
        "without hash of extData",
        "17 fields, 80 of extra data",
        "19 fields, 80 of extra data",
        "19 fields, 86 of extra data",
        "19 fields, results of extra data",
        "22 fields, 30 of extra data",
        "22 fields, results of extra data",
        "24 fields, 30 of extra data",
        "24 fields, results of extra data",
        "30 fields, 66 of extra data",
        "30 fields, 6 of extra data",
        "30 fields, results of extra data",
      ]
    `)
  })

  test('times never go back on P and X, and every era comes', () => {
    let last = 0n
    followed.P.forEach((block, at) => {
      const time = 'time' in block ? block.time : last
      expect(time).toBeGreaterThanOrEqual(last)
      expect(followed.X[at]!.time).toBeGreaterThanOrEqual(followed.X[at - 1]?.time ?? 0n)
      last = time
    })
    expect(Number(last)).toBeGreaterThan(eras.at(-1)!.time)
  })

  test('every input spends an earlier output once, and every fee is above zero', () => {
    expect(p.problems).toEqual([])
    expect(p.spent.genesis).toBeGreaterThan(50)
    expect(p.spent.rewards).toBeGreaterThan(50)
    expect(p.spent.stakes).toBeGreaterThan(50)
    expect(p.spent.refunds).toBeGreaterThan(10)
    expect(x.problems).toEqual([])
    expect(c.problems).toEqual([])
  })

  test('imports take what was exported, once, on every way', () => {
    expect(traffic.problems).toEqual([])
    const ways = Object.fromEntries([...traffic.imported].sort())
    expect(Object.keys(ways)).toEqual(['CP', 'CX', 'PC', 'PX', 'XC', 'XP'])
    for (const imported of Object.values(ways)) expect(imported).toBeGreaterThan(100)
    expect([...traffic.foreign.keys()].sort()).toEqual(['CX', 'XC', 'XP'])
    // The number of waiting outputs stays about the same, because imports keep up.
    expect(traffic.waiting()).toBeLessThan(500)
  })

  test('has every kind of block and wrapper', () => {
    expect([...followed.kinds].sort()).toMatchInlineSnapshot(`
      [
        "C block",
        "C granite",
        "C none",
        "P block ApricotAtomicBlock",
        "P block ApricotProposalBlock",
        "P block ApricotStandardBlock",
        "P block BanffProposalBlock",
        "P block BanffStandardBlock",
        "P granite BanffProposalBlock",
        "P granite BanffStandardBlock",
        "P none ApricotAbortBlock",
        "P none ApricotAtomicBlock",
        "P none ApricotCommitBlock",
        "P none ApricotProposalBlock",
        "P none ApricotStandardBlock",
        "P option ApricotAbortBlock",
        "P option ApricotCommitBlock",
        "P option BanffAbortBlock",
        "P option BanffCommitBlock",
        "X block",
        "X granite",
      ]
    `)
  })

  test('has every type of transaction', () => {
    expect([...p.txTypes.keys()].sort()).toMatchInlineSnapshot(`
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
    expect([...x.seen.keys()].sort()).toMatchInlineSnapshot(`
      [
        "0 secp256k1fx.MintOutput",
        "0 secp256k1fx.TransferOutput",
        "1 nftfx.MintOutput",
        "1 nftfx.TransferOutput",
        "2 propertyfx.MintOutput",
        "2 propertyfx.OwnedOutput",
        "BaseTx",
        "CreateAssetTx",
        "ExportTx",
        "ImportTx",
        "OperationTx",
        "nftfx.MintOperation",
        "nftfx.TransferOperation",
        "propertyfx.BurnOperation",
        "propertyfx.MintOperation",
        "secp256k1fx.MintOperation",
      ]
    `)
    expect([...c.seen.keys()].sort()).toMatchInlineSnapshot(`
      [
        "AccessListTx",
        "AccessListTx access list",
        "AccessListTx creation",
        "DynamicFeeTx",
        "DynamicFeeTx access list",
        "DynamicFeeTx creation",
        "LegacyTx",
        "LegacyTx creation",
        "LegacyTx creation without chain id",
        "LegacyTx without chain id",
        "batch ExportTx",
        "batch ImportTx",
        "batch of several",
        "single ExportTx",
        "single ImportTx",
      ]
    `)
  })
})

test('another seed has every type of transaction too, and adds up', () => {
  const traffic = createTraffic(nativeAssetText)
  const [p, x] = [createPLedger(nativeAssetText, traffic), createXLedger(nativeAssetText, traffic)]
  const c = createCLedger(nativeAssetText, traffic, 0)
  follow(generate({ seed: 1 }, 1_500), { P: p, X: x, C: c })
  expect([...p.problems, ...x.problems, ...c.problems, ...traffic.problems]).toEqual([])
  expect([p.txTypes.size, x.seen.size]).toEqual([23, 16])
})
