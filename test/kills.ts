import { expect } from 'vitest'
import { tables } from '../schemas/index.ts'
import { createLake, newLakeDir } from './catalog/lake.ts'
import { lakeState } from './catalog/lake-state.ts'
import { startChild } from './catalog/process.ts'

/** The end of a process. */
export type Ended = { readonly code: number | null; readonly signal: NodeJS.Signals | null; readonly stderr?: string }

/** A kind of process that a test kills, and what must be true after other processes have finished its work. */
export type Killed = {
  /** Creates a lake before the first process. */
  readonly newLake: () => Promise<string>
  /** Does the work in a process, which kills itself at `dieAt`, such as `commit.before-begin#2` (`CHAINLAKE_DIE_AT`). */
  readonly work: (lake: string, dieAt?: string) => Promise<Ended>
  /** What must be equal to the state without any kill. */
  readonly state: (lake: string) => Promise<unknown>
}

/**
 * Kills one process after another on one lake, at each of the points; each process resumes the work of the previous ones. The last process
 * completes it. Returns the state of the lake.
 */
export async function stateAfterKills({ newLake, work, state }: Killed, points: readonly string[]): Promise<unknown> {
  const lake = await newLake()
  for (const point of points) {
    const { code, signal, stderr } = await work(lake, point)
    expect({ point, code, signal }, stderr).toEqual({ point, code: null, signal: 'SIGKILL' })
  }
  const { code, stderr } = await work(lake)
  expect(code, stderr).toBe(0)
  return state(lake)
}

/** A process of `lake-child.mjs` with arguments after the lake, such as `['export', 'P', '40', '10']`. */
export function catalogProcess([mode = '', ...rest]: readonly string[]): Killed {
  return {
    newLake: emptyLake,
    work: async (lake, dieAt) => {
      const { said, ended } = startChild([mode, lake, ...rest], dieAt === undefined ? {} : { dieAt })
      return { ...(await ended), stderr: JSON.stringify(said.at(-1)) }
    },
    state: lakeState,
  }
}

export async function emptyLake(): Promise<string> {
  const lake = newLakeDir()
  await createLake({ folder: lake }, tables)
  return lake
}
