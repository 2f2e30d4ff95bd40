type Transfer = { readonly asset_id: string; readonly amount: bigint | null }

/** The native asset in rows of inputs minus that in rows of outputs, each from a given row on, in nAVAX; 0 if the native asset is unknown. */
export function nativeLeft(
  inputs: readonly Transfer[],
  firstInput: number,
  outputs: readonly Transfer[],
  firstOutput: number,
  nativeAssetId: string | null,
): bigint {
  return sumOf(inputs, firstInput, nativeAssetId) - sumOf(outputs, firstOutput, nativeAssetId)
}

function sumOf(rows: readonly Transfer[], first: number, assetId: string | null): bigint {
  let sum = 0n
  for (let i = first; i < rows.length; i++) {
    const { asset_id, amount } = rows[i]!
    if (asset_id === assetId && amount !== null) sum += amount
  }
  return sum
}
