/** The network as the lake names it: `testnet` is another name of `fuji` (specification part 1). */
export function lakeNetwork(name: string): string {
  return name === 'testnet' ? 'fuji' : name
}
