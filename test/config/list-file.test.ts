import { expect, test } from 'vitest'
import { parseListFile, readListFile, readTextFile } from '../../src/config/parameter-values.ts'

test('a list file has one value per line, without comments, blanks and empty lines', () => {
  expect(parseListFile('\uFEFF# all of them\n  a \r\nb # the second\n\n\tc#d\n#e\nf')).toEqual(['a', 'b', 'c#d', 'f'])
  expect(parseListFile('')).toEqual([])
})

test('a missing file of a flag is refused without a word about chainlake.yaml', async () => {
  await expect(readTextFile('nowhere.sql', '--file')).rejects.toMatchObject({
    message: '--file: the file nowhere.sql cannot be read.',
    hint: 'A relative path begins in the working directory.',
  })
})

test('a missing list file is refused', async () => {
  await expect(readListFile('/nowhere/list.txt', 'rewards: addresses')).rejects.toMatchObject({
    message: 'rewards: addresses: the file /nowhere/list.txt cannot be read.',
    details: { reason: 'no such file' },
    hint: expect.stringContaining('chainlake.yaml'),
  })
})
