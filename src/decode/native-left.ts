type Transfer = { readonly asset_id: string; readonly amount: bigint | null }

/**
 * Returns the native asset in inputs minus that in outputs, in nAVAX. Both lists of rows are summed from a given row on. Returns 0 if the
 * native asset is unknown.
 */
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
