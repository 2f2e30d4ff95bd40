import type { ChildProcess } from 'node:child_process'

/** Ends a child process when this process exits. A child that outlives the bench would keep its port, memory and CPU. */
export function endWithBench(child: ChildProcess): void {
  const kill = () => child.kill()
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
}
