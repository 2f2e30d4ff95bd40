/** How many rows `decodeAll` returns per second of CPU, as text, when it is warm. It returns how many it decoded. */
export function decodedPerSecond(decodeAll: () => number): string {
  for (let round = 0; round < 50; round++) decodeAll()
  const rounds = 300
  let rows = 0
  const before = process.cpuUsage()
  for (let round = 0; round < rounds; round++) rows += decodeAll()
  const { user, system } = process.cpuUsage(before)
  return Math.round((rows * 1e6) / (user + system)).toLocaleString('en-US')
}
