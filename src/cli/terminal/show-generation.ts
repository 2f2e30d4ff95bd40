import { formatCount } from './format.ts'

/** Shows the generation of the simulated chain as one line on a terminal, and clears the line at the end. */
export function showGeneration({ containers, of }: { readonly containers: number; readonly of: number }): void {
  if (!process.stderr.isTTY) return
  process.stderr.write(
    `\r\u001b[2KGenerating the simulated chain: ${formatCount(containers)} of ${formatCount(of)} containers`,
  )
  if (containers >= of) process.stderr.write('\r\u001b[2K')
}
