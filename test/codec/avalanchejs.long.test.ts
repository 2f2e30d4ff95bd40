import { describe, expect, test } from 'vitest'
import { unwrap } from '../../codec/containers.ts'
import { decodeExactly } from '../../codec/linear.ts'
import { recordedContainers } from '../recorded.ts'
import type { Vm } from './avalanchejs.ts'
import { compareSigned, type Encoded, eachIn, schemas } from './avalanchejs-compare.ts'
import { typesIn } from './avalanchejs-values.ts'
import { atomicTransactionsIn, pTransactionsIn, xTransactionsIn } from './transactions-in.ts'

/** Some transactions of each kind, evenly spread. A kind is the set of types in a transaction. */
function sampleOf(all: readonly Encoded[]): Encoded[] {
  const kinds = new Map<string, Encoded[]>()
  for (const each of all) {
    const kind = [...new Set(typesIn(decodeExactly(schemas[each.vm].signed, each.bytes, each.name)))].join()
    kinds.set(kind, [...(kinds.get(kind) ?? []), each])
  }
  return [...kinds].flatMap(([kind, found]) => {
    const wanted = verifiesProof.test(kind) ? 2 : 24
    const step = Math.max(1, Math.floor(found.length / wanted))
    return found.filter((_, i) => i % step === 0).slice(0, wanted)
  })
}

/** avalanchejs verifies proofs of BLS keys while it decodes them, which takes 0.05 to 0.2 s each. */
const verifiesProof = /signer\.ProofOfPossession|ConvertSubnetToL1Tx/

function recorded(vm: Vm, file: string, transactions: (bytes: Uint8Array) => readonly Uint8Array[]): Encoded[] {
  const containers = recordedContainers(`${file}`)
  return eachIn(
    containers.map(({ id, bytes }) => ({ name: `${file} ${id}`, vm, bytes })),
    transactions,
  )
}

describe('avalanchejs and the codec', () => {
  const p = (bytes: Uint8Array) => pTransactionsIn(unwrap(bytes).block)
  const x = (bytes: Uint8Array) => xTransactionsIn(unwrap(bytes).block)
  const c = (bytes: Uint8Array) => atomicTransactionsIn(unwrap(bytes).block)
  const withProperties = ['CreateAssetTx', 'OperationTx']
  test.each([
    ['granite/p-containers', 'PVM', p, 150, []],
    ['granite/x-containers', 'AVM', x, 150, withProperties],
    ['granite/c-containers', 'EVM', c, 40, []],
    ['helicon/p-containers', 'PVM', p, 150, []],
    ['helicon/x-containers', 'AVM', x, 150, withProperties],
    ['helicon/c-containers', 'EVM', c, 40, []],
    ['legacy/x-transactions', 'AVM', (bytes: Uint8Array) => [bytes], 80, ['CreateAssetTx']],
  ] as const)('decode the same transactions from %s', (file, vm, transactions, atLeast, refusedTypes) => {
    const sample = sampleOf(recorded(vm, file, transactions))
    const refused = sample.filter((each) => !compareSigned(each))
    expect(sample.length).toBeGreaterThanOrEqual(atLeast)
    const types = refused.map(({ bytes, name }) => decodeExactly(schemas[vm].signed, bytes, name).unsignedTx.type)
    expect([...new Set(types)].sort()).toEqual(refusedTypes)
  })
})
