import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../../devnet/serve.ts'
import { chainlake } from '../cli/in-process.ts'
import { openDoor } from '../run/door.ts'
import { newLake } from '../run/lake-run.ts'

let node: Devnet
beforeAll(async () => {
  node = await startDevnet({ seed: 5, blocks: 8 })
})
afterAll(() => node.close())

const wrong = [undefined, null, '', 'no', -5, true, [], { toString: 1 }, '\u001b[2J\nline', 'x'.repeat(10_000)]

test.each([
  ['info.isBootstrapped', 'isBootstrapped'],
  ['info.getNodeVersion', 'version'],
])('whatever a node answers to %s, doctor describes the node in one short line', async (lie, field) => {
  for (const result of ['no', [], ...wrong.map((value) => ({ [field]: value }))]) {
    const door = await openDoor(node, ({ method }) => (method === lie ? { result } : null))
    const { code, stdout } = await chainlake(['doctor', 'p-blocks', '--node-url', door.url, '--lake', newLake()])
    await door.close()
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ok .* It belongs to local \(network id 12345\)( and is (?! |\.$).{1,400})?\.$/m)
  }
})
