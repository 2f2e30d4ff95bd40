/** Rows per CPU second of `decodeAll`, as text, after V8 has compiled it. `decodeAll` returns the number of decoded rows. */
export function decodedPerSecond(decodeAll: () => number): string {
  for (let round = 0; round < 50; round++) decodeAll()
  const rounds = 300
  let rows = 0
  const before = process.cpuUsage()
  for (let round = 0; round < rounds; round++) rows += decodeAll()
  const { user, system } = process.cpuUsage(before)
  return Math.round((rows * 1e6) / (user + system)).toLocaleString('en-US')
}
