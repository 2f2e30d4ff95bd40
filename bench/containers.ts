import { programs } from './programs.ts'
import { startServer } from './server-process.ts'
import type { Question, Subject } from './subject.ts'

const sizes = [40_000, 120_000] as const

/** Maximum number of containers in one answer of the index. */
const windowLength = 1024

/** Dense containers of a chain, from the simulated network. */
function containersOf(pipeline: string, chain: 'P' | 'X' | 'C'): Subject {
  return {
    name: pipeline,
    sizes,
    item: 'container',
    answers: 'containers',
    async serve(size) {
      // Networks of one seed begin with the same blocks. So all sizes read the longest one, which is generated once and kept.
      const args = ['devnet', '--port', '0', '--seed', '3', '--blocks', String(Math.max(...sizes))]
      const { url, close } = await startServer(programs.chainlake, args)
      return {
        url,
        close,
        args: [pipeline, '--node-url', url, '--from', '0', '--to', String(size)],
        rendersFirst: false,
        questions: async () => windows(size).map((window) => question(chain, window)),
      }
    },
  }
}

export const containerSubjects: readonly Subject[] = [
  containersOf('p-blocks', 'P'),
  containersOf('x-blocks', 'X'),
  containersOf('c-blocks', 'C'),
]

type Window = { readonly from: number; readonly count: number }

function windows(size: number): Window[] {
  return Array.from({ length: Math.ceil(size / windowLength) }, (_, at) => {
    const from = at * windowLength
    return { from, count: Math.min(windowLength, size - from) }
  })
}

function question(chain: string, { from, count }: Window): Question {
  const params = { startIndex: String(from), numToFetch: String(count), encoding: 'hex' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'index.getContainerRange', params })
  return { method: 'POST', path: `/ext/index/${chain}/block`, body }
}
