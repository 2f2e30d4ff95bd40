import { expect, test } from 'vitest'
import { parseListFile, readListFile } from '../../src/config/list-file.ts'

test('one value a line; comments, blanks and empty lines are left out', () => {
  expect(parseListFile('\uFEFF# all of them\n  a \r\nb # the second\n\n\tc#d\n#e\nf')).toEqual(['a', 'b', 'c#d', 'f'])
  expect(parseListFile('')).toEqual([])
})

test('a file that is not there', async () => {
  await expect(readListFile('/nowhere/list.txt', 'rewards: addresses')).rejects.toMatchObject({
    message: 'rewards: addresses: the file /nowhere/list.txt cannot be read.',
    details: { reason: 'no such file' },
  })
})
