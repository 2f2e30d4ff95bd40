/**
 * Measures what exports cost, compared with the floor of each (bench/floor.ts): CPU seconds, rows per second and peak memory at two sizes,
 * and the cost of each further item. Also measures commits, requests, starts, decoding, recovery of senders, two threads against one, and
 * the same rows exported by other programs. All of it: `npm run bench`. Some of it: `npm run bench -- p-blocks token-transfers`.
 */
import { commitLines } from './commits.ts'
import { containerSubjects } from './containers.ts'
import { eventLines } from './events.ts'
import { evmBlocks } from './evm-blocks.ts'
import { stateSubjects } from './evm-state.ts'
import { measureSubject } from './measure-subject.ts'
import { slopeOf } from './multiple.ts'
import { peerLines } from './peers/peers.ts'
import { heading, measurementLine, slopeLine } from './report.ts'
import { requestLines } from './requests.ts'
import { senderLines } from './senders.ts'
import { serviceLists } from './service-lists.ts'
import { startLines } from './starts.ts'
import { stateDiffLines } from './state-diffs.ts'
import type { Subject } from './subject.ts'
import { threadLines } from './threads.ts'
import { traceLines } from './traces.ts'

const subjects: readonly Subject[] = [...containerSubjects, evmBlocks, ...stateSubjects, ...serviceLists]

/** Measurements without a floor. Each returns lines to print. */
const others: Readonly<Record<string, () => Promise<readonly string[]> | AsyncIterable<string>>> = {
  commits: commitLines,
  events: eventLines,
  peers: () => peerLines(),
  requests: requestLines,
  senders: senderLines,
  'state-diffs': stateDiffLines,
  starts: startLines,
  threads: threadLines,
  traces: traceLines,
}

// Without a handler, a signal would end the process without its `exit` event, and its children would live on (bench/end-with-bench.ts).
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const chosen = chosenNames(process.argv.slice(2))
const exported = subjects.filter(({ name }) => chosen.includes(name))
if (exported.length > 0) console.log(heading)
for (const subject of exported) {
  const measure = async (size: number) => {
    const measured = await measureSubject(subject, size)
    console.log(measurementLine(subject, measured))
    return measured
  }
  const [small, large] = subject.sizes
  console.log(slopeLine(subject, slopeOf(await measure(small), await measure(large))))
}
for (const [name, measure] of Object.entries(others))
  if (chosen.includes(name)) for await (const line of await measure()) console.log(line)

function chosenNames(names: readonly string[]): readonly string[] {
  const known = [...subjects.map(({ name }) => name), ...Object.keys(others)]
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`The bench has no ${unknown.join(', ')}; it has ${known.join(', ')}.`)
  return names.length === 0 ? known : names
}
