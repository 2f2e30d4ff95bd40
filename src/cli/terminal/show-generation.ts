import { showProgress } from './show-progress.ts'
import { terminalLines } from './status-lines.ts'

/** Shows the generation of the simulated chain as one line on a terminal, and clears the line at the end. */
export function showGeneration(): (generated: { readonly containers: number; readonly of: number }) => void {
  const lines = terminalLines()
  if (lines === undefined) return () => undefined
  const show = showProgress(lines)
  return ({ containers, of }) => show({ what: 'Generating the simulated chain, containers', done: containers, of })
}
