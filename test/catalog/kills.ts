import { expect } from 'vitest'
import { tables } from '../../schemas/index.ts'
import { createLake } from '../../src/catalog/catalog.ts'
import { newLakeDir } from './lake.ts'
import { lakeState } from './lake-state.ts'
import { startChild } from './process.ts'

/** The arguments of lake-child.mjs after the lake, such as `['export', 'P', '40', '10']`. */
export type Work = readonly [mode: string, ...rest: string[]]

export async function emptyLake(): Promise<string> {
  const lake = newLakeDir()
  await createLake({ folder: lake }, tables)
  return lake
}

export function startWork(lake: string, [mode, ...rest]: Work, dieAt?: string) {
  return startChild([mode, lake, ...rest], dieAt === undefined ? {} : { dieAt })
}

/** The lake of a process that is not killed. */
export async function lakeOf(work: Work) {
  const lake = await emptyLake()
  expect(await startWork(lake, work).ended).toEqual({ code: 0, signal: null })
  const state = await lakeState(lake)
  expect(state.stray).toEqual([])
  expect(state.leftovers).toEqual([])
  return state
}

/** Kills one process at each of the points; each process resumes the work of the previous ones. The last process completes it. */
export async function stateAfterKills(lake: string, work: Work, points: readonly string[]) {
  for (const point of points) expect((await startWork(lake, work, point).ended).signal, point).toBe('SIGKILL')
  expect((await startWork(lake, work).ended).code).toBe(0)
  return lakeState(lake)
}
