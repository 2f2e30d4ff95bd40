import { formatCount } from './format.ts'

/** Shows on a terminal how far the simulated chain is made, and removes the line at the end. */
export function showGeneration({ containers, of }: { readonly containers: number; readonly of: number }): void {
  if (!process.stderr.isTTY) return
  process.stderr.write(
    `\r\u001b[2KMaking the simulated chain: ${formatCount(containers)} of ${formatCount(of)} containers`,
  )
  if (containers >= of) process.stderr.write('\r\u001b[2K')
}
