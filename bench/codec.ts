import { decodeCBlock, decodeExtData } from '../codec/c.ts'
import { unwrap } from '../codec/containers.ts'
import { decodeExactly } from '../codec/linear.ts'
import { pBlock } from '../codec/p.ts'
import { xBlock } from '../codec/x.ts'
import { decodePContainer } from '../src/decode/p/rows.ts'
import type { Container } from '../src/model.ts'
import { recordedContainers, recordedContext } from './recorded-containers.ts'

/** CPU time of decoding recorded containers, without network or files: `npm run bench` builds it, then `node dist/bench/codec.js`. */
function measure(name: string, containers: readonly Container[], work: (container: Container) => unknown): void {
  const rounds = Math.ceil(40_000 / containers.length)
  for (let round = 0; round < rounds; round++) for (const container of containers) work(container)
  const before = process.cpuUsage()
  for (let round = 0; round < rounds; round++) for (const container of containers) work(container)
  const { user, system } = process.cpuUsage(before)
  const micros = (user + system) / (rounds * containers.length)
  console.log(`${name}: ${micros.toFixed(1)} µs of CPU a container, ${Math.round(1e6 / micros)} a second`)
}

const p = recordedContainers('p')
measure('P structures', p, ({ bytes }) => decodeExactly(pBlock, unwrap(bytes).block, 'block'))
measure('P rows', p, (container) => decodePContainer(container, recordedContext))
measure('X structures', recordedContainers('x'), ({ bytes }) => decodeExactly(xBlock, unwrap(bytes).block, 'block'))
measure('C structures and hashes', recordedContainers('c'), ({ bytes }) => {
  const { block } = decodeCBlock(unwrap(bytes).block, 'block')
  return decodeExtData(block.extData, 'block.extData')
})
