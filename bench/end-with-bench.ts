import type { ChildProcess } from 'node:child_process'

/** Ends a child when this process ends, whatever ends it: one that outlives the bench keeps its port, memory and CPU. */
export function endWithBench(child: ChildProcess): void {
  const kill = () => child.kill()
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
}
