import { open } from 'node:fs/promises'
import { setMode } from '../../lib/files/file-mode.ts'
import type { AfterClose } from './catalog-lock.ts'

/**
 * Copies a file that DuckDB has open to a new file and syncs the copy. The source handle stays open until DuckDB has closed the file: the
 * lock belongs to the process, and closing any handle frees it.
 */
export async function copyHeld(from: string, to: string, mode: number, afterClose: AfterClose): Promise<void> {
  const source = await open(from, 'r')
  afterClose(() => source.close())
  const target = await open(to, 'wx', mode)
  try {
    const buffer = Buffer.allocUnsafe(4 * 1024 * 1024)
    for (let position = 0; ; ) {
      const { bytesRead } = await source.read(buffer, 0, buffer.length, position)
      if (bytesRead === 0) break
      await target.writeFile(buffer.subarray(0, bytesRead))
      position += bytesRead
    }
    await setMode(target, mode)
    await target.sync()
  } finally {
    await target.close()
  }
}
