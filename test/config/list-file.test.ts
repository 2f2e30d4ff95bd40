import { expect, test } from 'vitest'
import { parseListFile, readListFile } from '../../src/config/parameter-values.ts'

test('a list file has one value per line, without comments, blanks and empty lines', () => {
  expect(parseListFile('\uFEFF# all of them\n  a \r\nb # the second\n\n\tc#d\n#e\nf')).toEqual(['a', 'b', 'c#d', 'f'])
  expect(parseListFile('')).toEqual([])
})

test('a missing list file is refused', async () => {
  await expect(readListFile('/nowhere/list.txt', 'rewards: addresses')).rejects.toMatchObject({
    message: 'rewards: addresses: the file /nowhere/list.txt cannot be read.',
    details: { reason: 'no such file' },
  })
})
