/**
 * Bytes of a chain of the asset VM, written by hand: type ids come from the order in which the node registers types
 * (avalanchego `vms/avm/txs/codec.go`, `vms/avm/block/parser.go`, `vms/{secp256k1,nft,property}fx/fx.go`), not from `codec/`.
 */
const registered = {
  secp256k1fx: ['input', 'mint', 'transfer', 'mintOperation', 'credential'],
  nftfx: ['nftMint', 'nftTransfer', 'nftMintOperation', 'nftTransferOperation', 'nftCredential'],
  propertyfx: ['propertyMint', 'propertyOwned', 'propertyMintOperation', 'propertyBurnOperation', 'propertyCredential'],
} as const
export type FxName = keyof typeof registered
type TypeName = (typeof registered)[FxName][number]

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

export function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(value)
  return bytes
}

function text(value: string): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value.length)
  return Buffer.concat([bytes, Buffer.from(value)])
}

export function list(items: readonly Buffer[]): Buffer {
  return Buffer.concat([u32(items.length), ...items])
}

function bytes(value: Buffer): Buffer {
  return Buffer.concat([u32(value.length), value])
}

export const chain = Buffer.alloc(32, 0xc1)
export const asset = Buffer.alloc(32, 0xa5)
export const owner = Buffer.alloc(20, 0x0e)
const source = Buffer.alloc(32, 0x50)
const owners = Buffer.concat([u64(0n), u32(1), list([owner])])
const signers = list([u32(0)])
export const signature = Buffer.alloc(65, 0x51)

/** The bytes that a chain with these feature extensions can have. */
export function encoderOf(order: readonly FxName[]) {
  const types: TypeName[] = order.flatMap((fx) => [...registered[fx]])
  const typed = (type: TypeName, ...parts: Buffer[]) => {
    if (!types.includes(type)) throw new Error(`a chain without ${type}`)
    return Buffer.concat([u32(5 + types.indexOf(type)), ...parts])
  }
  const outputs: Record<string, () => Buffer> = {
    transfer: () => typed('transfer', u64(7n), owners),
    mint: () => typed('mint', owners),
    nftMint: () => typed('nftMint', u32(3), owners),
    nftTransfer: () => typed('nftTransfer', u32(3), bytes(Buffer.from('art')), owners),
    propertyMint: () => typed('propertyMint', owners),
    propertyOwned: () => typed('propertyOwned', owners),
  }
  const operations: Record<string, () => Buffer> = {
    mintOperation: () => typed('mintOperation', signers, owners, u64(9n), owners),
    nftMintOperation: () => typed('nftMintOperation', signers, u32(3), bytes(Buffer.from('art')), list([owners])),
    nftTransferOperation: () => typed('nftTransferOperation', signers, u32(3), bytes(Buffer.from('art')), owners),
    propertyMintOperation: () => typed('propertyMintOperation', signers, owners, owners),
    propertyBurnOperation: () => typed('propertyBurnOperation', signers),
  }
  const has = (names: Record<string, () => Buffer>) =>
    Object.entries(names).flatMap(([name, make]) => (types.includes(name as TypeName) ? [make()] : []))
  const canPay = order.includes('secp256k1fx')
  const base = Buffer.concat([
    u32(12345),
    chain,
    list(canPay ? [Buffer.concat([asset, outputs['transfer']!()])] : []),
    list(canPay ? [Buffer.concat([source, u32(1), asset, typed('input', u64(11n), signers)])] : []),
    bytes(Buffer.from('memo')),
  ])
  const credentials = list(
    (['credential', 'nftCredential', 'propertyCredential'] as const)
      .filter((type) => types.includes(type))
      .map((type) => typed(type, list([signature]))),
  )
  const createAsset = Buffer.concat([
    u32(1),
    base,
    text('Name'),
    text('SYM'),
    Buffer.from([2]),
    list([Buffer.concat([u32(0), list(has(outputs))])]),
  ])
  const operate = Buffer.concat([
    u32(2),
    base,
    list(
      has(operations).map((operation) => Buffer.concat([asset, list([Buffer.concat([source, u32(2)])]), operation])),
    ),
  ])
  const version = Buffer.alloc(2)
  const txs = [createAsset, operate].map((unsigned) => Buffer.concat([unsigned, credentials]))
  return {
    outputs: has(outputs),
    txs: txs.map((tx) => Buffer.concat([version, tx])),
    utxos: has(outputs).map((output) => Buffer.concat([version, source, u32(1), asset, output])),
    block: Buffer.concat([
      version,
      u32(5 + types.length),
      Buffer.alloc(32, 0x99),
      u64(4n),
      u64(1_700_000_000n),
      Buffer.alloc(32),
      list(txs),
    ]),
  }
}
