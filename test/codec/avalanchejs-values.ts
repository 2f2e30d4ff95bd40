/** Names of avalanchejs fields in the node and in the codec. `''`: the node embeds the fields of this part. */
const commonNames: Readonly<Record<string, string>> = {
  ...{ NetworkId: 'networkID', networkId: 'networkID', BlockchainId: 'blockchainID', blockchainId: 'blockchainID' },
  ...{ baseTx: '', utxoID: '', utxoId: '', outputOwners: '', subnetValidator: '', proof: '', unsignedMessage: '' },
  ...{ assetId: 'assetID', outputIdx: 'outputIndex', amt: 'amount', lockTime: 'locktime', addrs: 'addresses' },
  ...{ sigIndices: 'signatureIndices', transferableInput: 'input', transferOut: 'output' },
  ...{ ins: 'importedInputs', Outs: 'outputs', outs: 'exportedOutputs', destination: 'destinationChain' },
  ...{ fxId: 'fxIndex', groupId: 'groupID', ops: 'operations', UTXOId: 'inputIDs', transferOp: 'operation' },
  ...{ nodeId: 'nodeID', startTime: 'start', endTime: 'end', subnetId: 'subnetID', fxIds: 'fxIDs', txId: 'txID' },
  ...{ validatorRewardsOwner: 'validationRewardsOwner', delegatorRewardsOwner: 'delegationRewardsOwner' },
  ...{ subnetAuth: 'subnetAuthorization', disableAuth: 'disableAuthorization', blsSignature: 'proofOfPossession' },
  ...{ validationId: 'validationID', sourceChainId: 'sourceChainID' },
}

/** Types with other names for their fields. */
const namesOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'secp256k1fx.TransferInput': { input: '' },
  'secp256k1fx.MintOperation': { input: 'mintInput' },
  'nftfx.MintOperation': { input: 'mintInput', outputOwnerList: 'outputs' },
  'evm.ExportTx': { ins: 'inputs' },
  'pvm.AddPermissionlessDelegator': { delegatorRewardsOwner: 'rewardsOwner' },
  'pvm.CreateSubnetTx': { subnetOwners: 'owner' },
  'pvm.TransferSubnetOwnershipTx': { subnetOwners: 'newOwner' },
  'pvm.proofOfPossession': { signature: 'proofOfPossession' },
}

/** Names of types in the node, if they differ by more than the package. */
const typeNames: Readonly<Record<string, string>> = {
  'pvm.AddPermissionlessDelegator': 'AddPermissionlessDelegatorTx',
  'pvm.AddPermissionlessValidator': 'AddPermissionlessValidatorTx',
  'pvm.AddSubnetValidator': 'AddSubnetValidatorTx',
  'pvm.RemoveSubnetValidator': 'RemoveSubnetValidatorTx',
  'pvm.StakeableLockIn': 'stakeable.LockIn',
  'pvm.StakeableLockOut': 'stakeable.LockOut',
  'pvm.signer': 'signer.ProofOfPossession',
  'pvm.signerEmpty': 'signer.Empty',
  'warp.Signature': 'warp.BitSetSignature',
  'warp.L1ValidatorWeightMessage': 'warp.L1ValidatorWeight',
}

/** Properties that avalanchejs adds to the fields of a type. */
const notFields = new Set(['_type', 'vm', 'codecId', 'typeId'])
const numbers = new Set(['primitives.Int', 'primitives.String', 'primitives.Bool'])
const byteTypes = new Set([
  'common.Id',
  'common.Address',
  'common.NodeId',
  'common.BlsSignature',
  'common.BlsPublicKey',
])

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

function plainOf(value: any): unknown {
  if (value instanceof Uint8Array) return hex(value)
  if (Array.isArray(value)) return value.map(plainOf)
  const type: string = value._type
  if (numbers.has(type)) return value.value()
  if (type === 'primitives.BigInt') return value.value().toString()
  if (type === 'primitives.Byte') return value.toBytes()[0]
  if (type === 'primitives.Bytes') return hex(value.bytes)
  if (type === 'secp256k1fx.Signature' || byteTypes.has(type)) return hex(value.toBytes())
  if (type === 'secp256k1fx.OutputOwnersList') return value.outputOwners.map(plainOf)
  return fieldsOf(value, type)
}

function fieldsOf(value: object, type: string): Record<string, unknown> {
  const fields: Record<string, unknown> = { type: typeNames[type] ?? type.replace(/^(avm|evm|pvm)\./, '') }
  for (const [field, part] of Object.entries(value)) {
    if (notFields.has(field) || part === undefined || typeof part === 'function') continue
    const name = namesOf[type]?.[field] ?? commonNames[field] ?? field
    if (name !== '') fields[name] = plainOf(part)
    else {
      const { type: _, ...embedded } = plainOf(part) as Record<string, unknown>
      Object.assign(fields, embedded)
    }
  }
  // For this type the node has the subnet inside of the validator; for others it is next to the validator.
  if (type === 'pvm.AddSubnetValidator') {
    const { validator, subnetID, ...others } = fields
    return { ...others, validator: { ...(validator as object), subnetID } }
  }
  return fields
}

/**
 * The value that avalanchejs decoded, in the form of `typedValue`. It has the type of every part. The result keeps the types that
 * `like` has too: those of parts with a type id in the bytes.
 */
export function valueOfAvalanchejs(value: object, like: unknown): unknown {
  return typedLike(plainOf(value), like)
}

function typedLike(value: unknown, like: any): unknown {
  if (Array.isArray(value)) return value.map((item, i) => typedLike(item, like?.[i]))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'type' || like?.type !== undefined)
      .map(([name, field]) => [name, typedLike(field, like?.[name])]),
  )
}

/** The value that the codec decoded: bytes as hex, u64 as text, and types for the parts with a type id. */
export function typedValue(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Uint8Array) return hex(value)
  if (Array.isArray(value)) return value.map(typedValue)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, typedValue(field)]))
}

/** The types in a value of the codec, in the order of the bytes. */
export function typesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(typesIn)
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return []
  return Object.entries(value).flatMap(([name, field]) => (name === 'type' ? [field as string] : typesIn(field)))
}
