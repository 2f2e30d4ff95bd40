import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readLake } from '../../src/cli/settings.ts'
import { pathFrom } from '../../src/lib/package.ts'

test('~ at the beginning of a path is the home folder', () => {
  expect(pathFrom('/a', '~')).toBe(homedir())
  expect(pathFrom('/a', '~/b')).toBe(join(homedir(), 'b'))
  expect(['b', './~/b', '~b', '/b'].map((text) => pathFrom('/a', text))).toEqual(['/a/b', '/a/~/b', '/a/~b', '/b'])
  expect(readLake({}, { lake: '~/lake' }, '/etc/chainlake.yaml').folder).toBe(join(homedir(), 'lake'))
  expect(readLake({ lake: '~/lake' }, {}, null).folder).toBe(join(homedir(), 'lake'))
})
