import { LockedError } from '../../errors.ts'
import { waitUnlessStopped } from '../job/wait.ts'

const maxWaitSeconds = 120

/** Publishes after another publishing process has ended. Throws its `LockedError` after two minutes. */
export async function inTurn<T>(publish: () => Promise<T>, stop: AbortSignal): Promise<T> {
  for (let seconds = 0; ; seconds++) {
    try {
      return await publish()
    } catch (error) {
      const isTaken = error instanceof LockedError && error.code === 'catalog.work-locked'
      if (!isTaken || stop.aborted || seconds === maxWaitSeconds) throw error
      await waitUnlessStopped(1000, stop)
    }
  }
}
