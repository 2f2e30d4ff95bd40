import * as avalanche from '@avalabs/avalanchejs'

export type Vm = 'PVM' | 'AVM' | 'EVM'

type Unpacked<T = object> = { readonly fromBytes: (bytes: Uint8Array, codec: any) => [T, Uint8Array] }

type Manager = {
  readonly unpack: <T>(bytes: Uint8Array, type: Unpacked<T>) => T
  readonly unpackTransaction: (bytes: Uint8Array) => object
  readonly packCodec: (transaction: object) => Uint8Array
  readonly getDefaultCodecId: () => { readonly toBytes: () => Uint8Array }
  readonly getDefaultCodec: () => {
    readonly PackPrefix: (value: object) => Uint8Array
    readonly PackPrefixList: (values: readonly object[]) => Uint8Array
  }
}

/** The parts of avalanchejs that the tests use. The imports in its own declarations do not resolve as ES modules. */
export const { avaxSerial, pvmSerial, Utxo, utils } = avalanche as unknown as {
  readonly avaxSerial: {
    readonly SignedTx: Unpacked<{ readonly unsignedTx: object; readonly credentials: readonly object[] }>
  }
  readonly pvmSerial: {
    readonly warp: {
      readonly WarpMessage: Unpacked
      readonly AddressedCallPayloads: {
        readonly RegisterL1ValidatorMessage: Unpacked
        readonly L1ValidatorWeightMessage: Unpacked
      }
      readonly getWarpManager: () => Manager
    }
  }
  readonly Utxo: Unpacked<{ readonly ID: () => string }>
  readonly utils: {
    readonly base58check: { readonly encode: (bytes: Uint8Array) => string }
    readonly getManagerForVM: (vm: Vm) => Manager
  }
}
