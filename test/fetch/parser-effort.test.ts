import { beforeEach, expect, test, vi } from 'vitest'

const flags: string[] = []
vi.mock('node:v8', () => ({ setFlagsFromString: (flag: string) => flags.push(flag) }))

let effort: typeof import('../../src/fetch/attempt.ts')
beforeEach(async () => {
  flags.length = 0
  vi.resetModules()
  effort = await import('../../src/fetch/attempt.ts')
})

const never = ['--no-wasm-dynamic-tiering', '--no-wasm-tier-up']
const usual = ['--wasm-dynamic-tiering', '--wasm-tier-up']

test('programs that use chainlake as a library keep their V8 settings', async () => {
  expect(await effort.withParser(async () => 'answer')).toBe('answer')
  expect(flags).toEqual([])
})

test('the first request creates the parser with tier-up disabled, and then restores the setting', async () => {
  effort.spareParser()
  const during = await effort.withParser(async () => [...flags])
  expect(during).toEqual(never)
  expect(flags).toEqual([...never, ...usual])
  await effort.withParser(async () => undefined)
  expect(flags).toHaveLength(4)
})

test('requests that begin meanwhile do not change the setting', async () => {
  effort.spareParser()
  let answered: () => void = () => undefined
  const first = effort.withParser(
    () =>
      new Promise<void>((resolve) => {
        answered = resolve
      }),
  )
  await effort.withParser(async () => undefined)
  expect(flags).toEqual(never)
  answered()
  await first
  expect(flags).toEqual([...never, ...usual])
})

test('after a failed connection, the next attempt creates the parser with tier-up disabled', async () => {
  effort.spareParser()
  await expect(effort.withParser(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused')
  await effort.withParser(async () => undefined)
  expect(flags).toEqual([...never, ...usual, ...never, ...usual])
})
